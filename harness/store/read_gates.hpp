#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/gate.hpp"
#include "harness/record/measurement.hpp"
#include "harness/store/store.hpp"

/// What is asked of gates by whoever shows them, or goes on with one.
namespace ridgeline::store {

/// A gate with what a listing shows. Its device is that of its candidate's run.
struct GateSummary {
  record::Gate gate;
  record::Device device;
  std::vector<std::pair<record::Verdict, std::int64_t>> verdicts;  // counts, in enum order, without
                                                                   // zeros
};

/// Newest first.
std::vector<GateSummary> gates(Connection& connection);
/// By round, then in the order measured.
std::vector<record::Pair> pairs(Connection& connection, std::string_view gate_id);
/// A pair with the samples of its two processes, and how long both took for it.
struct SampledPair {
  record::Pair pair;
  std::vector<double> baseline_ns, candidate_ns;
  double total_ns = 0;
};
/// The same, one after the other. Throws when samples were dropped.
void each_pair(Connection& connection, std::string_view gate_id,
               const std::function<void(const SampledPair&)>& take);
/// What a measurement of a pair says beside its times.
struct PairMetric {
  std::string case_name;   // the candidate's
  bool candidate = false;  // of which side
  record::Metric metric;
};
/// Of all pairs that nothing disturbed, by case; in the order measured.
std::vector<PairMetric> pair_metrics(Connection& connection, std::string_view gate_id);
/// What all measurements of a gate took, both sides together: wall time in ns. `total` is more than
/// the sum of its parts.
struct SpentTime {
  double sampling = 0, warming_up = 0, preparing = 0, verifying = 0, total = 0;
};
SpentTime spent_time(Connection& connection, std::string_view gate_id);
std::int64_t pair_count(Connection& connection, std::string_view gate_id);
/// By name of the case.
std::vector<record::CaseVerdict> verdicts(Connection& connection, std::string_view gate_id);

}  // namespace ridgeline::store
