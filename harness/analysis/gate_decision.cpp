#include "harness/analysis/gate_decision.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/rank_sum.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double unpaired_pass_level = 0.05;  // what the looks of a plan may spend together
constexpr double sd_of_mad = 1.4826;  // a normal distribution's standard deviation over its median
                                      // absolute deviation

void check(const GatePlan& plan, const CaseRule& rule, int cases) {
  const bool shares = !plan.looks.empty() && plan.alpha_share.size() == plan.looks.size() &&
                      plan.pass_level.size() == plan.looks.size() && plan.looks.front() >= 1 &&
                      std::is_sorted(plan.looks.begin(), plan.looks.end(), std::less_equal<>());
  require(shares, "a gate's plan has ascending looks with a share and a level each");
  require(plan.shift >= 0 && plan.shift <= 1, "a gate tests against a part of delta");
  require(std::isfinite(rule.delta) && rule.delta >= 0, "a delta is finite and not negative");
  require(std::isfinite(rule.floor_ns) && rule.floor_ns >= 0, "a floor is finite and not negative");
  require(rule.delta > 0 || rule.floor_ns > 0, "a gate needs a delta or a floor above zero");
  require(rule.alpha > 0 && rule.alpha < 1, "alpha lies between 0 and 1");
  require(cases >= 1, "a gate compares at least one case");
}

void check_time(double time_ns) {
  if (!(std::isfinite(time_ns) && time_ns > 0))
    throw Error(ErrorKind::internal,
                "a gate was asked to judge the time " + std::to_string(time_ns) + " ns");
}

double log_delta(const CaseRule& rule, std::span<const double> baseline_ns) {
  return std::log1p(std::max(rule.delta, rule.floor_ns / stats::median(baseline_ns)));
}

double robust_sd(std::span<const double> values) {
  const double middle = stats::median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  return sd_of_mad * stats::median(deviations);
}

// The pairs of one case in logarithms.
struct Pairs {
  std::vector<double> ratios, baseline_ns;
};

Pairs in_logarithms(std::span<const PairedTimes> pairs) {
  if (pairs.empty()) throw Error(ErrorKind::internal, "a gate was asked to judge no pairs");
  Pairs result;
  for (const PairedTimes& pair : pairs) {
    check_time(pair.baseline_ns);
    check_time(pair.candidate_ns);
    result.ratios.push_back(std::log(pair.candidate_ns) - std::log(pair.baseline_ns));
    result.baseline_ns.push_back(pair.baseline_ns);
  }
  return result;
}

// What one look may spend.
struct Levels {
  double alarm = 0, pass = 0;
  bool last = false;
};

Decision settled(Decision decision, record::Verdict verdict, double p_value, double level) {
  decision.verdict = verdict;
  decision.decided = true;
  decision.p_value = p_value;
  decision.level = level;
  return decision;
}

// One look at all of `pairs`. Leaves the interval and the noise to the end.
Decision look(const GatePlan& plan, const CaseRule& rule, const Pairs& pairs,
              const Levels& levels) {
  const std::span<const double> ratios = pairs.ratios;
  Decision decision;
  decision.pairs = static_cast<int>(ratios.size());
  decision.delta = log_delta(rule, pairs.baseline_ns);
  decision.estimate = stats::signed_rank_estimate(ratios);
  decision.level = levels.alarm;
  decision.p_value = stats::signed_rank(ratios, plan.shift * decision.delta).up;
  if (levels.alarm > 0 && decision.p_value <= levels.alarm && decision.estimate >= decision.delta)
    return settled(decision, record::Verdict::regression, decision.p_value, levels.alarm);
  const bool both = rule.looking == Looking::both;
  if (both && levels.alarm > 0 && -decision.estimate >= decision.delta) {
    const double faster = stats::signed_rank(ratios, -plan.shift * decision.delta).down;
    if (faster <= levels.alarm)
      return settled(decision, record::Verdict::improvement, faster, levels.alarm);
  }
  // A clear speed-up is left for a later look to call an improvement, unless nobody asked for that.
  if (!both || levels.last || decision.estimate > -decision.delta) {
    const double not_slower = stats::signed_rank(ratios, decision.delta).down;
    if (not_slower <= levels.pass)
      return settled(decision, record::Verdict::pass, not_slower, levels.pass);
  }
  return decision;
}

