// Gates of stored runs of a device that counts.

#include <gtest/gtest.h>

#include "harness/analysis/stored_gate.hpp"
#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace stored_counts_test {

using record::CaseVerdict;
using record::Outcome;
using record::Verdict;
namespace examples = store::examples;

const record::Case info = examples::gemm_case("tiled", 64);
const std::string name = record::name(info.id);

/// A run with a process for each of `sectors`, whose inputs have the seeds `seed`, `seed` + 1, ...
StoredSide counting(const std::vector<double>& sectors, std::uint64_t seed = 7) {
  StoredSide made;
  made.run = examples::run();
  made.run.status = record::RunStatus::finished;
  made.device = examples::counting_device();
  made.environment = examples::environment();
  made.builds = {examples::process().build};
  for (const double value : sectors) {
    record::Measurement m = examples::counted(info);
    m.seed = seed + made.measurements.size();
    m.metrics = {{"global_load_sectors", value, "1", record::Direction::lower}};
    const auto id = static_cast<std::int64_t>(made.measurements.size()) + 1;
    made.measurements.push_back({id, id, info, static_cast<int>(id) - 1, std::move(m)});
  }
  return made;
}

CaseVerdict verdict(const StoredSide& baseline, const StoredSide& candidate,
                    bool accept_changes = false) {
  const StoredVerdicts all = gate_stored(baseline, candidate, {name}, {CaseRule{}},
                                         plan_for(DeviceKind::emulated), accept_changes);
  EXPECT_EQ(all.verdicts.size(), 1u);
  return all.verdicts.at(0);
}

TEST(StoredCounts, OneProcessASideDecides) {
  const CaseVerdict more = verdict(counting({512}), counting({513}));
  EXPECT_EQ(more.verdict, Verdict::regression);
  EXPECT_EQ(more.metric, "global_load_sectors");
  EXPECT_EQ(more.candidate_value, 513);
  EXPECT_EQ(more.pairs, 0);
  EXPECT_FALSE(more.baseline_ns || more.candidate_ns || more.p_value || more.level ||
               more.ratio_low || more.noise);
  EXPECT_EQ(more.reason, "");
  EXPECT_EQ(verdict(counting({513}), counting({512})).verdict, Verdict::improvement);
  EXPECT_EQ(verdict(counting({512}), counting({512})).verdict, Verdict::pass);
}

TEST(StoredCounts, ExecutionsWithTheSameInputsAreCompared) {
  // 512 and 600 are of the seeds 7 and 8; the candidate's first process has the second of them.
  EXPECT_EQ(verdict(counting({512, 600}, 7), counting({600, 700}, 8)).verdict, Verdict::pass);
  const CaseVerdict other = verdict(counting({512}, 7), counting({600}, 8));
  EXPECT_EQ(other.verdict, Verdict::regression);
  EXPECT_EQ(other.reason, "the inputs differ, too: seed 7 -> 8");
}

TEST(StoredCounts, ACompilerIsPartOfTheEnvironment) {
  StoredSide newer = counting({512});
  newer.builds[0].compiler = "GNU 99";
  const CaseVerdict refused = verdict(counting({512}), newer);
  EXPECT_EQ(refused.verdict, Verdict::invalid_environment);
  EXPECT_NE(refused.reason.find("compiler of "), std::string::npos) << refused.reason;
  EXPECT_NE(refused.reason.find(" -> GNU 99"), std::string::npos) << refused.reason;
  EXPECT_TRUE(refused.metric.empty());
  EXPECT_EQ(verdict(counting({512}), newer, true).verdict, Verdict::pass) << "accepted";
  StoredSide flags = counting({512});
  flags.builds[0].flags += " -Og";
  EXPECT_EQ(verdict(counting({512}), flags).verdict, Verdict::invalid_environment);
}

TEST(StoredCounts, WhatFailedOrIsMissingIsNeverCounted) {
  StoredSide raced = counting({512});
  raced.measurements[0].measurement =
      examples::failed(info, Outcome::wrong_result, "race (read after write)");
  EXPECT_EQ(verdict(counting({512}), raced).verdict, Verdict::wrong_result);
  StoredSide lacks = counting({512});
  lacks.measurements[0].measurement = examples::failed(info, Outcome::unsupported, "wgmma");
  EXPECT_EQ(verdict(counting({512}), lacks).verdict, Verdict::missing);
  EXPECT_EQ(verdict(lacks, counting({512})).verdict, Verdict::new_case);
  EXPECT_EQ(verdict(lacks, lacks).verdict, Verdict::skipped);
  StoredSide half = counting({512, 512});
  half.measurements[1].measurement = examples::failed(info, Outcome::crashed, "signal 11");
  EXPECT_EQ(verdict(counting({512}), half).verdict, Verdict::crashed) << "in any of its processes";
}

}  // namespace stored_counts_test
}  // namespace ridgeline::analysis
