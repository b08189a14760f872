#include "harness/analysis/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "harness/analysis/count_decision.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/analysis/unpaired_decision.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/rank_sum.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double same_level = 0.05 + 1e-12;  // three processes per side reach exactly 1/20

std::vector<double> logarithms(const std::vector<double>& times_ns) {
  std::vector<double> result;
  for (const double time_ns : times_ns) result.push_back(std::log(time_ns));
  return result;
}

/// Whether both changes, of `delta` up and of `delta` down, are ruled out.
bool is_same(const std::vector<double>& then, const std::vector<double>& now, double delta) {
  return stats::rank_sum(then, now, delta).down <= same_level &&
         stats::rank_sum(now, then, delta).down <= same_level;
}

void compare_outcomes(Reproduction& result, const CaseSummary& then, const CaseSummary& now) {
  const std::string_view before = record::to_string(then.outcome),
                         after = record::to_string(now.outcome);
  const std::string why = now.reason.empty() ? "" : ": " + now.reason;
  if (then.outcome == now.outcome) {
    result.reproduced = Reproduced::yes;
    result.reason = fmt::format("{} again{}", after, why);
  } else {
    result.reproduced = Reproduced::no;
    result.reason = fmt::format("{} then, {} now{}", before, after, why);
  }
}

/// Counts are exact: a single one that differs is a difference.
void compare_counts(Reproduction& result, const CaseSummary& then, const CaseSummary& now) {
  const auto shown = [](std::optional<double> value) {
    return value ? fmt::format("{}", *value) : "absent";
  };
  for (const MetricChange& metric : compare_metrics(then.metrics, now.metrics, {})) {
    if (metric.baseline == metric.candidate) continue;
    result.reproduced = Reproduced::no;
    result.reason = fmt::format("{}: {} then, {} now", metric.name, shown(metric.baseline),
                                shown(metric.candidate));
    return;
  }
  result.reproduced = Reproduced::yes;
  result.reason = "the same counts again";
}

/// Medians of the processes that nothing disturbed.
void compare_times(Reproduction& result, const std::vector<double>& then,
                   const std::vector<double>& now, const GatePlan& plan, const CaseRule& rule,
                   int cases) {
  result.then_processes = static_cast<int>(then.size());
  result.now_processes = static_cast<int>(now.size());
  if (then.empty() || now.empty()) {
    result.reason = fmt::format("{} no undisturbed process",
                                then.empty() ? "the repeated run has" : "the repeat has");
    return;
  }
  result.then_ns = stats::median(then);
  result.now_ns = stats::median(now);
  const Decision slower = decide_unpaired(plan, rule, cases, then, now);
  result.ratio = ratio_of(slower.estimate);
  result.ratio_low = ratio_of(slower.interval.low);
  result.ratio_high = ratio_of(slower.interval.high);
  if (slower.verdict == record::Verdict::regression ||
      slower.verdict == record::Verdict::improvement) {
    result.reproduced = Reproduced::no;
    return;
  }
  if (is_same(logarithms(then), logarithms(now), std::log1p(rule.delta))) {
    result.reproduced = Reproduced::yes;
    return;
  }
  result.reason = too_few_processes(result.then_processes, result.now_processes, cases);
}

}  // namespace

std::string too_few_processes(int then, int now, int cases) {
  const int least = least_processes({}, cases);
  if (!can_reach(static_cast<std::size_t>(then), static_cast<std::size_t>(now), same_level))
    return fmt::format(
        "too few processes to say: {} then, {} now; 3 and 3 may show that it is the same", then,
        now);
  if (std::min(then, now) < least)
    return fmt::format("too few processes to show a change: {} then, {} now; {} and {} can", then,
                       now, least, least);
  return {};
}

std::vector<Reproduction> reproductions(const std::vector<store::StoredMeasurement>& then,
                                        const std::vector<store::StoredMeasurement>& now,
                                        DeviceKind kind) {
  const std::vector<CaseSummary> before = summarise(then, {}, std::nullopt),
                                 after = summarise(now, {}, std::nullopt);
  std::map<std::string, const CaseSummary*> repeated;
  for (const CaseSummary& summary : after)
    repeated.emplace(record::name(summary.case_info.id), &summary);
  const auto undisturbed = [](const CaseSummary& summary) {
    return summary.disturbed ? std::vector<double>() : summary.medians_ns;
  };
  const GatePlan plan = plan_for(kind);
  CaseRule rule;
  rule.delta = default_delta(kind);
  std::vector<Reproduction> all;
  for (const CaseSummary& first : before) {
    Reproduction& result = all.emplace_back();
    result.case_name = record::name(first.case_info.id);
    result.delta = rule.delta;
    const auto found = repeated.find(result.case_name);
    const CaseSummary* again = found == repeated.end() ? nullptr : found->second;
    if (!again || again->outcome == record::Outcome::not_measured)
      result.reason = "not measured again";
    else if (first.outcome == record::Outcome::not_measured)
      result.reason = "not measured then";
    else if (record::has_samples(first.outcome) && record::has_samples(again->outcome))
      compare_times(result, undisturbed(first), undisturbed(*again), plan, rule,
                    static_cast<int>(before.size()));
    else if (first.outcome == record::Outcome::counted &&
             again->outcome == record::Outcome::counted)
      compare_counts(result, first, *again);
    else
      compare_outcomes(result, first, *again);
  }
  return all;
}

}  // namespace ridgeline::analysis
