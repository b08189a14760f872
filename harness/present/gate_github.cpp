#include <map>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/gate_words.hpp"

/// Workflow commands:
/// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
namespace ridgeline::present {
namespace {

using record::Verdict;

constexpr int shown_of_a_step = 10;  // annotations of one kind

/// What is written as %25, %3A, %2C beside line ends (%0D, %0A).
constexpr std::string_view in_message = "%", in_property = "%:,";

/// `text` as the value of a command. Control characters are made visible.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  while (!text.empty()) {
    const std::size_t line = text.find_first_of("\r\n");
    for (const char c : printable(text.substr(0, line), 10'000))
      out += special.find(c) == std::string_view::npos
                 ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<int>(c));
    if (line == std::string_view::npos) break;
    out += text[line] == '\r' ? "%0D" : "%0A";
    text.remove_prefix(line + 1);
  }
  return out;
}

const char* command(const record::CaseVerdict& verdict) {
  if (fails(verdict)) return "error";
  return is_doubtful(verdict) && !verdict.no_room ? "warning" : "notice";
}

}  // namespace

std::string gate_github(const GateReport& report) {
  std::string text;
  std::map<std::string_view, int> counts;
  for (const record::CaseVerdict& verdict : report.verdicts) {
    if (verdict.verdict == Verdict::pass && !fails(verdict) && !is_doubtful(verdict)) continue;
    const GateRow row = gate_row(report, verdict);
    std::string message = row.case_name;
    if (!row.baseline.empty()) message += " against " + row.baseline;
    const std::string change = change_and_delta(row);
    if (!change.empty()) message += ": " + change;
    if (!row.why.empty()) message += "; " + row.why;
    ++counts[command(verdict)];
    text += fmt::format("::{} title={}::{}\n", command(verdict),
                        escaped(fmt::format("{}: {}", row.verdict, row.case_name), in_property),
                        escaped(message, in_message));
  }
  for (const auto& [level, count] : counts)
    if (count > shown_of_a_step)
      text =
          fmt::format(
              "::{} title=Ridgeline::{} cases; GitHub shows {} of a step here, its log and the job "
              "summary have all%0A{}\n",
              level, count, shown_of_a_step, escaped(verdict_counts(report.verdicts), in_message)) +
          text;
  return text;
}

}  // namespace ridgeline::present