Decision sequence(const GatePlan& plan, const CaseRule& rule, int cases, const Pairs& pairs,
                  bool last) {
  const auto n = static_cast<int>(pairs.ratios.size());
  const double alpha = rule.alpha / cases;
  const auto first = [&](int count) {
    return Pairs{{pairs.ratios.begin(), pairs.ratios.begin() + count},
                 {pairs.baseline_ns.begin(), pairs.baseline_ns.begin() + count}};
  };
  Decision decision;
  double carry = 0;
  Levels spent_here;  // by a look at exactly these pairs
  std::size_t taken = 0;
  for (; taken < plan.looks.size() && plan.looks[taken] <= n; ++taken) {
    Levels levels{plan.alpha_share[taken] * alpha + carry, plan.pass_level[taken],
                  taken + 1 == plan.looks.size()};
    carry = 0;
    // No p value of n pairs is below 2^-n: the level is kept for the next look.
    if (levels.alarm < std::ldexp(1.0, -plan.looks[taken])) std::swap(carry, levels.alarm);
    decision = look(plan, rule, first(plan.looks[taken]), levels);
    if (decision.decided) return decision;
    if (plan.looks[taken] == n) spent_here = levels;
  }
  if (!last || taken == plan.looks.size()) return decision;
  // The final look. A look at the same pairs is included in it, so that its levels count once.
  const auto left = static_cast<std::ptrdiff_t>(taken);
  return look(
      plan, rule, pairs,
      {std::accumulate(plan.alpha_share.begin() + left, plan.alpha_share.end(), 0.0) * alpha +
           carry + spent_here.alarm,
       std::accumulate(plan.pass_level.begin() + left, plan.pass_level.end(), 0.0) +
           spent_here.pass,
       true});
}

}  // namespace

std::optional<double> ratio_of(double logarithm) {
  return std::isfinite(logarithm) ? std::optional(std::exp(logarithm)) : std::nullopt;
}

void set_numbers(record::CaseVerdict& verdict, const Decision& decision) {
  verdict.delta = std::expm1(decision.delta);
  verdict.ratio = ratio_of(decision.estimate);
  verdict.ratio_low = ratio_of(decision.interval.low);
  verdict.ratio_high = ratio_of(decision.interval.high);
  verdict.noise = decision.noise;
  verdict.p_value = decision.p_value;
  verdict.level = decision.level;
}

Decision decide(const GatePlan& plan, const CaseRule& rule, int cases,
                std::span<const PairedTimes> pairs, bool last) {
  check(plan, rule, cases);
  Pairs logs = in_logarithms(pairs);
  Decision decision = sequence(plan, rule, cases, logs, last);
  if (decision.decided) {
    logs.ratios.resize(static_cast<std::size_t>(decision.pairs));
  } else {
    decision.pairs = static_cast<int>(pairs.size());
    decision.delta = log_delta(rule, logs.baseline_ns);
    decision.estimate = stats::signed_rank_estimate(logs.ratios);
  }
  decision.interval = stats::signed_rank_interval(logs.ratios);
  decision.noise = robust_sd(logs.ratios);
  return decision;
}

std::optional<double> smallest_effect(const GatePlan& plan, const CaseRule& rule, int cases,
                                      std::span<const PairedTimes> pairs, int max_pairs) {
  check(plan, rule, cases);
  require(max_pairs >= 1, "a gate measures at least one pair");
  if (pairs.size() < 6) return std::nullopt;
  const Pairs logs = in_logarithms(pairs);
  const stats::Interval interval = stats::signed_rank_interval(logs.ratios, 0.8);
  const double width = interval.high - interval.low;
  if (!std::isfinite(width)) return std::nullopt;
  const double z_power = 0.842;     // 80% of a normal distribution lie below
  const double z_interval = 2.563;  // width of its middle 80%
  const double z_alpha = stats::normal_quantile_above(rule.alpha / cases);
  // 1.25: an allowance for what capped ranks cost, and for how roughly a few pairs tell the noise.
  const double error =
      1.25 * width / z_interval * std::sqrt(static_cast<double>(pairs.size()) / max_pairs);
  const double delta = log_delta(rule, logs.baseline_ns);
  return std::expm1(
      std::max(delta + z_power * error, plan.shift * delta + (z_alpha + z_power) * error));
}

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
  decision.delta = log_delta(rule, baseline_ns);
  decision.estimate = stats::rank_sum_estimate(baseline, candidate);
  decision.interval = stats::rank_sum_interval(baseline, candidate);
  decision.noise = std::hypot(robust_sd(baseline), robust_sd(candidate));
  decision.level = rule.alpha / cases;
  decision.p_value = stats::rank_sum(baseline, candidate, plan.shift * decision.delta).up;
  if (decision.p_value <= decision.level && decision.estimate >= decision.delta)
    return settled(decision, record::Verdict::regression, decision.p_value, decision.level);
  const double faster = stats::rank_sum(candidate, baseline, plan.shift * decision.delta).up;
  if (rule.looking == Looking::both && faster <= decision.level &&
      -decision.estimate >= decision.delta)
    return settled(decision, record::Verdict::improvement, faster, decision.level);
  const double not_slower = stats::rank_sum(baseline, candidate, decision.delta).down;
  if (not_slower <= unpaired_pass_level)
    return settled(decision, record::Verdict::pass, not_slower, unpaired_pass_level);
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
