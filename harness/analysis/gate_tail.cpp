#include "harness/analysis/gate_tail.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/analysis/gate_power.hpp"
#include "harness/stats/signed_rank.hpp"
#include "harness/stats/slow_processes.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double dropped_factor = 10;  // a disturbed process counts as so many times its partner
constexpr double least_share = 0.005;  // of slow samples more than the baseline's, that matters
constexpr double suspicious_p = 0.25;
// Shares of a look's level.
constexpr double launches_part = 0.15, processes_part = 0.6, means_part = 0.1, nineties_part = 0.15;
constexpr double least_part = std::min({launches_part, processes_part, means_part, nineties_part});
constexpr double doubtful_p = 0.025;  // of each of two questions, over all cases

/// The pairs of a case as columns: log ratios, logarithms of the quartiles, and the share of slow
/// samples that the candidate has more.
struct Columns {
  std::vector<double> median, mean, ninetieth, baseline_quartile, candidate_quartile, slow;
};

void add_disturbed(Columns& tails, const PairedTimes& pair) {
  const bool candidate = pair.disturbed == Disturbed::candidate;
  const double ratio = std::log(dropped_factor) * (candidate ? 1 : -1);
  const double partner = candidate ? pair.shape.baseline_quartile : pair.shape.candidate_quartile;
  for (std::vector<double>* column : {&tails.median, &tails.mean, &tails.ninetieth})
    column->push_back(ratio);
  tails.baseline_quartile.push_back(candidate ? partner : partner - ratio);
  tails.candidate_quartile.push_back(candidate ? partner + ratio : partner);
  tails.slow.push_back(candidate ? 1 : -1);
}

Columns columns(std::span<const PairedTimes> pairs, bool with_disturbed = true) {
  Columns tails;
  for (const PairedTimes& pair : pairs) {
    if (pair.disturbed == Disturbed::both) continue;
    if (pair.disturbed != Disturbed::neither) {
      if (with_disturbed) add_disturbed(tails, pair);
      continue;
    }
    tails.median.push_back(std::log(pair.candidate_ns / pair.baseline_ns));
    tails.mean.push_back(pair.shape.mean);
    tails.ninetieth.push_back(pair.shape.ninetieth);
    tails.baseline_quartile.push_back(pair.shape.baseline_quartile);
    tails.candidate_quartile.push_back(pair.shape.candidate_quartile);
    tails.slow.push_back(pair.shape.candidate_slow - pair.shape.baseline_slow);
  }
  return tails;
}

double average(const std::vector<double>& values) {
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

/// Whether the average is at least `least`, but for what the last bits of equal ratios make of it.
bool reaches(const std::vector<double>& values, double least) {
  return average(values) >= least - stats::same_log_ratio;
}

bool is_suspicious(const Columns& tails, double delta) {
  if (tails.median.empty()) return false;
  return reaches(tails.median, delta / 2) || reaches(tails.mean, delta / 2) ||
         (reaches(tails.slow, least_share) && stats::signed_rank(tails.slow, 0).up <= suspicious_p);
}

/// The processes, and how many must be slow for `level`, which is of all questions. Times that
/// delta / 2 would explain are not slow.
struct Processes {
  std::vector<double> candidate;
  int enough;
  stats::SlowProcesses found;
};

Processes slow_processes(const Columns& tails, double delta, double level) {
  Processes of{tails.candidate_quartile, least_pairs(processes_part * level), {}};
  for (double& each : of.candidate) each -= delta / 2;
  of.found = stats::slow_processes(tails.baseline_quartile, of.candidate, of.enough);
  return of;
}

std::optional<SlowProcessCounts> counts(const Columns& tails, double delta, double level) {
  if (level <= 0) return std::nullopt;
  auto [candidate, enough, found] = slow_processes(tails, delta, level);
  if (found.candidate <= found.baseline)  // fewer than are enough may be slow
    found = stats::slow_processes(tails.baseline_quartile, candidate, 1);
  SlowProcessCounts counts{static_cast<int>(candidate.size()), 0, 0, enough};
  if (found.candidate <= found.baseline) return counts;
  const auto above = [cut = found.cut](const std::vector<double>& times) {
    return static_cast<int>(std::ranges::count_if(times, [&](double each) { return each > cut; }));
  };
  counts.baseline = above(tails.baseline_quartile);
  counts.candidate = above(candidate);
  return counts;
}

struct Shown {
  record::Tail tail;
  double p_value, level;
};

/// The first question that answers yes. As with medians, a change below delta does not matter, so
/// that a case that is slower throughout by less is none.
std::optional<Shown> shown(const Columns& tails, double delta, double level) {
  if (tails.median.empty() || level <= 0) return std::nullopt;
  double p = stats::signed_rank(tails.slow, 0).up;
  if (reaches(tails.slow, least_share) && p <= launches_part * level)
    return Shown{record::Tail::launches, p, launches_part * level};
  const double of_processes = processes_part * level;
  p = slow_processes(tails, delta, level).found.p;
  if (reaches(tails.median, delta) && p <= of_processes)
    return Shown{record::Tail::processes, p, of_processes};
  p = stats::signed_rank(tails.mean, delta / 2).up;
  if (reaches(tails.mean, delta) && p <= means_part * level)
    return Shown{record::Tail::means, p, means_part * level};
  p = stats::signed_rank(tails.ninetieth, delta / 2).up;
  if (reaches(tails.ninetieth, delta) && reaches(tails.mean, delta / 2) &&
      p <= nineties_part * level)
    return Shown{record::Tail::nineties, p, nineties_part * level};
  return std::nullopt;
}

/// Whether what was seen would be too small for any question.
bool does_not_matter(const Columns& tails, double delta) {
  const bool nineties = reaches(tails.ninetieth, delta) && reaches(tails.mean, delta / 2);
  return !reaches(tails.median, delta) && !reaches(tails.mean, delta) && !nineties &&
         !reaches(tails.slow, least_share);
}

/// Whether the candidate of some pair was disturbed alone.
bool has_disturbed_candidates(std::span<const PairedTimes> pairs) {
  return std::ranges::any_of(
      pairs, [](const PairedTimes& pair) { return pair.disturbed == Disturbed::candidate; });
}

/// The same, with the name of what a disturbed candidate shows.
std::optional<Shown> shown(std::span<const PairedTimes> fresh, double delta, double level) {
  std::optional<Shown> found = shown(columns(fresh), delta, level);
  if (found && has_disturbed_candidates(fresh) && !shown(columns(fresh, false), delta, level))
    found->tail = record::Tail::throttles;
  return found;
}

/// The first question that is answered by about enough: not at the levels of tests.
std::optional<record::Tail> hinted(const Columns& tails, double delta, double level) {
  if (tails.median.empty()) return std::nullopt;
  if (average(tails.slow) >= least_share && stats::signed_rank(tails.slow, 0).up <= level)
    return record::Tail::launches;
  if (average(tails.mean) >= delta && stats::signed_rank(tails.mean, delta).up <= level)
    return record::Tail::means;
  return std::nullopt;
}

/// Whether no p value of so many pairs is small enough for `level`.
bool is_out_of_reach(int pairs, double level) { return level < std::ldexp(1.0, -pairs); }

}  // namespace

