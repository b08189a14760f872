#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/markdown.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

using analysis::ComparedCase;
using Columns = std::vector<Table::Column>;

/// How a format writes tables, headings and lines. Plain tables fit into `width` where that is
/// possible.
struct Style {
  std::string (*table)(const Columns&, const std::vector<Cells>&, std::size_t width);
  std::string (*heading)(const std::string&);
  std::string (*line)(const std::string&);
  std::size_t width = any_width;
};

std::string plain_table(const Columns& columns, const std::vector<Cells>& rows, std::size_t width) {
  Table table(columns);
  for (const Cells& row : rows) table.add(row);
  return table.text(width);
}

std::string escaped_table(const Columns& columns, const std::vector<Cells>& rows, std::size_t) {
  std::vector<Cells> escaped = rows;
  for (Cells& row : escaped)
    for (std::string& each : row) each = markdown_cell(each);
  return markdown_table(columns, escaped);
}

const Style plain{plain_table, [](const std::string& text) { return text + ":\n"; },
                  [](const std::string& text) { return text + '\n'; }};
const Style markdown{escaped_table,
                     [](const std::string& text) { return "### " + markdown_cell(text) + "\n\n"; },
                     [](const std::string& text) { return "- " + markdown_cell(text) + '\n'; }};

std::string interval_text(const std::optional<stats::Interval>& interval) {
  return interval ? ratio_range(*interval) : "";
}

std::string optional_ratio(const std::optional<double>& ratio) {
  return ratio ? short_ratio(*ratio) : "";
}

std::string share(const analysis::SideOfCase& side) {
  if (!side.share_of_roof) return {};
  return units::percent(*side.share_of_roof) +
         (*side.share_of_roof > analysis::roof_margin ? " !!" : "");
}

std::string time_of(const analysis::SideOfCase& side) {
  if (!side.median_ns) return {};
  return units::time(*side.median_ns) + (is_unsteady(side) ? " ?" : "");
}

/// `device`: its id, where the sides are of several devices of one model.
std::string side_line(const char* letter, const store::FoundRun& found, const std::string& device) {
  const record::Run& run = found.summary.run;
  std::string text = fmt::format(
      "{}: {} ({}){}, run {} of {} UTC", letter, printable(found.summary.device.name),
      printable(found.summary.device.model), device.empty() ? "" : ", " + printable(device), run.id,
      point_in_time(run.started));
  if (!run.label.empty()) text += fmt::format(", {}", printable(run.label));
  return text + fmt::format(", profile {}", printable(run.profile));
}

/// A table under its heading; nothing without rows.
std::string section(const Style& style, const char* heading, const std::vector<Cells>& rows,
                    const Columns& columns) {
  if (rows.empty()) return {};
  return style.heading(heading) + style.table(columns, rows, style.width) + '\n';
}

std::string roofs_text(const Style& style, const analysis::Comparison& comparison) {
  std::vector<Cells> rows;
  for (const analysis::ComparedRoof& roof : comparison.roofs)
    if (roof.a && roof.b) rows.push_back(row_of(roof));
  const auto right = Table::Align::right;
  return section(style, "Roofs that both have", rows,
                 {{"roof"}, {"from"}, {"A", right}, {"B", right}, {"B/A", right}});
}

/// "distance: B is farther from its roof".
std::string explained(const ComparedCase& one) {
  if (!one.cause) return {};
  return fmt::format("{}{}{}", analysis::to_string(*one.cause), one.because.empty() ? "" : ": ",
                     one.because);
}

std::string cases_text(const Style& style, const analysis::Comparison& comparison) {
  std::vector<Cells> rows;
  for (const ComparedCase& one : comparison.cases)
    if (one.ratio) rows.push_back(row_of(one));
  const auto right = Table::Align::right;
  return section(style, "Times, B over A", rows,
                 {{"case"},
                  {"A", right},
                  {"B", right},
                  {"B/A", right},
                  {"95% interval", right},
                  {"roofs alone", right, true},
                  {"rest", right, true},
                  {"A of roof", right, true},
                  {"B of roof", right, true},
                  {.title = "the rest is", .note = true}});
}

/// "3 of them unstable; 1 disturbed, left out".
std::string doubts(const analysis::ComparedSuite& suite) {
  std::string text;
  if (suite.unstable > 0) text = fmt::format("{} of them unstable", suite.unstable);
  if (suite.disturbed > 0)
    text += fmt::format("{}{} disturbed, left out", text.empty() ? "" : "; ", suite.disturbed);
  return text;
}

