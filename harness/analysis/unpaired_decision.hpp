#pragma once

#include <cstddef>
#include <span>

#include "harness/analysis/gate_decision.hpp"

namespace ridgeline::analysis {

/// What process medians of two runs say: one unpaired look with the rank-sum test.
Decision decide_unpaired(const GatePlan& plan, const CaseRule& rule, int cases,
                         std::span<const double> baseline_ns, std::span<const double> candidate_ns);

/// Whether the rank-sum test can reach a p value of `level` with so many processes on the two
/// sides: the rarest of their orders has the probability 1 / C(first + second, first).
bool can_reach(std::size_t first, std::size_t second, double level);

/// Processes a side below which decide_unpaired can never raise an alarm.
int least_processes(const CaseRule& rule, int cases);

}  // namespace ridgeline::analysis
