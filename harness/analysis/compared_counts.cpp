#include "harness/analysis/compared_counts.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {
namespace {

using record::Measurement;
using record::Outcome;

std::map<std::string, CaseProcesses> by_name(
    const std::vector<store::StoredMeasurement>& measurements) {
  std::map<std::string, CaseProcesses> found;
  for (CaseProcesses& processes : by_case(measurements))
    found.emplace(record::name(processes.back()->case_info.id), std::move(processes));
  return found;
}

/// Why this side has no counts; empty when it has. One failure is a failure of the case.
std::string uncounted(const char* side, const CaseProcesses& processes) {
  for (const store::StoredMeasurement* one : processes) {
    const Measurement& m = one->measurement;
    if (m.outcome != Outcome::counted)
      return fmt::format("{}: {}", side, in_words(m.outcome, m.reason));
  }
  return {};
}

Executions executions(const CaseProcesses& processes) {
  Executions found;
  for (const store::StoredMeasurement* one : processes) found.push_back(&one->measurement);
  return found;
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
    if (other == others.end() || !any_matches(patterns, name)) continue;
    ComparedCounts& one = found.emplace_back();
    one.name = name;
    one.not_compared = uncounted("A", own);
    if (one.not_compared.empty()) one.not_compared = uncounted("B", other->second);
    if (!one.not_compared.empty()) continue;
    const auto [first, second] = alike(executions(own), executions(other->second));
    one.other_inputs = first->seed != second->seed;
    for (const MetricChange& change :
         compare_metrics(first->metrics, second->metrics, CaseRule{})) {
      if (change.baseline && change.candidate && *change.baseline == *change.candidate)
        ++one.equal;
      else
        one.changed.push_back(change);
    }
  }
  return found;
}

}  // namespace ridgeline::analysis
