#include "harness/analysis/compared_counts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

using record::Measurement;
using record::Outcome;

std::map<std::string, CaseProcesses> by_name(const std::vector<store::StoredMeasurement>& measurements) {
  std::map<std::string, CaseProcesses> found;
  for (CaseProcesses& processes : by_case(measurements))
    found.emplace(record::name(processes.back()->case_info.id), std::move(processes));
  return found;
}

/// Why this side has no counts; empty when it has. One failure is a failure of the case.
std::string uncounted(const char* side, const CaseProcesses& processes) {
  for (const store::StoredMeasurement* one : processes) {
    const Measurement& m = one->measurement;
    if (m.outcome == Outcome::counted) continue;
    const std::string_view outcome = record::to_string(m.outcome);
    return fmt::format("{}: {}", side,
                       m.reason.empty() || m.reason.starts_with(outcome)
                           ? printable(m.reason.empty() ? outcome : m.reason, 1000)
                           : fmt::format("{}: {}", outcome, printable(m.reason, 1000)));
  }
  return {};
}

/// Two executions, of the same inputs where there are such.
std::pair<const Measurement*, const Measurement*> executions(const CaseProcesses& a, const CaseProcesses& b) {
  for (const store::StoredMeasurement* one : a)
    for (const store::StoredMeasurement* other : b)
      if (one->measurement.seed == other->measurement.seed) return {&one->measurement, &other->measurement};
  return {&a.front()->measurement, &b.front()->measurement};
}

}  // namespace

std::vector<ComparedCounts> compare_counts(const std::vector<store::StoredMeasurement>& a,
                                           const std::vector<store::StoredMeasurement>& b,
                                           const std::vector<std::string>& patterns) {
  const std::map<std::string, CaseProcesses> others = by_name(b);
  std::vector<ComparedCounts> found;
  for (const CaseProcesses& own : by_case(a)) {
    const std::string name = record::name(own.back()->case_info.id);
    const auto other = others.find(name);
    const bool picked =
        patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& p) { return matches(p, name); });
    if (other == others.end() || !picked) continue;
    ComparedCounts& one = found.emplace_back();
    one.name = name;
    one.not_compared = uncounted("A", own);
    if (one.not_compared.empty()) one.not_compared = uncounted("B", other->second);
    if (!one.not_compared.empty()) continue;
    const auto [first, second] = executions(own, other->second);
    one.other_inputs = first->seed != second->seed;
    for (const MetricChange& change : compare_metrics(first->metrics, second->metrics, CaseRule{})) {
      if (change.baseline && change.candidate && *change.baseline == *change.candidate)
        ++one.equal;
      else
        one.changed.push_back(change);
    }
  }
  return found;
}

}  // namespace ridgeline::analysis
