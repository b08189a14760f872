#include "harness/analysis/count_decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::analysis {
namespace {

using record::Direction;
using record::Metric;
using record::Verdict;
using Changes = std::vector<const MetricChange*>;

constexpr std::size_t named = 3;  // metrics of a kind that a reason names
// A change that is exactly what is allowed must not be more because of how 0.1 is written in
// binary.
constexpr double allowance_slack = 1e-9;

Change change_of(Direction direction, double baseline, double candidate, double allowed) {
  if (direction == Direction::none) return Change::fact;
  if (baseline == candidate) return Change::equal;
  const double smaller = std::min(std::abs(baseline), std::abs(candidate));
  if (std::abs(candidate - baseline) <= allowed * smaller * (1 + allowance_slack))
    return Change::within;
  return (candidate > baseline) == (direction == Direction::lower) ? Change::worse : Change::better;
}

/// The same for twice as much and half as much; infinite from and to 0.
double size(const MetricChange& change) {
  if (!change.baseline || !change.candidate || *change.baseline == *change.candidate) return 0;
  const double quotient = *change.candidate / *change.baseline;
  return quotient > 0 && std::isfinite(quotient) ? std::abs(std::log(quotient))
                                                 : std::numeric_limits<double>::infinity();
}

/// The largest first.
Changes those(const std::vector<MetricChange>& all, Change kind) {
  Changes found;
  for (const MetricChange& each : all)
    if (each.change == kind) found.push_back(&each);
  std::ranges::stable_sort(found, {}, [](const MetricChange* each) { return -size(*each); });
  return found;
}

std::string words(const MetricChange& each) {
  const std::string name = printable(each.name, 100);
  if (!each.baseline) return name + " (the candidate alone)";
  if (!each.candidate) return name + " (the baseline alone)";
  if (each.change == Change::one_side) return name + " (in another unit or direction)";
  const auto [baseline, candidate] = units::counts(*each.baseline, *each.candidate);
  return fmt::format("{} {} -> {}", name, baseline, candidate);
}

/// "also worse: barriers 2 -> 4, atomics 1 -> 2 and 3 more", without the one that the verdict
/// names.
void name_others(std::vector<std::string>& parts, const char* what, const Changes& changes,
                 const MetricChange* decided) {
  std::vector<std::string> texts;
  std::size_t more = 0;
  for (const MetricChange* each : changes) {
    if (each == decided || (each->change == Change::fact && each->baseline == each->candidate))
      continue;
    if (texts.size() < named)
      texts.push_back(words(*each));
    else
      ++more;
  }
  if (texts.empty()) return;
  parts.push_back(fmt::format("{}: {}{}", what, fmt::join(texts, ", "),
                              more > 0 ? fmt::format(" and {} more", more) : ""));
}

/// Of a pass: what changed the most, else one that there is something to count of.
const MetricChange* one_of(const std::vector<MetricChange>& all, const Changes& better,
                           const Changes& within) {
  if (!better.empty()) return better.front();
  if (!within.empty()) return within.front();
  const Changes equal = those(all, Change::equal);
  const auto counted =
      std::ranges::find_if(equal, [](const MetricChange* each) { return *each->baseline != 0; });
  return counted != equal.end() ? *counted : equal.empty() ? nullptr : equal.front();
}

}  // namespace

std::vector<MetricChange> compare_metrics(std::span<const Metric> baseline,
                                          std::span<const Metric> candidate, const CaseRule& rule) {
  std::map<std::string, std::pair<const Metric*, const Metric*>> by_name;
  for (const Metric& metric : baseline) by_name[metric.name].first = &metric;
  for (const Metric& metric : candidate) by_name[metric.name].second = &metric;
  std::vector<MetricChange> changes;
  for (const auto& [name, both] : by_name) {
    const auto [old_one, new_one] = both;
    MetricChange& made = changes.emplace_back();
    const Metric& known = new_one ? *new_one : *old_one;
    made.name = name;
    made.unit = known.unit;
    made.direction = known.direction;
    const auto own = rule.metric_counts.find(name);
    made.allowed = own != rule.metric_counts.end() ? own->second : rule.counts;
    if (old_one) made.baseline = old_one->value;
    if (new_one) made.candidate = new_one->value;
    const bool shared = old_one && new_one;
    if (shared && old_one->unit == new_one->unit && old_one->direction == new_one->direction)
      made.change = change_of(made.direction, *made.baseline, *made.candidate, made.allowed);
    else
      made.change = !shared && known.direction == Direction::none ? Change::fact : Change::one_side;
  }
  return changes;
}

std::optional<double> ratio(const MetricChange& change) {
  if (!change.baseline || !change.candidate || !(*change.baseline > 0) || !(*change.candidate > 0))
    return std::nullopt;
  const double quotient = *change.candidate / *change.baseline;
  return quotient > 0 && std::isfinite(quotient) ? std::optional(quotient) : std::nullopt;
}

std::vector<std::string> differences(const std::vector<MetricChange>& changes) {
  Changes found;
  for (const MetricChange& each : changes)
    if (each.baseline != each.candidate || each.change == Change::one_side) found.push_back(&each);
  std::ranges::stable_sort(found, {}, [](const MetricChange* each) { return -size(*each); });
  std::vector<std::string> texts;
  for (const MetricChange* each : found) texts.push_back(words(*each));
  return texts;
}

void judge_counts(record::CaseVerdict& verdict, std::span<const Metric> baseline,
                  std::span<const Metric> candidate, const CaseRule& rule) {
  const std::vector<MetricChange> all = compare_metrics(baseline, candidate, rule);
  const Changes worse = those(all, Change::worse), better = those(all, Change::better),
                within = those(all, Change::within), apart = those(all, Change::one_side);
  const MetricChange* decided = nullptr;
  if (!worse.empty()) {
    verdict.verdict = Verdict::regression;
    decided = worse.front();
  } else if (!apart.empty()) {
    verdict.verdict = Verdict::undecided;
    decided = apart.front();
  } else if (!better.empty() && rule.looking == Looking::both) {
    verdict.verdict = Verdict::improvement;
    decided = better.front();
  } else {
    decided = one_of(all, better, within);
    verdict.verdict = decided ? Verdict::pass : Verdict::undecided;
  }

  std::vector<std::string> parts;
  if (!decided) parts.emplace_back("neither side counts anything that could be judged");
  name_others(parts, "also worse", worse, decided);
  name_others(parts, "cannot be compared", apart, nullptr);
  name_others(parts, worse.empty() ? "also better" : "better", better, decided);
  name_others(parts, "within the rules", within, decided);
  name_others(parts, "not judged", those(all, Change::fact), nullptr);
  const std::size_t equal = those(all, Change::equal).size();
  if (verdict.verdict == Verdict::pass && better.empty() && within.empty())
    parts.insert(parts.begin(), fmt::format("all {} judged metrics are equal", equal));
  verdict.reason = fmt::to_string(fmt::join(parts, "; "));
  if (!decided) return;
  verdict.metric = decided->name;
  verdict.baseline_value = decided->baseline;
  verdict.candidate_value = decided->candidate;
  verdict.delta = decided->allowed;
  if (decided->change != Change::one_side) verdict.ratio = ratio(*decided);
  if (verdict.verdict == Verdict::regression) {
    // Of a metric that should be high, it is the fall that must not be larger than what is
    // expected.
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool falls = decided->direction == Direction::higher && verdict.ratio;
    verdict.expected =
        is_as_expected(rule, falls ? 1 / *verdict.ratio : verdict.ratio.value_or(infinity));
  }
}

}  // namespace ridgeline::analysis
