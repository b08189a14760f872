#include "harness/analysis/gate_decision.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "harness/analysis/gate_looks.hpp"
#include "harness/analysis/gate_power.hpp"
#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double sd_of_mad = 1.4826;  // a normal distribution's standard deviation over its median
                                      // absolute deviation

/// What medians would decide if nothing had to be waited for.
Decision waiting(Decision decision) {
  decision.verdict = record::Verdict::undecided;
  decision.decided = false;
  return decision;
}

/// Of a suspect whose median is not slower: what its tail adds.
Decision of_suspect(const GatePlan& plan, const CaseRule& rule, Decision medians,
                    std::span<const PairedTimes> pairs, bool last, const Screening& screening) {
  const TailDecision tail =
      decide_tail(plan, rule.alpha * screening.share, medians.delta, pairs, last);
  medians.tail = tail.tail;
  if (!tail.cleared) medians.slow = tail.slow;
  if (tail.tail && rule.tails == Tails::fail)
    return settled(medians, record::Verdict::tail, tail.p_value, tail.level);
  const bool told = rule.tails == Tails::tell && last;  // a suspicion is nothing to tell
  if (tail.tail || tail.cleared || told) return medians;
  medians.tail_suspected = last;
  // More rounds would test the tail: that there are none is no reason to pass.
  return last && tail.tested ? medians : waiting(medians);
}

stats::Interval interval_of(std::span<const double> ratios) {
  stats::Interval interval = stats::signed_rank_interval(ratios);
  // Two values that take turns, far apart, have all their Walsh means on three points.
  const auto [least, most] = std::ranges::minmax(ratios);
  if (interval.high - interval.low >= stats::same_log_ratio || most - least < stats::same_log_ratio)
    return interval;
  return stats::median_interval(ratios).value_or(
      stats::Interval{-stats::unbounded, stats::unbounded});
}

std::optional<PairShape> mean_shape(std::span<const PairedTimes> pairs) {
  PairShape sum;
  int n = 0;
  for (const PairedTimes& pair : pairs) {
    if (pair.disturbed != Disturbed::neither) continue;
    ++n;
    sum.mean += pair.shape.mean;
    sum.ninetieth += pair.shape.ninetieth;
    sum.baseline_slow += pair.shape.baseline_slow;
    sum.candidate_slow += pair.shape.candidate_slow;
  }
  if (n == 0) return std::nullopt;
  for (double* each : {&sum.mean, &sum.ninetieth, &sum.baseline_slow, &sum.candidate_slow})
    *each /= n;
  return sum;
}

}  // namespace

void check(const GatePlan& plan, const CaseRule& rule, int cases) {
  const auto ascending = [](const std::vector<int>& looks) {
    return std::is_sorted(looks.begin(), looks.end(), std::less_equal<>());
  };
  const bool shares = !plan.looks.empty() && plan.alpha_share.size() == plan.looks.size() &&
                      plan.pass_level.size() == plan.looks.size() && plan.looks.front() >= 1 &&
                      ascending(plan.looks);
  require(shares, "a gate's plan has ascending looks with a share and a level each");
  const bool tails = plan.tail_share.size() == plan.tail_looks.size() &&
                     ascending(plan.tail_looks) &&
                     (plan.tail_looks.empty() || plan.tail_looks.front() > plan.screening_rounds);
  require(tails, "a gate's plan looks at tails after the screening, with a share each");
  for (const std::vector<double>* each : {&plan.alpha_share, &plan.pass_level, &plan.tail_share}) {
    const bool spent_once = std::ranges::all_of(*each, [](double part) { return part >= 0; }) &&
                            std::reduce(each->begin(), each->end()) <= 1 + 1e-9;
    require(spent_once, "a gate's plan spends no level twice, and none above 1");
  }
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

double robust_sd(std::span<const double> values) {
  const double middle = stats::median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - middle));
  return sd_of_mad * stats::median(deviations);
}

std::optional<double> ratio_of(std::optional<double> logarithm) {
  return logarithm && std::isfinite(*logarithm) ? std::optional(std::exp(*logarithm))
                                                : std::nullopt;
}