std::string suites_text(const Style& style, const analysis::Comparison& comparison) {
  std::vector<Cells> rows;
  for (const analysis::ComparedSuite& suite : comparison.suites) rows.push_back(row_of(suite));
  const auto right = Table::Align::right;
  return section(style, "Geometric means of B over A", rows,
                 {{"suite"},
                  {"cases", right},
                  {"mean", right},
                  {"95% interval", right},
                  {"processes", right},
                  {"lowest", right},
                  {"highest", right},
                  {""}});
}

std::string counts_text(const Style& style, const ComparedRuns& compared) {
  std::vector<Cells> rows;
  for (const analysis::ComparedCounts& one : compared.counted)
    for (const analysis::MetricChange& change : one.changed) {
      rows.push_back(row_of(change));
      rows.back().insert(rows.back().begin(),
                         printable(one.name, 400) + (one.other_inputs ? " (other inputs)" : ""));
    }
  const auto right = Table::Align::right;
  return section(style, "Counts that differ", rows,
                 {{"case"}, {"metric"}, {"A", right}, {"B", right}, {"B/A", right}}) +
         style.line(equal_counts(compared)) + '\n';
}

/// At most some of many lines.
std::string listed(const Style& style, const std::string& heading,
                   const std::vector<std::string>& lines) {
  constexpr std::size_t most = 50;
  if (lines.empty()) return {};
  std::string text = style.heading(heading);
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += style.line(lines[i]);
  if (lines.size() > most)
    text += style.line(fmt::format("and {} more: --json lists all", lines.size() - most));
  return text + '\n';
}

/// A line per reason, with its cases.
std::vector<std::string> by_reason(const std::map<std::string, std::vector<std::string>>& reasons) {
  constexpr std::size_t named = 3;
  std::vector<std::string> lines;
  for (const auto& [why, names] : reasons) {
    std::string some = fmt::format(
        "{}", fmt::join(names.begin(), names.begin() + std::min(named, names.size()), ", "));
    if (names.size() > named) some += fmt::format(" and {} more", names.size() - named);
    lines.push_back(why.empty() ? some : fmt::format("{}: {}", why, some));
  }
  return lines;
}

std::string rest_text(const Style& style, const ComparedRuns& compared) {
  std::map<std::string, std::vector<std::string>> not_compared, a_only, b_only;  // names by reason
  for (const analysis::ComparedCounts& one : compared.counted)
    if (!one.not_compared.empty())
      not_compared[one.not_compared].push_back(printable(one.name, 400));
  for (const ComparedCase& one : compared.comparison.cases)
    if (!compared.counts && !one.ratio)
      not_compared[one.not_compared].push_back(printable(record::name(one.id), 400));
  for (const analysis::OneSided& one : compared.comparison.one_sided)
    (one.of_a ? a_only : b_only)[one.why].push_back(printable(one.name, 400));
  return listed(style, "Not compared", by_reason(not_compared)) +
         listed(style, "In A's run alone", by_reason(a_only)) +
         listed(style, "In B's run alone", by_reason(b_only));
}

std::string siblings_told(const Style& style, const ComparedRuns& compared) {
  if (compared.together == 0) return {};
  std::vector<std::string> lines = sibling_sentences(compared.comparison);
  if (compared.together > 2)
    lines.push_back(fmt::format("ridgeline trend siblings sets all {} beside each other",
                                units::plural(compared.together, "GPU")));
  return listed(style,
                fmt::format("A and B are GPUs of {}, measured together", printable(compared.host)),
                lines);
}

std::string gpus_text(const Style& style, const ComparedRuns& compared) {
  std::vector<Cells> rows;
  for (const ComparedGpu& gpu : compared.gpus) rows.push_back(row_of(gpu));
  const auto right = Table::Align::right;
  return section(style, "GPU by GPU, geometric means of B over A", rows,
                 {{"GPU"},
                  {"cases", right},
                  {"mean", right},
                  {"95% interval", right},
                  {"lowest", right},
                  {"highest", right},
                  {"A's run", Table::Align::left, true},
                  {"B's run", Table::Align::left, true}});
}

