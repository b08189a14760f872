#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

using Align = Table::Align;

constexpr std::size_t longest_line = 100'000;  // of what is not part of a row; a cut is seen by its
                                               // dots

std::string table(const GateReport& report, const std::vector<record::CaseVerdict>& verdicts,
                  std::size_t width) {
  const bool variants = compares_variants(report), counts = compares_counts(report);
  std::vector<Table::Column> columns{{"case"}};
  if (variants) columns.push_back({"against"});
  if (counts)
    columns.insert(columns.end(), {{"verdict"},
                                   {"metric"},
                                   {"baseline", Align::right},
                                   {"candidate", Align::right},
                                   {"ratio", Align::right},
                                   {"allowed", Align::right},
                                   {.title = "why", .note = true}});
  else
    columns.insert(columns.end(), {{"verdict"},
                                   {"change", Align::right},
                                   {"95% interval", Align::right},
                                   {"delta", Align::right, true},
                                   {counted(report.gate), Align::left, true},
                                   {"noise", Align::right, true},
                                   {.title = "why", .note = true}});
  Table table(columns);
  for (const record::CaseVerdict& verdict : verdicts) {
    const GateRow row = gate_row(report, verdict);
    std::vector<std::string> cells{printable(row.case_name, 4000)};
    if (variants) cells.push_back(printable(row.baseline, 4000));
    if (counts)
      cells.insert(cells.end(),
                   {row.verdict, printable(row.metric), row.baseline_value, row.candidate_value,
                    row.ratio, row.delta, printable(row.why, 1000)});
    else
      cells.insert(cells.end(), {row.verdict, row.change, row.interval, row.delta, row.pairs,
                                 row.noise, printable(row.why, 1000)});
    table.add(cells);
  }
  return table.text(width);
}

}  // namespace

std::string gate_text(const GateReport& report, std::size_t width) {
  std::string text = printable(gate_title(report.gate, report.device), longest_line) + '\n';
  for (const std::string& note : report.notes)
    text += fmt::format("  {}\n", printable(note, longest_line));
  const std::vector<record::CaseVerdict> verdicts = with_rows(report);
  if (!verdicts.empty()) text += '\n' + table(report, verdicts, width);
  text += '\n';
  for (const std::string& line : conclusions(report)) text += line + '\n';
  if (!report.repeat.empty())
    text += fmt::format("  repeat: {}\n", printable(report.repeat, longest_line));
  const std::string resume = resume_command(report);
  if (!resume.empty()) text += fmt::format("  resume: {}\n", printable(resume, longest_line));
  if (const std::string spent = spent_text(report); !spent.empty())
    text += fmt::format("  time: {}\n", spent);
  if (!report.file.empty())
    text += fmt::format("  stored: {}\n", printable(report.file.string(), longest_line));
  return text;
}

std::string gate_text(std::span<const GateReport> reports, std::size_t width) {
  std::string text;
  for (const GateReport& report : reports)
    text += (text.empty() ? "" : "\n") + gate_text(report, width);
  if (reports.size() < 2) return text;
  text += fmt::format("\n{} gates of one alpha, exit code {}:\n", reports.size(),
                      gate_exit_code(reports));
  for (const GateReport& report : reports)
    text += fmt::format("  {}: {}\n", printable(report.device.id), conclusions(report).back());
  return text;
}

}  // namespace ridgeline::present
