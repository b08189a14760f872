#include "harness/analysis/unpaired_decision.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/rank_sum.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double unpaired_pass_level = 0.05;  // what the looks of a plan may spend together

}  // namespace

Decision decide_unpaired(const GatePlan& plan, const CaseRule& rule, int cases,
                         std::span<const double> baseline_ns,
                         std::span<const double> candidate_ns) {
  check(plan, rule, cases);
  const auto logarithms = [](std::span<const double> times_ns) {
    if (times_ns.empty())
      throw Error(ErrorKind::internal, "a gate was asked to judge no processes");
    std::vector<double> result;
    for (const double time_ns : times_ns) {
      check_time(time_ns);
      result.push_back(std::log(time_ns));
    }
    return result;
  };
  const std::vector<double> baseline = logarithms(baseline_ns),
                            candidate = logarithms(candidate_ns);
  Decision decision;
  decision.pairs = static_cast<int>(std::min(baseline.size(), candidate.size()));
  decision.delta = std::log1p(std::max(rule.delta, rule.floor_ns / stats::median(baseline_ns)));
  decision.estimate = stats::rank_sum_estimate(baseline, candidate);
  decision.interval = stats::rank_sum_interval(baseline, candidate);
  decision.noise = std::hypot(robust_sd(baseline), robust_sd(candidate));
  decision.level = rule.alpha / cases;
  decision.p_value = stats::rank_sum(baseline, candidate, plan.shift * decision.delta).up;
  const auto settled = [&](record::Verdict verdict, double p_value, double level) {
    decision.verdict = verdict;
    decision.decided = true;
    decision.p_value = p_value;
    decision.level = level;
    return decision;
  };
  const double least = decision.delta - stats::same_log_ratio;
  if (decision.p_value <= decision.level && decision.estimate >= least)
    return settled(record::Verdict::regression, decision.p_value, decision.level);
  const double faster = stats::rank_sum(candidate, baseline, plan.shift * decision.delta).up;
  if (rule.looking == Looking::both && faster <= decision.level && *decision.estimate <= -least)
    return settled(record::Verdict::improvement, faster, decision.level);
  const double not_slower = stats::rank_sum(baseline, candidate, decision.delta).down;
  if (not_slower <= unpaired_pass_level)
    return settled(record::Verdict::pass, not_slower, unpaired_pass_level);
  return decision;
}

bool can_reach(std::size_t first, std::size_t second, double level) {
  double rarest = 1;
  for (std::size_t i = 1; i <= std::min(first, second); ++i)
    rarest *= static_cast<double>(i) / static_cast<double>(std::max(first, second) + i);
  return rarest <= level * (1 + 1e-9);  // as a product of fractions is no more exact than that
}

int least_processes(const CaseRule& rule, int cases) {
  require(rule.alpha > 0 && rule.alpha < 1, "alpha lies between 0 and 1");
  require(cases >= 1, "a gate compares at least one case");
  int n = 0;
  while (!can_reach(static_cast<std::size_t>(n), static_cast<std::size_t>(n), rule.alpha / cases))
    ++n;
  return n;
}

}  // namespace ridgeline::analysis
