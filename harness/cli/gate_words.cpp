#include "harness/cli/gate_words.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/repeat.hpp"

namespace ridgeline::cli {
namespace {

using record::CaseVerdict;
using record::Verdict;

/// A name cut at its first two slashes: suite, variant, rest.
struct Parts {
  std::string_view suite, variant, rest;
};

Parts parts(std::string_view name) {
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string_view::npos ? first : name.find('/', first + 1);
  if (second == std::string_view::npos) return {name, {}, {}};
  return {name.substr(0, first), name.substr(first + 1, second - first - 1), name.substr(second)};
}

std::string other_case(const CaseVerdict& verdict) {
  if (verdict.baseline_case.empty() || verdict.baseline_case == verdict.case_name) return {};
  const Parts mine = parts(verdict.case_name), other = parts(verdict.baseline_case);
  const bool only_variant = !other.variant.empty() && mine.suite == other.suite && mine.rest == other.rest;
  return only_variant ? std::string(other.variant) : verdict.baseline_case;
}

std::string interval(const CaseVerdict& verdict) {
  if (!verdict.ratio) return {};
  const auto end = [&](const std::optional<double>& ratio) {
    return ratio ? signed_percent(*ratio, verdict.delta) : "no bound";
  };
  return fmt::format("[{}, {}]", end(verdict.ratio_low), end(verdict.ratio_high));
}

/// Behind the verdict: what the rules expected of it.
const char* mark(Expected state) {
  switch (state) {
    case Expected::met:
      return " (expected)";
    case Expected::over:
      return " (no longer expected)";
    case Expected::unmet:
      return " (regression expected)";
    case Expected::nothing:
    case Expected::untested:
      break;
  }
  return "";
}

std::string why(const CaseVerdict& verdict) {
  std::vector<std::string> reasons;
  const auto add = [&](std::string reason) {
    if (!reason.empty()) reasons.push_back(std::move(reason));
  };
  if (!verdict.expectation.empty()) add("expected to be slower: " + verdict.expectation);
  add(verdict.reason);
  if (verdict.verdict == Verdict::undecided && verdict.smallest_effect)
    add(fmt::format("about {} could have been found", units::percent(*verdict.smallest_effect)));
  if (verdict.p_value && verdict.level) add(fmt::format("p {:.2g}, level {:.2g}", *verdict.p_value, *verdict.level));
  return fmt::to_string(fmt::join(reasons, "; "));
}

}  // namespace

std::string signed_percent(double ratio, double delta) {
  const double percent = 100 * (ratio - 1);
  const int digits = std::abs(percent) >= 100 ? 0 : delta > 0 && delta < 0.02 ? 2 : 1;
  std::string text = fmt::format("{:+.{}f}%", percent, digits);
  if (text.find_first_of("123456789") == std::string::npos && std::isfinite(percent)) text.erase(0, 1);  // no "-0.0%"
  return text;
}

GateRow gate_row(const CaseVerdict& verdict) {
  GateRow row;
  row.case_name = verdict.case_name;
  row.baseline = other_case(verdict);
  row.verdict = std::string(record::to_string(verdict.verdict)) + mark(expected(verdict));
  if (verdict.ratio) row.change = signed_percent(*verdict.ratio, verdict.delta);
  row.interval = interval(verdict);
  const bool compared = verdict.pairs > 0 || verdict.dropped > 0;
  if (compared) row.delta = units::plain(100 * verdict.delta) + "%";
  if (compared) row.pairs = std::to_string(verdict.pairs);
  if (verdict.dropped > 0) row.pairs += fmt::format(" ({} dropped)", verdict.dropped);
  if (verdict.noise) row.noise = units::percent(*verdict.noise);
  row.why = why(verdict);
  return row;
}

std::string change_with_interval(const GateRow& row) {
  return row.change.empty() ? "" : fmt::format("{} {}", row.change, row.interval);
}

std::string gate_title(const record::Gate& gate, const record::Device& device) {
  return fmt::format("gate {}: {} against {} on {}{}", gate.id, gate.candidate, gate.baseline, device.model,
                     gate.aa ? " (A/A: both sides are the same code)" : "");
}

std::vector<std::string> conclusions(const GateReport& report) {
  std::vector<std::string> lines;
  const std::size_t n = report.verdicts.size();
  lines.push_back(n == 0 ? "no case was compared"
                         : fmt::format("{} case{}: {}", n, n == 1 ? "" : "s", verdict_counts(report.verdicts)));
  const auto count = [&](Expected state) {
    return std::ranges::count_if(report.verdicts, [&](const CaseVerdict& v) { return expected(v) == state; });
  };
  if (const auto unmet = count(Expected::unmet); unmet > 0)
    lines.push_back(fmt::format("{} expected regression{} not seen: where it is gone, take it out of the rules", unmet,
                                unmet == 1 ? " was" : "s were"));
  if (const auto over = count(Expected::over); over > 0)
    lines.push_back(fmt::format("{} regression{} no longer expected: the date in the rules has passed", over,
                                over == 1 ? " is" : "s are"));
  if (report.gate.status == record::RunStatus::running) {
    lines.push_back("the gate has not ended");
    return lines;
  }
  switch (report.exit_code) {
    case fine:
      lines.push_back("the gate passes");
      break;
    case regression:
      lines.push_back("the gate fails");
      break;
    case not_all_measured:
      lines.push_back("the gate fails: not everything could be measured");
      break;
    case undecided:
      lines.push_back("the gate does not pass: too little could be decided");
      break;
    default:
      lines.push_back("the gate was interrupted");
  }
  return lines;
}

std::string resume_command(const record::Gate& gate) {
  if (gate.status != record::RunStatus::interrupted) return {};
  std::vector<std::string> words{"ridgeline", "gate", "--resume", gate.id};
  if (const auto folders = values_of(gate.command_line, "--results"); !folders.empty())
    words.insert(words.end(), {"--results", folders.back()});
  return shell_line(words);
}

std::string counted(const record::Gate& gate) { return gate.mode == "runs" ? "processes" : "pairs"; }

bool compares_variants(const GateReport& report) {
  return std::ranges::any_of(report.verdicts, [](const CaseVerdict& v) { return !other_case(v).empty(); });
}

}  // namespace ridgeline::cli
