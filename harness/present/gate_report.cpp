#include "harness/present/gate_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/core.h>

#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/store/read_gates.hpp"

namespace ridgeline::present {
namespace {

using record::CaseVerdict;
using record::Verdict;

/// Of the logarithms, so that twice as fast is as large as twice as slow; unknown ones come last.
/// Of counts, from and to zero is the largest.
double change(const CaseVerdict& verdict) {
  const bool from_or_to_zero = verdict.baseline_value != verdict.candidate_value && !verdict.ratio;
  if (is_decided(verdict.verdict) && from_or_to_zero) return HUGE_VAL;
  return verdict.ratio && *verdict.ratio > 0 ? std::abs(std::log(*verdict.ratio)) : -1;
}

}  // namespace

bool is_decided(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::tail ||
         verdict == Verdict::improvement || verdict == Verdict::pass ||
         verdict == Verdict::same_code;
}

bool is_doubtful(const CaseVerdict& verdict) {
  return verdict.verdict == Verdict::undecided || verdict.verdict == Verdict::no_baseline ||
         verdict.verdict == Verdict::invalid_environment ||
         verdict.verdict == Verdict::not_measured || verdict.no_room || verdict.tail_suspected;
}

bool is_decided(const std::vector<CaseVerdict>& verdicts) {
  using std::ranges::any_of;
  const bool compared = any_of(verdicts, [](const CaseVerdict& v) {
    return is_decided(v.verdict) && v.verdict != Verdict::same_code;
  });
  // Cases of the same code decide nothing for one that could not be compared.
  return compared ||
         (any_of(verdicts, [](const CaseVerdict& v) { return v.verdict == Verdict::same_code; }) &&
          !any_of(verdicts, [](const CaseVerdict& v) { return is_doubtful(v); }));
}

bool is_strict(const record::Gate& gate) {
  const std::optional<json::Value> options = json::try_parse(gate.options);
  const json::Value* strict = options ? options->find("strict") : nullptr;
  return strict != nullptr && *strict == json::Value(true);
}

Expected expected(const CaseVerdict& verdict) {
  if (verdict.expectation.empty()) return Expected::nothing;
  switch (verdict.verdict) {
    case Verdict::regression:
      if (verdict.expected) return Expected::met;
      return verdict.expectation_over ? Expected::over : Expected::exceeded;
    case Verdict::tail:
      return verdict.expected ? Expected::met : Expected::open;
    case Verdict::undecided:
      return Expected::open;
    case Verdict::improvement:
    case Verdict::pass:
      return Expected::unmet;
    default:
      return Expected::untested;
  }
}

bool fails(const CaseVerdict& verdict) {
  const Expected state = expected(verdict);
  const bool slower = verdict.verdict == Verdict::regression || verdict.verdict == Verdict::tail;
  return record::is_failure(verdict.verdict) || (slower && state != Expected::met) ||
         state == Expected::unmet;
}

bool fails(const GateReport& report) {
  if (report.gate.status == record::RunStatus::running)
    return std::ranges::any_of(report.verdicts, [](const CaseVerdict& v) { return fails(v); });
  return report.exit_code != fine && report.exit_code != undecided;
}

bool is_doubtful(const GateReport& report) {
  return report.gate.status == record::RunStatus::running || report.exit_code == undecided ||
         std::ranges::any_of(report.verdicts, [](const CaseVerdict& v) { return is_doubtful(v); });
}

void sort_by_importance(std::vector<CaseVerdict>& verdicts) {
  const auto key = [](const CaseVerdict& v) {
    const Verdict group = expected(v) == Expected::unmet ? Verdict::regression : v.verdict;
    return std::tuple(group, !fails(v), v.verdict, -change(v), std::string_view(v.case_name));
  };
  std::ranges::sort(verdicts,
                    [&](const CaseVerdict& a, const CaseVerdict& b) { return key(a) < key(b); });
}

int gate_exit_code(record::RunStatus status, const std::vector<CaseVerdict>& verdicts,
                   bool strict) {
  using std::ranges::any_of;
  if (status == record::RunStatus::interrupted) return interrupted;
  if (status != record::RunStatus::finished ||
      any_of(verdicts, [](const CaseVerdict& v) { return record::is_failure(v.verdict); }))
    return not_all_measured;
  if (any_of(verdicts, [](const CaseVerdict& v) { return fails(v); })) return regression;
  const bool doubted =
      any_of(verdicts, [&](const CaseVerdict& v) { return v.doubt || (strict && is_doubtful(v)); });
  return is_decided(verdicts) && !doubted ? fine : undecided;
}

int gate_exit_code(std::span<const GateReport> reports) {
  for (const int code : {interrupted, not_all_measured, regression, undecided})
    if (std::ranges::find(reports, code, &GateReport::exit_code) != reports.end()) return code;
  return fine;
}

std::map<std::string, std::vector<analysis::BesideTimes>> beside_times(store::Connection& store,
                                                                       const record::Gate& gate) {
  struct OfSides {
    std::vector<record::Metric> baseline, candidate;
  };
  std::map<std::string, OfSides> said;
  for (const store::PairMetric& each : store::pair_metrics(store, gate.id)) {
    OfSides& of = said[each.case_name];
    (each.candidate ? of.candidate : of.baseline).push_back(each.metric);
  }
  std::map<std::string, std::vector<analysis::BesideTimes>> beside;
  for (const auto& [name, of] : said)
    beside[name] = analysis::beside_times(of.baseline, of.candidate);
  return beside;
}

std::string verdict_counts(const std::vector<CaseVerdict>& verdicts) {
  std::map<Verdict, std::int64_t> counts;
  for (const CaseVerdict& each : verdicts) ++counts[each.verdict];
  return verdict_counts(
      {counts.begin(), counts.end()}, std::ranges::count_if(verdicts, [](const CaseVerdict& each) {
        return each.verdict == Verdict::regression && expected(each) == Expected::met;
      }));
}

std::string verdict_counts(const std::vector<std::pair<Verdict, std::int64_t>>& counts,
                           std::int64_t expected) {
  std::string text;
  for (const auto& [verdict, count] : counts) {
    const bool noun = verdict == Verdict::regression || verdict == Verdict::improvement ||
                      verdict == Verdict::tail;
    const std::string_view word = record::to_string(verdict);
    text += text.empty() ? "" : ", ";
    text += noun ? units::plural(count, word) : fmt::format("{} {}", count, word);
    if (verdict == Verdict::regression && expected > 0)
      text += fmt::format(" ({} expected)", expected);
  }
  return text;
}

}  // namespace ridgeline::present