TailReach tail_reach(const GatePlan& plan, double alpha) {
  if (plan.tail_looks.empty()) return {};
  const double level = plan.tail_share.back() * alpha;
  return {plan.tail_looks.back() - plan.screening_rounds, least_pairs(processes_part * level),
          least_pairs(launches_part * level)};
}

bool is_suspicious(std::span<const PairedTimes> pairs, double delta) {
  return is_suspicious(columns(pairs), delta);
}

std::span<const PairedTimes> screening_pairs(const GatePlan& plan,
                                             std::span<const PairedTimes> pairs) {
  const auto fresh = std::ranges::find_if(
      pairs, [&](const PairedTimes& pair) { return pair.round >= plan.screening_rounds; });
  return pairs.first(static_cast<std::size_t>(fresh - pairs.begin()));
}

TailDecision decide_tail(const GatePlan& plan, double alpha, double delta,
                         std::span<const PairedTimes> pairs, bool last) {
  const std::size_t screened = screening_pairs(plan, pairs).size();
  TailDecision decision;
  const auto look = [&](std::size_t count, double level) {
    const std::span<const PairedTimes> fresh = pairs.first(count).subspan(screened);
    decision.pairs = count;
    decision.slow = counts(columns(fresh), delta, level);
    if (const auto found = shown(fresh, delta, level)) {
      decision.tail = found->tail;
      decision.p_value = found->p_value;
      decision.level = found->level;
    } else {
      const Columns tails = columns(fresh);
      decision.cleared = !is_suspicious(tails, delta) || does_not_matter(tails, delta);
    }
    return decision.tail || decision.cleared;
  };
  double carry = 0, spent_here = 0;
  std::size_t taken = 0;
  int fresh = 0;  // that count
  for (std::size_t i = screened; i < pairs.size(); ++i) {
    if (pairs[i].disturbed == Disturbed::both) continue;
    spent_here = 0;
    ++fresh;
    if (taken == plan.tail_looks.size() || fresh < plan.tail_looks[taken] - plan.screening_rounds)
      continue;
    double level = plan.tail_share[taken] * alpha + carry;
    carry = 0;
    ++taken;
    // No p value of so many pairs is below 2^-fresh: the level is kept for the next look.
    if (is_out_of_reach(fresh, processes_part * level)) std::swap(carry, level);
    decision.tested = decision.tested || level > 0;
    if (look(i + 1, level)) return decision;
    spent_here = level;
  }
  if (!last || fresh == 0) return decision;
  const auto left = static_cast<std::ptrdiff_t>(taken);
  const double level =
      std::accumulate(plan.tail_share.begin() + left, plan.tail_share.end(), 0.0) * alpha + carry +
      spent_here;
  look(pairs.size(), level);
  decision.tested = decision.tested || !is_out_of_reach(fresh, least_part * level);
  decision.cleared = decision.cleared && decision.tested;
  return decision;
}

std::optional<record::Tail> tail_in_doubt(std::span<const PairedTimes> pairs, double delta,
                                          int cases) {
  const double level = doubtful_p / cases;
  const std::optional<record::Tail> found = hinted(columns(pairs), delta, level);
  if (found && has_disturbed_candidates(pairs) && !hinted(columns(pairs, false), delta, level))
    return record::Tail::throttles;
  return found;
}

}  // namespace ridgeline::analysis
