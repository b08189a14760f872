#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/analysis/gate_decision.hpp"

namespace ridgeline::analysis {

/// What process medians of two runs say: one unpaired look with the rank-sum test.
Decision decide_unpaired(const GatePlan& plan, const CaseRule& rule, int cases,
                         std::span<const double> baseline_ns, std::span<const double> candidate_ns);

/// What speaks for a slow-down above `limit`, a logarithm, in a case of `cases` that
/// decide_unpaired did not decide: the rules of doubt_of(), with the rank-sum test. A side may be
/// empty.
std::optional<record::Doubt> doubt_of_unpaired(std::span<const double> baseline_ns,
                                               std::span<const double> candidate_ns, double limit,
                                               int cases);

/// p against "as many of the candidate's processes are disturbed as of the baseline's". A side
/// without processes gives 1.
double p_of_disturbed(std::size_t baseline, std::size_t baseline_disturbed, std::size_t candidate,
                      std::size_t candidate_disturbed);

/// Whether the rank-sum test can reach a p value of `level` with so many processes on the two
/// sides: the rarest of their orders has the probability 1 / C(first + second, first).
bool can_reach(std::size_t first, std::size_t second, double level);

/// Processes a side below which decide_unpaired can never raise an alarm.
int least_processes(const CaseRule& rule, int cases);

}  // namespace ridgeline::analysis
