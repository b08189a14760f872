#include "harness/analysis/gate_looks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/signed_rank.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double leaning_p = 0.1;  // of drops that lie on the candidate's side by chance
constexpr int enough_pairs = 27;   // for a pass although the candidate was disturbed more often

void add(MedianPairs& pairs, const PairedTimes& pair) {
  switch (pair.disturbed) {
    case Disturbed::neither:
      check_time(pair.baseline_ns);
      check_time(pair.candidate_ns);
      pairs.ratios.push_back(std::log(pair.candidate_ns) - std::log(pair.baseline_ns));
      pairs.baseline_ns.push_back(pair.baseline_ns);
      break;
    case Disturbed::baseline:
      ++pairs.dropped_baseline;
      break;
    case Disturbed::candidate:
      ++pairs.dropped_candidate;
      break;
    case Disturbed::both:
      break;
  }
}

// What one look may spend.
struct Levels {
  double alarm = 0, pass = 0;
  bool last = false;
};

/// Whether disturbances lie on the candidate's side, so that its other rounds may hide something.
bool leans(const MedianPairs& pairs) {
  const int baseline = pairs.dropped_baseline, candidate = pairs.dropped_candidate;
  const auto alone = static_cast<std::size_t>(baseline) + static_cast<std::size_t>(candidate);
  return stats::coin_cdf(baseline, alone) <= leaning_p ||
         (candidate > baseline && std::ssize(pairs.ratios) + candidate < enough_pairs);
}

/// p against "not slower by delta". What was disturbed might have been as slow as can be.
double p_of_pass(const MedianPairs& pairs, double delta) {
  std::vector<double> ratios = pairs.ratios;
  ratios.insert(ratios.end(), static_cast<std::size_t>(pairs.dropped_candidate), stats::unbounded);
  return leans(pairs) ? 1 : stats::signed_rank(ratios, delta).down;
}

// One look at all of `pairs`. Leaves the interval and the noise to the end.
Decision look(const GatePlan& plan, const CaseRule& rule, const MedianPairs& pairs,
              const Levels& levels) {
  Decision decision;
  decision.pairs = static_cast<int>(pairs.ratios.size());
  decision.delta = log_delta(rule, pairs.baseline_ns);
  decision.estimate = stats::signed_rank_estimate(pairs.ratios);
  decision.level = levels.alarm;
  decision.p_value = stats::signed_rank(pairs.ratios, plan.shift * decision.delta).up;
  const double least = decision.delta - stats::same_log_ratio;
  if (levels.alarm > 0 && decision.p_value <= levels.alarm && *decision.estimate >= least)
    return settled(decision, record::Verdict::regression, decision.p_value, levels.alarm);
  const bool both = rule.looking == Looking::both;
  if (both && levels.alarm > 0 && *decision.estimate <= -least && !leans(pairs)) {
    const double faster = stats::signed_rank(pairs.ratios, -plan.shift * decision.delta).down;
    if (faster <= levels.alarm)
      return settled(decision, record::Verdict::improvement, faster, levels.alarm);
  }
  // A clear speed-up is left for a later look to call an improvement, unless nobody asked for that.
  if (!both || levels.last || *decision.estimate > -least) {
    const double not_slower = p_of_pass(pairs, decision.delta);
    if (not_slower <= levels.pass)
      return settled(decision, record::Verdict::pass, not_slower, levels.pass);
  }
  return decision;
}

}  // namespace

MedianPairs that_count(std::span<const PairedTimes> pairs) {
  if (pairs.empty()) throw Error(ErrorKind::internal, "a gate was asked to judge no pairs");
  MedianPairs result;
  for (const PairedTimes& pair : pairs) add(result, pair);
  return result;
}

double log_delta(const CaseRule& rule, std::span<const double> baseline_ns) {
  const double floor = baseline_ns.empty() ? 0 : rule.floor_ns / stats::median(baseline_ns);
  return std::log1p(std::max(rule.delta, floor));
}

Decision settled(Decision decision, record::Verdict verdict, double p_value, double level) {
  decision.verdict = verdict;
  decision.decided = true;
  decision.p_value = p_value;
  decision.level = level;
  return decision;
}

Decision decide_by_medians(const GatePlan& plan, const CaseRule& rule, int cases,
                           std::span<const PairedTimes> pairs, bool last) {
  const double alpha = rule.alpha / cases;
  MedianPairs seen;
  Decision made;
  double carry = 0;
  Levels spent_here;  // by a look at exactly these pairs
  std::size_t taken = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    add(seen, pairs[i]);
    spent_here = {};
    if (pairs[i].disturbed != Disturbed::neither || taken == plan.looks.size() ||
        std::ssize(seen.ratios) < plan.looks[taken])
      continue;
    Levels levels{plan.alpha_share[taken] * alpha + carry, plan.pass_level[taken],
                  taken + 1 == plan.looks.size()};
    carry = 0;
    // No p value of n pairs is below 2^-n: the level is kept for the next look.
    if (levels.alarm < std::ldexp(1.0, -plan.looks[taken])) std::swap(carry, levels.alarm);
    made = look(plan, rule, seen, levels);
    if (made.decided) return made;
    spent_here = levels;
    ++taken;
  }
  if (!last || taken == plan.looks.size() || seen.ratios.empty()) return made;
  // The final look. A look at the same pairs is included in it, so that its levels count once.
  const auto left = static_cast<std::ptrdiff_t>(taken);
  return look(
      plan, rule, seen,
      {std::accumulate(plan.alpha_share.begin() + left, plan.alpha_share.end(), 0.0) * alpha +
           carry + spent_here.alarm,
       std::accumulate(plan.pass_level.begin() + left, plan.pass_level.end(), 0.0) +
           spent_here.pass,
       true});
}

}  // namespace ridgeline::analysis
