#include <map>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/gate_words.hpp"

/// Workflow commands: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
namespace ridgeline::present {
namespace {

using record::Verdict;

constexpr int shown_of_a_step = 10;  // annotations of one kind

enum class Where { message, property };

/// `text` as the value of a command: % and line ends as %25, %0D, %0A; in a property also : and , as %3A and %2C. Other
/// control characters are made visible.
std::string escaped(std::string_view text, Where where) {
  std::string out;
  while (!text.empty()) {
    const std::size_t line = text.find_first_of("\r\n");
    for (const char c : printable(text.substr(0, line), 10'000)) {
      if (c == '%')
        out += "%25";
      else if (where == Where::property && c == ':')
        out += "%3A";
      else if (where == Where::property && c == ',')
        out += "%2C";
      else
        out += c;
    }
    if (line == std::string_view::npos) break;
    out += text[line] == '\r' ? "%0D" : "%0A";
    text.remove_prefix(line + 1);
  }
  return out;
}

const char* command(const record::CaseVerdict& verdict) {
  if (fails(verdict)) return "error";
  switch (verdict.verdict) {
    case Verdict::undecided:
    case Verdict::invalid_environment:
    case Verdict::no_baseline:
      return "warning";
    default:
      return "notice";
  }
}

}  // namespace

std::string gate_github(const GateReport& report) {
  std::string text;
  std::map<std::string_view, int> counts;
  for (const record::CaseVerdict& verdict : report.verdicts) {
    if (verdict.verdict == Verdict::pass && !fails(verdict)) continue;
    const GateRow row = gate_row(verdict);
    std::string message = row.case_name;
    if (!row.baseline.empty()) message += " against " + row.baseline;
    const std::string change = change_and_delta(row);
    if (!change.empty()) message += ": " + change;
    if (!row.why.empty()) message += "; " + row.why;
    ++counts[command(verdict)];
    text += fmt::format("::{} title={}::{}\n", command(verdict),
                        escaped(fmt::format("{}: {}", row.verdict, row.case_name), Where::property),
                        escaped(message, Where::message));
  }
  for (const auto& [level, count] : counts)
    if (count > shown_of_a_step)
      text = fmt::format(
                 "::{} title=Ridgeline::{} cases; GitHub shows {} of a step here, its log and the job summary "
                 "have all%0A{}\n",
                 level, count, shown_of_a_step, escaped(verdict_counts(report.verdicts), Where::message)) +
             text;
  return text;
}

}  // namespace ridgeline::present
