#include "harness/analysis/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/core.h>

#include "harness/analysis/gate_decision.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/rank_sum.hpp"

namespace ridgeline::analysis {
namespace {

constexpr double same_level = 0.05 + 1e-12;  // three processes a side reach exactly 1/20

/// What one run has of one case.
struct Side {
  record::Outcome outcome = record::Outcome::crashed;
  std::string reason;
  std::vector<double> medians_ns;         // of the processes that nothing disturbed
  std::map<std::string, double> metrics;  // by name
};

/// By name, and the names in the order of by_case.
struct Sides {
  std::map<std::string, Side> sides;
  std::vector<std::string> names;
};

Sides sides_of(const std::vector<store::StoredMeasurement>& measurements) {
  Sides all;
  for (const CaseSummary& summary : summarise(measurements, {})) {
    const std::string name = record::name(summary.case_info.id);
    Side& side = all.sides[name];
    side.outcome = summary.outcome;
    side.reason = summary.reason;
    if (!summary.disturbed) side.medians_ns = summary.medians_ns;
    for (const record::Metric& metric : summary.metrics) side.metrics[metric.name] = metric.value;
    all.names.push_back(name);
  }
  return all;
}

std::vector<double> logarithms(const std::vector<double>& times_ns) {
  std::vector<double> result;
  for (const double time_ns : times_ns) result.push_back(std::log(time_ns));
  return result;
}

/// Whether both changes, of `delta` up and of `delta` down, are ruled out.
bool is_same(const std::vector<double>& then, const std::vector<double>& now, double delta) {
  return stats::rank_sum(then, now, delta).down <= same_level && stats::rank_sum(now, then, delta).down <= same_level;
}

void compare_outcomes(Reproduction& result, const Side& then, const Side& now) {
  const std::string_view before = record::to_string(then.outcome), after = record::to_string(now.outcome);
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
void compare_counts(Reproduction& result, const Side& then, const Side& now) {
  const auto shown = [](const std::map<std::string, double>& metrics, const std::string& name) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::string("absent") : fmt::format("{}", found->second);
  };
  std::set<std::string> names;
  for (const Side* side : {&then, &now})
    for (const auto& [name, value] : side->metrics) names.insert(name);
  for (const std::string& name : names) {
    if (shown(then.metrics, name) == shown(now.metrics, name)) continue;
    result.reproduced = Reproduced::no;
    result.reason = fmt::format("{}: {} then, {} now", name, shown(then.metrics, name), shown(now.metrics, name));
    return;
  }
  result.reproduced = Reproduced::yes;
  result.reason = "the same counts again";
}

void compare_times(Reproduction& result, const Side& then, const Side& now, const GatePlan& plan, const CaseRule& rule,
                   int cases) {
  result.then_processes = static_cast<int>(then.medians_ns.size());
  result.now_processes = static_cast<int>(now.medians_ns.size());
  if (then.medians_ns.empty() || now.medians_ns.empty()) {
    result.reason =
        fmt::format("{} no undisturbed process", then.medians_ns.empty() ? "the repeated run has" : "the repeat has");
    return;
  }
  result.then_ns = stats::median(then.medians_ns);
  result.now_ns = stats::median(now.medians_ns);
  const Decision slower = decide_unpaired(plan, rule, cases, then.medians_ns, now.medians_ns);
  result.ratio = std::exp(slower.estimate);
  if (std::isfinite(slower.interval.low)) result.ratio_low = std::exp(slower.interval.low);
  if (std::isfinite(slower.interval.high)) result.ratio_high = std::exp(slower.interval.high);
  if (slower.verdict == record::Verdict::regression || slower.verdict == record::Verdict::improvement) {
    result.reproduced = Reproduced::no;
    return;
  }
  if (is_same(logarithms(then.medians_ns), logarithms(now.medians_ns), std::log1p(rule.delta))) {
    result.reproduced = Reproduced::yes;
    return;
  }
  result.reason = too_few_processes(result.then_processes, result.now_processes, cases);
}

}  // namespace

std::string_view to_string(Reproduced reproduced) {
  switch (reproduced) {
    case Reproduced::no:
      return "no";
    case Reproduced::yes:
      return "yes";
    case Reproduced::undecided:
      break;
  }
  return "undecided";
}

std::string too_few_processes(int then, int now, int cases) {
  const int least = least_processes({}, cases);
  if (!can_reach(static_cast<std::size_t>(then), static_cast<std::size_t>(now), same_level))
    return fmt::format("too few processes to say: {} then, {} now; 3 and 3 may show that it is the same", then, now);
  if (std::min(then, now) < least)
    return fmt::format("too few processes to show a change: {} then, {} now; {} and {} can", then, now, least, least);
  return {};
}

std::vector<Reproduction> reproductions(const std::vector<store::StoredMeasurement>& then,
                                        const std::vector<store::StoredMeasurement>& now, DeviceKind kind) {
  const Sides before = sides_of(then), after = sides_of(now);
  const GatePlan plan = plan_for(kind);
  CaseRule rule;
  rule.delta = default_delta(kind);
  std::vector<Reproduction> all;
  for (const std::string& name : before.names) {
    const Side& old_side = before.sides.at(name);
    Reproduction& result = all.emplace_back();
    result.case_name = name;
    result.delta = rule.delta;
    const auto found = after.sides.find(name);
    if (found == after.sides.end() || found->second.outcome == record::Outcome::not_measured)
      result.reason = "not measured again";
    else if (old_side.outcome == record::Outcome::not_measured)
      result.reason = "not measured then";
    else if (record::has_samples(old_side.outcome) && record::has_samples(found->second.outcome))
      compare_times(result, old_side, found->second, plan, rule, static_cast<int>(before.names.size()));
    else if (old_side.outcome == record::Outcome::counted && found->second.outcome == record::Outcome::counted)
      compare_counts(result, old_side, found->second);
    else
      compare_outcomes(result, old_side, found->second);
  }
  return all;
}

}  // namespace ridgeline::analysis