void set_numbers(record::CaseVerdict& verdict, const Decision& decision) {
  verdict.delta = std::expm1(decision.delta);
  verdict.ratio = ratio_of(decision.estimate);
  verdict.ratio_low = ratio_of(decision.interval.low);
  verdict.ratio_high = ratio_of(decision.interval.high);
  verdict.noise = decision.noise;
  verdict.p_value = decision.p_value;
  verdict.level = decision.level;
  verdict.tail = decision.tail;
  verdict.tail_suspected = decision.tail_suspected;
  if (!decision.shape) return;
  verdict.mean_ratio = ratio_of(decision.shape->mean);
  verdict.ninetieth_ratio = ratio_of(decision.shape->ninetieth);
  verdict.baseline_slow = decision.shape->baseline_slow;
  verdict.candidate_slow = decision.shape->candidate_slow;
}

double log_delta(const CaseRule& rule, std::span<const PairedTimes> pairs) {
  return log_delta(rule, that_count(pairs).baseline_ns);
}

std::vector<double> differences(std::span<const PairedTimes> pairs) {
  return pairs.empty() ? std::vector<double>() : that_count(pairs).ratios;
}

bool is_suspect(const GatePlan& plan, const CaseRule& rule, int cases,
                std::span<const PairedTimes> pairs) {
  check(plan, rule, cases);
  const std::span<const PairedTimes> first = screening_pairs(plan, pairs);
  if (first.empty()) return false;
  const Decision medians = decide_by_medians(plan, rule, cases, first, false);
  return medians.verdict != record::Verdict::regression &&
         is_suspicious(first, log_delta(rule, first));
}

bool is_at_look(const GatePlan& plan, std::span<const PairedTimes> pairs,
                const Screening& screening) {
  const auto reached = [](const std::vector<int>& looks, auto count) {
    return std::ranges::find(looks, static_cast<int>(count)) != looks.end();
  };
  const auto counted = [](std::span<const PairedTimes> some, auto counts) {
    return std::ranges::count_if(some, counts);
  };
  if (reached(plan.looks, counted(pairs, [](const PairedTimes& pair) {
                return pair.disturbed == Disturbed::neither;
              })))
    return true;
  const auto fresh = counted(pairs, [&](const PairedTimes& pair) {
    return pair.round >= plan.screening_rounds && pair.disturbed != Disturbed::both;
  });
  return screening.suspect && reached(plan.tail_looks, fresh + plan.screening_rounds);
}

Decision decide(const GatePlan& plan, const CaseRule& rule, int cases,
                std::span<const PairedTimes> pairs, bool last, const Screening& screening) {
  check(plan, rule, cases);
  const MedianPairs all = that_count(pairs);
  Decision decision = decide_by_medians(plan, rule, cases, pairs, last);
  if (!decision.decided) decision.delta = log_delta(rule, all.baseline_ns);
  // Where median and tail are both slower, regression is said.
  if (plan.screening_rounds > 0 && decision.verdict != record::Verdict::regression) {
    if (screening.over && screening.suspect) {
      decision = of_suspect(plan, rule, decision, pairs, last, screening);
    } else if (!screening.over) {
      // The time ended before the screening: what hints at a tail does not pass.
      const bool hints = last && rule.tails == Tails::fail && is_suspicious(pairs, decision.delta);
      if (!last || hints) decision = waiting(decision);
      decision.tail_suspected = hints;
    }
  }
  std::vector<double> ratios = all.ratios;
  if (decision.decided && decision.verdict != record::Verdict::tail) {
    ratios.resize(static_cast<std::size_t>(decision.pairs));
  } else {
    decision.pairs = static_cast<int>(ratios.size());
    if (!ratios.empty()) decision.estimate = stats::signed_rank_estimate(ratios);
  }
  decision.shape = mean_shape(pairs);
  if (ratios.empty()) return decision;
  decision.interval = interval_of(ratios);
  if (ratios.size() >= 3) decision.noise = robust_sd(ratios);
  return decision;
}

std::optional<double> smallest_effect(const GatePlan& plan, const CaseRule& rule, int cases,
                                      std::span<const PairedTimes> pairs, int max_pairs) {
  check(plan, rule, cases);
  require(max_pairs >= 1, "a gate measures at least one pair");
  const std::vector<double> ratios = differences(pairs);
  if (ratios.size() < 6) return std::nullopt;
  const double found = smallest_found(max_pairs, scatter(ratios).value_or(0),
                                      log_delta(rule, pairs), plan.shift, rule.alpha / cases);
  return std::isfinite(found) ? std::optional(std::expm1(found)) : std::nullopt;
}

}  // namespace ridgeline::analysis