std::string told(const Style& style, const ComparedRuns& compared) {
  const analysis::Comparison& comparison = compared.comparison;
  const record::Device &a = compared.a.summary.device, &b = compared.b.summary.device;
  const bool told_apart =
      !compared.gpus.empty() || (a.model == b.model && a.uuid != b.uuid && a.id != b.id);
  std::string text = style.line(side_line("A", compared.a, told_apart ? a.id : "")) +
                     style.line(side_line("B", compared.b, told_apart ? b.id : "")) + '\n';
  text += siblings_told(style, compared);
  text += listed(style, "Beside the hardware, this differs", comparison.differences);
  if (compared.counts)
    text += counts_text(style, compared);
  else
    text += roofs_text(style, comparison) + cases_text(style, comparison) +
            suites_text(style, comparison) + gpus_text(style, compared);
  text += rest_text(style, compared);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace

Cells row_of(const analysis::ComparedRoof& roof) {
  const auto value = [&](const std::optional<double>& side) {
    return side ? units::quantity(*side, roof.unit) : "";
  };
  return {printable(roof.kind), roof.source, value(roof.a), value(roof.b),
          roof.a && roof.b && *roof.a > 0 ? short_ratio(*roof.b / *roof.a) : ""};
}

Cells row_of(const ComparedCase& one) {
  return {printable(record::name(one.id), 400) + (one.work == 1 ? "" : " (per unit of work)"),
          time_of(one.a),
          time_of(one.b),
          optional_ratio(one.ratio),
          interval_text(one.interval),
          optional_ratio(one.roofs_ratio),
          optional_ratio(one.rest()),
          share(one.a),
          share(one.b),
          explained(one)};
}

Cells row_of(const analysis::ComparedSuite& suite) {
  return {printable(suite.suite),
          fmt::to_string(suite.cases),
          short_ratio(suite.mean),
          suite.interval ? interval_text(suite.interval) : "none",
          fmt::format("{}, {}", suite.a_processes, suite.b_processes),
          short_ratio(suite.lowest),
          short_ratio(suite.highest),
          doubts(suite)};
}

Cells row_of(const ComparedGpu& gpu) {
  Cells cells{printable(gpu.id), "none", "", "", "", "", gpu.a_run, gpu.b_run};
  if (!gpu.all) return cells;
  const Cells all = row_of(*gpu.all);
  cells[1] = all[1];
  for (std::size_t i : {2, 3}) cells[i] = all[i];
  cells[4] = all[5];
  cells[5] = all[6];
  return cells;
}

Cells row_of(const analysis::MetricChange& change) {
  std::string a = "none", b = "none";
  if (change.baseline && change.candidate)
    std::tie(a, b) = units::counts(*change.baseline, *change.candidate);
  else if (change.baseline)
    a = units::plain(*change.baseline);
  else if (change.candidate)
    b = units::plain(*change.candidate);
  return {printable(change.name), a, b, optional_ratio(analysis::ratio(change))};
}

bool is_unsteady(const analysis::SideOfCase& side) {
  return side.disturbed || side.outcome == record::Outcome::unstable ||
         side.outcome == record::Outcome::unverified;
}

std::string short_ratio(double ratio) {
  const int digits = ratio < 0.0995   ? 4
                     : ratio < 0.9995 ? 3
                     : ratio < 9.995  ? 2
                     : ratio < 99.95  ? 1
                                      : 0;
  return ratio < 0.00995 ? fmt::format("{:.3g}", ratio) : fmt::format("{:.{}f}", ratio, digits);
}

std::string ratio_range(const stats::Interval& interval) {
  std::string low = short_ratio(interval.low), high = short_ratio(interval.high);
  if (low == high && interval.low != interval.high)
    std::tie(low, high) =
        std::pair(fmt::format("{:.5g}", interval.low), fmt::format("{:.5g}", interval.high));
  return fmt::format("{} to {}", low, high);
}

std::string comparison_text(const ComparedRuns& compared, std::size_t width) {
  Style style = plain;
  style.width = width;
  return told(style, compared);
}

std::string comparison_markdown(const ComparedRuns& compared) {
  return fmt::format(
      "## {} and {}\n\n{}", markdown_cell(printable(compared.a.summary.device.model)),
      markdown_cell(printable(compared.b.summary.device.model)), told(markdown, compared));
}

}  // namespace ridgeline::present
