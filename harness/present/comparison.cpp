#include "harness/present/comparison.hpp"

#include <algorithm>
#include <future>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/present/run_text.hpp"
#include "harness/run/selection.hpp"

namespace ridgeline::present {
namespace {

using analysis::ComparedSide;
using store::FoundRun;

ComparedSide read(const FoundRun& found) {
  const store::Store store = store::Store::open(found.file);
  const std::string& id = found.summary.run.id;
  return {store::stored_run(store, found.summary), store::roofs(store, id),
          store::timings(store, id), status(found)};
}

std::vector<store::StoredMeasurement> read_counts(const FoundRun& found) {
  return store::measurements(store::Store::open(found.file), found.summary.run.id,
                             store::Samples::leave_out);
}

/// Throws a usage Error when a pattern picks no case of either side.
void check_patterns(const std::vector<std::string>& patterns, const ComparedSide& a,
                    const ComparedSide& b) {
  if (patterns.empty()) return;
  std::vector<std::string> names;
  for (const ComparedSide* side : {&a, &b})
    for (const record::Case& info : side->timings.cases) names.push_back(record::name(info.id));
  if (names.empty())
    throw Error(ErrorKind::usage, "neither run holds a measurement",
                "ridgeline runs says what each run holds");
  run::check_patterns(patterns, names);
}

}  // namespace

ComparedRuns compare_runs(const FoundRun& a_run, const FoundRun& b_run,
                          const std::vector<std::string>& patterns) {
  const std::string &a_id = a_run.summary.run.id, &b_id = b_run.summary.run.id;
  if (a_id == b_id)
    throw Error(
        ErrorKind::usage, fmt::format("cannot compare run {} with itself", a_id),
        "ridgeline runs lists the runs; MODEL@latest, label:TEXT, baseline:NAME or an id name one");
  const bool a_counts = analysis::gives_counts(a_run.summary.device.kind),
             b_counts = analysis::gives_counts(b_run.summary.device.kind);
  if (a_counts != b_counts)
    throw Error(
        ErrorKind::usage,
        fmt::format("cannot compare run {}, which {}, with run {}, which {}", a_id,
                    a_counts ? "counted" : "has times", b_id, b_counts ? "counted" : "has times"),
        "ridgeline predict puts counts beside times: as bounds");
  std::future<ComparedSide> reading_b =
      std::async(std::launch::async, [&] { return read(b_run); });  // beside A
  const ComparedSide a = read(a_run), b = reading_b.get();
  check_patterns(patterns, a, b);
  ComparedRuns compared{a_run, b_run, analysis::compare(a, b, patterns), a_counts, {}};
  if (a_counts)
    compared.counted = analysis::compare_counts(read_counts(a_run), read_counts(b_run), patterns);
  return compared;
}

int compared_cases(const ComparedRuns& compared) {
  if (compared.counts)
    return static_cast<int>(std::ranges::count_if(
        compared.counted, [](const auto& one) { return one.not_compared.empty(); }));
  return static_cast<int>(std::ranges::count_if(
      compared.comparison.cases, [](const auto& one) { return one.ratio.has_value(); }));
}

}  // namespace ridgeline::present
