#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/units.hpp"
#include "harness/gate/request.hpp"
#include "harness/gate/rules.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/repeat.hpp"

// What a whole gate comes to; gate_words.cpp has the words of a case.

namespace ridgeline::present {
namespace {

using record::CaseVerdict;
using record::Verdict;

/// Cases whose alpha the rules raise above the gate's own; empty without any.
std::string raised_alphas(const GateReport& report) {
  std::map<double, int> raised;
  try {
    const gate::GateRules rules = gate::parse_gate_rules(report.gate.rules_text, "rules");
    for (const CaseVerdict& verdict : report.verdicts) {
      const bool compared = verdict.pairs > 0 || verdict.dropped > 0;
      const double alpha = gate::alpha_of(rules, verdict.case_name, report.gate.alpha);
      if (compared && alpha > report.gate.alpha) ++raised[alpha];
    }
  } catch (const Error&) {  // stored by another version
    return {};
  }
  std::string text;
  for (const auto& [alpha, cases] : raised)
    text += fmt::format(", {}% for {}", units::plain(100 * alpha), units::plural(cases, "case"));
  return text.empty() ? text
                      : fmt::format("alpha is {}%, and by the rules{}",
                                    units::plain(100 * report.gate.alpha), text.substr(1));
}

/// What makes the gate fail, the worst first.
std::vector<std::string> failures(const GateReport& report) {
  std::vector<std::string> list;
  const auto add = [&](auto counts, const char* one, const char* several) {
    const auto count = std::ranges::count_if(report.verdicts, counts);
    if (count > 0) list.push_back(count == 1 ? one : fmt::format("{} {}", count, several));
  };
  const auto of = [](Verdict verdict) {
    return [verdict](const CaseVerdict& v) { return v.verdict == verdict; };
  };
  add(of(Verdict::wrong_result), "a case does not compute what it should",
      "cases do not compute what they should");
  add(of(Verdict::crashed), "a worker crashed", "cases crashed a worker");
  add(of(Verdict::timeout), "a case timed out", "cases timed out");
  add(of(Verdict::missing), "a case is missing", "cases are missing");
  if (std::ranges::any_of(report.verdicts, [](const auto& v) {
        return v.verdict == Verdict::regression && fails(v);
      }))
    list.push_back(compares_counts(report) ? "the candidate's counts are worse"
                                           : "the candidate is slower");
  add([](const CaseVerdict& v) { return v.verdict == Verdict::tail && fails(v); },
      "a tail became slower", "tails became slower");
  add([](const CaseVerdict& v) { return expected(v) == Expected::unmet; },
      "an expected regression was not seen", "expected regressions were not seen");
  if (list.empty()) list.push_back("not everything could be measured");
  return list;
}

/// "; 2 of 3 cases were not judged"; empty when all were.
std::string not_judged(const GateReport& report, const char* before) {
  const auto count = std::ranges::count_if(
      report.verdicts, [](const CaseVerdict& v) { return !is_decided(v.verdict); });
  if (count == 0) return {};
  return fmt::format("{}{} of {} cases {} not judged", before, count, report.verdicts.size(),
                     count == 1 ? "was" : "were");
}

/// "; 2 cases may have a tail", of those that pass for all that; empty without any.
std::string may_have_tails(const GateReport& report, const char* before) {
  const auto count = std::ranges::count_if(report.verdicts, [](const CaseVerdict& v) {
    return is_decided(v.verdict) && v.tail_suspected;
  });
  return count == 0 ? ""
                    : fmt::format("{}{} may have a tail", before, units::plural(count, "case"));
}

/// Why a gate that decided something does not pass.
std::string strictness(const GateReport& report) {
  const std::string open = not_judged(report, ": ");
  return "the gate is strict and does not pass" + open +
         may_have_tails(report, open.empty() ? ": " : "; ");
}

}  // namespace

std::string spent_text(const GateReport& report) {
  const store::SpentTime& spent = report.spent;
  if (compares_counts(report) || !(spent.total > 0)) return {};
  const auto share = [&](double part) { return units::percent(part / spent.total); };
  return fmt::format("sampling {}, warming up {}, preparing {}, verifying {} of {} on cases",
                     share(spent.sampling), share(spent.warming_up), share(spent.preparing),
                     share(spent.verifying), units::duration(spent.total / 1e9));
}

std::string gate_title(const record::Gate& gate, const record::Device& device) {
  return fmt::format("gate {}: {} against {} on {}{}", gate.id, gate.candidate, gate.baseline,
                     device.model, gate.aa ? " (A/A: both sides are the same code)" : "");
}

std::string counts_text(const GateReport& report) {
  if (!report.verdicts.empty()) return verdict_counts(report.verdicts);
  return report.gate.status == record::RunStatus::running ? "no case is decided yet"
                                                          : "no case was compared";
}

std::vector<std::string> conclusions(const GateReport& report) {
  std::vector<std::string> lines;
  const std::string counts = counts_text(report);
  const std::string cases = units::plural(std::ssize(report.verdicts), "case");
  lines.push_back(report.verdicts.empty() ? counts : fmt::format("{}: {}", cases, counts));
  const auto add = [&](Expected state, const char* one, const char* several) {
    const auto count =
        std::ranges::count_if(report.verdicts, [&](const auto& v) { return expected(v) == state; });
    if (count > 0) lines.push_back(fmt::format("{} {}", count, count == 1 ? one : several));
  };
  add(Expected::unmet,
      "expected regression was not seen: where it is gone, take it out of the rules",
      "expected regressions were not seen: where they are gone, take them out of the rules");
  add(Expected::over, "regression is no longer expected: the date in the rules has passed",
      "regressions are no longer expected: the date in the rules has passed");
  add(Expected::exceeded, "regression is larger than the rules expect",
      "regressions are larger than the rules expect");
  if (const std::string alphas = raised_alphas(report); !alphas.empty()) lines.push_back(alphas);
  if (report.gate.status == record::RunStatus::running) {
    lines.push_back(fmt::format(
        "the gate {}{}",
        report.state == "running"  ? "is running"
        : report.state == "killed" ? "was killed"
                                   : "is running or was killed",
        compares_counts(report) ? ""
                                : fmt::format("; {} {} stored", units::plural(report.pairs, "pair"),
                                              report.pairs == 1 ? "is" : "are")));
    return lines;
  }
  switch (report.exit_code) {
    case fine:
      lines.push_back("the gate passes" + not_judged(report, "; ") + may_have_tails(report, "; "));
      break;
    case regression:
    case not_all_measured:
      lines.push_back(fmt::format("the gate fails: {}", fmt::join(failures(report), "; ")));
      break;
    case undecided:
      if (const auto doubted = std::ranges::count_if(
              report.verdicts, [](const CaseVerdict& v) { return v.doubt.has_value(); });
          doubted > 0)
        lines.push_back(fmt::format("the gate does not pass: {} {} slower, which is not proved yet",
                                    units::plural(doubted, "case"),
                                    doubted == 1 ? "seems" : "seem"));
      else if (is_decided(report.verdicts))
        lines.push_back(strictness(report));
      else
        lines.push_back("the gate does not pass: too little could be decided");
      break;
    default:
      lines.push_back("the gate was interrupted");
  }
  return lines;
}

std::string resume_command(const record::Gate& gate, std::string_view state,
                           const std::filesystem::path& file) {
  if (state == "finished" || state == "running" || gate.mode == record::GateMode::runs) return {};
  std::vector<std::string> words{"ridgeline", "gate", "--resume", gate.id};
  std::ranges::copy(gate::programs_in_words(gate), std::back_inserter(words));
  const std::filesystem::path otherwise = default_results() / file.filename();
  if (file.lexically_normal() != otherwise.lexically_normal())
    words.insert(words.end(), {"--results", file.parent_path().string()});
  return shell_line(words);
}

std::string resume_command(const GateReport& report) {
  return resume_command(report.gate,
                        report.state.empty() ? record::to_string(report.gate.status) : report.state,
                        report.file);
}

}  // namespace ridgeline::present
