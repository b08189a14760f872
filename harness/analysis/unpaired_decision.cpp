#include "harness/analysis/unpaired_decision.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/analysis/gate_looks.hpp"
#include "harness/analysis/gate_power.hpp"
#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/rank_sum.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double unpaired_pass_level = 0.05;  // what the looks of a plan may spend together

std::vector<double> logs_of(std::span<const double> times_ns) {
  std::vector<double> result;
  for (const double time_ns : times_ns) {
    check_time(time_ns);
    result.push_back(std::log(time_ns));
  }
  return result;
}

struct MeanAndVariance {
  double mean = 0, of_mean = 0;  // of_mean: the variance of the mean
};

/// Of at least two values.
MeanAndVariance mean_and_variance(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  MeanAndVariance made;
  for (const double value : values) made.mean += value / n;
  for (const double value : values)
    made.of_mean += (value - made.mean) * (value - made.mean) / (n - 1) / n;
  return made;
}

/// Few processes of one side that lie close together, far above all of the other's. Welch's t, with
/// the degrees of freedom of the smaller side, which are no more than his.
bool are_clusters(const std::vector<double>& baseline, const std::vector<double>& candidate,
                  double limit, int cases) {
  const std::size_t fewer = std::min(baseline.size(), candidate.size());
  if (fewer < 2) return false;
  const double least = fewer >= 6 ? limit : std::max(limit, std::log(slower_in_few));
  if (std::ranges::min(candidate) - std::ranges::max(baseline) <= least) return false;
  const MeanAndVariance before = mean_and_variance(baseline), after = mean_and_variance(candidate);
  const double t = stats::student_t_quantile(1 - cluster_p / cases, static_cast<double>(fewer - 1));
  return after.mean - before.mean - limit >= t * std::sqrt(before.of_mean + after.of_mean);
}

}  // namespace

Decision decide_unpaired(const GatePlan& plan, const CaseRule& rule, int cases,
                         std::span<const double> baseline_ns,
                         std::span<const double> candidate_ns) {
  check(plan, rule, cases);
  if (baseline_ns.empty() || candidate_ns.empty())
    throw Error(ErrorKind::internal, "a gate was asked to judge no processes");
  const std::vector<double> baseline = logs_of(baseline_ns), candidate = logs_of(candidate_ns);
  Decision decision;
  decision.pairs = static_cast<int>(std::min(baseline.size(), candidate.size()));
  decision.delta = log_delta(rule, baseline_ns);
  decision.estimate = stats::rank_sum_estimate(baseline, candidate);
  decision.interval = stats::rank_sum_interval(baseline, candidate);
  decision.noise = std::hypot(robust_sd(baseline), robust_sd(candidate));
  decision.level = rule.alpha / cases;
  decision.p_value = stats::rank_sum(baseline, candidate, plan.shift * decision.delta).up;
  const double least = decision.delta - stats::same_log_ratio;
  if (decision.p_value <= decision.level && decision.estimate >= least)
    return settled(decision, record::Verdict::regression, decision.p_value, decision.level);
  const double faster = stats::rank_sum(candidate, baseline, plan.shift * decision.delta).up;
  if (rule.looking == Looking::both && faster <= decision.level && *decision.estimate <= -least)
    return settled(decision, record::Verdict::improvement, faster, decision.level);
  const double not_slower = stats::rank_sum(baseline, candidate, decision.delta).down;
  if (not_slower <= unpaired_pass_level)
    return settled(decision, record::Verdict::pass, not_slower, unpaired_pass_level);
  return decision;
}

std::optional<record::Doubt> doubt_of_unpaired(std::span<const double> baseline_ns,
                                               std::span<const double> candidate_ns, double limit,
                                               int cases) {
  require(cases >= 1, "a gate compares at least one case");
  if (baseline_ns.empty() || candidate_ns.empty()) return std::nullopt;
  const std::vector<double> baseline = logs_of(baseline_ns), candidate = logs_of(candidate_ns);
  if (stats::rank_sum(baseline, candidate, limit).up <= exact_doubt_p / cases)
    return record::Doubt::exact;
  const double large = std::max(limit, std::log(much_slower));
  if (stats::rank_sum(baseline, candidate, large).up <= seems_slower_p) return record::Doubt::large;
  if (are_clusters(baseline, candidate, limit, cases)) return record::Doubt::cluster;
  const double vast = std::max(limit, std::log(times_slower));
  if (std::ranges::min(candidate) - std::ranges::max(baseline) > vast) return record::Doubt::large;
  return std::nullopt;
}

double p_of_disturbed(std::size_t baseline, std::size_t baseline_disturbed, std::size_t candidate,
                      std::size_t candidate_disturbed) {
  if (baseline == 0 || candidate == 0) return 1;
  // Two values alone make the rank-sum test the one of Fisher.
  const auto values = [](std::size_t all, std::size_t disturbed) {
    std::vector<double> made(all, 0.0);
    std::fill_n(made.begin(), disturbed, 1.0);
    return made;
  };
  return stats::rank_sum(values(baseline, baseline_disturbed),
                         values(candidate, candidate_disturbed), 0)
      .up;
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
