#include "harness/cli/gate_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/cli/command.hpp"

namespace ridgeline::cli {
namespace {

using record::CaseVerdict;
using record::Verdict;

/// What was compared and answered: the gate did its work for this case.
bool is_decided(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::improvement || verdict == Verdict::pass;
}

/// Of the logarithms, so that twice as fast is as large as twice as slow; unknown ones come last.
double change(const CaseVerdict& verdict) {
  return verdict.ratio && *verdict.ratio > 0 ? std::abs(std::log(*verdict.ratio)) : -1;
}

}  // namespace

Expected expected(const CaseVerdict& verdict) {
  if (verdict.expectation.empty()) return Expected::nothing;
  if (verdict.verdict == Verdict::regression) return verdict.expected ? Expected::met : Expected::over;
  return is_decided(verdict.verdict) || verdict.verdict == Verdict::undecided ? Expected::unmet : Expected::untested;
}

bool fails(const CaseVerdict& verdict) {
  const Expected state = expected(verdict);
  return record::is_failure(verdict.verdict) || (verdict.verdict == Verdict::regression && state != Expected::met) ||
         state == Expected::unmet;
}

void sort_by_importance(std::vector<CaseVerdict>& verdicts) {
  const auto key = [](const CaseVerdict& v) {
    const Verdict group = expected(v) == Expected::unmet ? Verdict::regression : v.verdict;
    return std::tuple(group, !fails(v), v.verdict, -change(v), std::string_view(v.case_name));
  };
  std::ranges::sort(verdicts, [&](const CaseVerdict& a, const CaseVerdict& b) { return key(a) < key(b); });
}

int gate_exit_code(record::RunStatus status, const std::vector<CaseVerdict>& verdicts, bool strict) {
  using std::ranges::any_of;
  if (status == record::RunStatus::interrupted) return interrupted;
  const auto doubtful = [](const CaseVerdict& v) {
    return v.verdict == Verdict::undecided || v.verdict == Verdict::no_baseline ||
           v.verdict == Verdict::invalid_environment;
  };
  if (status != record::RunStatus::finished ||
      any_of(verdicts, [](const CaseVerdict& v) { return record::is_failure(v.verdict); }))
    return not_all_measured;
  if (any_of(verdicts, fails)) return regression;
  const bool decided = any_of(verdicts, [](const CaseVerdict& v) { return is_decided(v.verdict); });
  return !decided || (strict && any_of(verdicts, doubtful)) ? undecided : fine;
}

std::string verdict_counts(const std::vector<CaseVerdict>& verdicts) {
  struct Count {
    int all = 0, expected = 0;
  };
  std::map<Verdict, Count> counts;
  for (const CaseVerdict& each : verdicts) {
    ++counts[each.verdict].all;
    counts[each.verdict].expected += expected(each) == Expected::met;
  }
  std::string text;
  for (const auto& [verdict, count] : counts) {
    const bool noun = verdict == Verdict::regression || verdict == Verdict::improvement;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count.all, record::to_string(verdict),
                        noun && count.all != 1 ? "s" : "");
    if (count.expected > 0) text += fmt::format(" ({} expected)", count.expected);
  }
  return text;
}

}  // namespace ridgeline::cli
