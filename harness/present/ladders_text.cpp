#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/clocks.hpp"
#include "harness/present/ladder_words.hpp"
#include "harness/present/ladders.hpp"
#include "harness/present/markdown.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::ClimbedLadder;
using Columns = std::vector<Table::Column>;
using Align = Table::Align;

/// How a format writes what a page is made of. Texts are printable.
struct Pen {
  std::string (*heading)(int level, const std::string& text);
  std::string (*line)(const std::string& text);
  std::string (*text)(const std::string& text);  // within a line or cell
  std::string (*code)(const std::string& text);
  std::string (*table)(const Columns& columns, const std::vector<Cells>& rows, std::size_t width);
  bool idea_first;  // among what is said of a rung, else below its row
  std::size_t width = any_width;

  std::ptrdiff_t idea_column(std::size_t columns) const {
    return idea_first ? 1 : static_cast<std::ptrdiff_t>(columns);
  }
};

const Pen plain_pen{[](int, const std::string& text) { return text + "\n"; },
                    [](const std::string& text) { return text + "\n"; },
                    [](const std::string& text) { return text; },
                    [](const std::string& text) { return text; },
                    [](const Columns& columns, const std::vector<Cells>& rows, std::size_t width) {
                      Table table(columns);
                      for (const Cells& row : rows) table.add(row);
                      return table.text(width);
                    },
                    /*idea_first=*/false};

const Pen markdown_pen{[](int level, const std::string& text) {
                         return fmt::format("{} {}\n\n",
                                            std::string(static_cast<std::size_t>(level), '#'),
                                            markdown_cell(text));
                       },
                       [](const std::string& text) { return text + "\n"; },
                       markdown_cell,
                       [](const std::string& text) {
                         std::string kept = text;  // a code span has no escapes
                         std::erase_if(kept, [](char c) { return c == '`' || c == '|'; });
                         return "`" + kept + "`";
                       },
                       [](const Columns& columns, const std::vector<Cells>& rows, std::size_t) {
                         return markdown_table(columns, rows);
                       },
                       /*idea_first=*/true};

std::string rungs_table(const Pen& pen, const ClimbedLadder& climbed) {
  const std::string reference = reference_label(climbed);
  Columns columns{{"rung"},
                  {"rate", Align::right},
                  {"95% interval", Align::right, true},
                  {"over the rung before", Align::right, true},
                  {"of roof", Align::right}};
  if (!climbed.references.empty())
    columns.push_back(
        {"over " + (reference.empty() ? "the reference" : reference), Align::right, true});
  const Table::Column idea{.title = "idea", .note = true};
  columns.insert(columns.begin() + pen.idea_column(columns.size()), idea);
  std::vector<Cells> rows;
  for (const RungWords& words : rung_words(climbed)) {
    Cells row{pen.code(words.label), pen.text(words.rate), words.interval, words.over_before,
              words.share};
    if (!climbed.references.empty()) row.push_back(words.over_reference);
    row.insert(row.begin() + pen.idea_column(row.size()), pen.text(words.idea));
    rows.push_back(row);
  }
  return pen.table(columns, rows, pen.width);
}

std::string device_table(const Pen& pen, const ClimbedLadder& climbed) {
  WordTable table = device_words(climbed);
  for (Cells& row : table.rows) row.front() = pen.code(row.front());
  return table.rows.empty() ? "" : pen.table(table.columns, table.rows, pen.width);
}

/// "Roof: fma.f32, 65.6 TFLOP/s, measured."
std::string roofs_line(const Pen& pen, const ClimbedLadder& climbed,
                       const std::vector<record::Roof>& roofs) {
  std::set<std::string> binding;
  for (const CaseSummary* one : summaries_of(climbed))
    if (one->share_of_roof) binding.insert(one->roof);
  std::vector<std::string> told;
  for (const std::string& kind : binding) {
    const auto is_kind = [&](const record::Roof& roof) { return roof.kind == kind; };
    auto found = std::ranges::find_if(roofs, [&](const record::Roof& roof) {
      return is_kind(roof) && record::is_measured(roof);
    });
    if (found == roofs.end()) found = std::ranges::find_if(roofs, is_kind);
    if (found != roofs.end())
      told.push_back(fmt::format("{}, {}, {}", pen.code(printable(kind)),
                                 units::quantity(found->value, found->unit),
                                 pen.text(printable(found->source))));
  }
  return told.empty() ? "" : pen.line(fmt::format("Roof: {}.", fmt::join(told, "; ")));
}

std::string commits_of(const LaddersOfRun& of) {
  std::set<std::string> found;
  for (const record::Build& build : of.builds)
    found.insert(printable(build.commit.substr(0, 12)) +
                 (build.dirty ? " with local changes" : ""));
  return fmt::format("{}", fmt::join(found, ", "));
}

std::size_t processes(const LaddersOfRun& of) {
  std::size_t most = 0;
  for (const ClimbedLadder& climbed : of.ladders)
    for (const CaseSummary* one : summaries_of(climbed))
      most = std::max(most, one->medians_ns.size());
  return most;
}

/// "NVIDIA H200, driver 580.159.04, CUDA 13.0", as far as the device says.
std::string device_of(const LaddersOfRun& of) {
  const auto recorded = [&](const char* what, const char* key) {
    const auto found = of.device.recorded.find(key);
    return found == of.device.recorded.end()
               ? ""
               : fmt::format(", {} {}", what, printable(found->second));
  };
  return printable(of.device.name) + recorded("driver", "driver") + recorded("CUDA", "cuda_driver");
}

/// "2026-11-24", "profile full, 5 processes for each case, commit 71d1726aa52d"
std::string how_measured(const LaddersOfRun& of) {
  const std::string built = commits_of(of);
  return fmt::format("profile {}, {} for each case{}", printable(of.run.profile),
                     units::plural(static_cast<std::int64_t>(processes(of)), "process"),
                     built.empty() ? "" : ", commit " + built);
}

std::string day(const LaddersOfRun& of) { return point_in_time(of.run.started).substr(0, 10); }

std::string settings_of(const LaddersOfRun& of) {
  std::vector<std::string> told;
  for (const auto& [key, value] : of.device.comparable)
    told.push_back(printable(key) + " " + printable(value));
  return fmt::format("{}", fmt::join(told, ", "));
}

std::string run_told(const Pen& pen, const LaddersOfRun& of) {
  std::string text = pen.heading(2, fmt::format("{}, {}", printable(of.device.name), day(of)));
  text += pen.line(fmt::format("Run {}: {}.", pen.code(of.run.id), pen.text(how_measured(of))));
  text += pen.line(fmt::format("Device: {}.", pen.text(device_of(of))));
  if (!of.device.comparable.empty())
    text += pen.line(fmt::format("Settings: {}.", pen.code(settings_of(of))));
  if (of.clocks) text += pen.line(fmt::format("Clocks: {}.", pen.text(clocks_text(*of.clocks))));
  for (const ClimbedLadder& climbed : of.ladders) {
    text += "\n" + pen.heading(3, printable(climbed.ladder.title));
    text += pen.line(fmt::format("Cases: {}.", pen.code(printable(climbed.ladder.cases, 400))));
    for (const std::string& note : climbed.ladder.notes)
      text += pen.line(pen.text(printable(note, 1000)));
    text += roofs_line(pen, climbed, of.roofs) + "\n" + rungs_table(pen, climbed);
    if (const std::string device = device_table(pen, climbed); !device.empty())
      text += "\n" + device;
  }
  return text;
}

std::string last_rungs_told(const Pen& pen, const LaddersOfRun& of) {
  std::vector<Cells> rows;
  for (const ClimbedLadder& climbed : of.ladders) {
    const std::optional<RungWords> last = last_rung_words(climbed);
    if (!last) continue;
    rows.push_back({pen.text(printable(climbed.ladder.title)), pen.code(last->label),
                    pen.text(last->rate),
                    last->over_reference.empty()
                        ? ""
                        : last->over_reference + " of " + pen.code(reference_label(climbed)),
                    last->share});
  }
  if (rows.empty()) return "";
  return pen.table({{"ladder"},
                    {"last rung"},
                    {"rate", Align::right},
                    {"speed", Align::right},
                    {"of roof", Align::right}},
                   rows, pen.width) +
         "\n" +
         pen.line(fmt::format("{}: {}, {}.", pen.text(device_of(of)), day(of),
                              pen.text(how_measured(of))));
}

std::string ladders_told(const Pen& pen, const std::vector<LaddersOfModel>& models, Detail detail) {
  std::string text;
  for (const LaddersOfModel& of : models) {
    for (const LaddersOfRun& run : of.runs)
      text += (text.empty() ? "" : "\n") +
              (detail == Detail::rungs ? run_told(pen, run) : last_rungs_told(pen, run));
    if (detail == Detail::rungs && !of.unmeasured.empty())
      text +=
          "\n" + pen.line(fmt::format(
                     "No stored run of {} has times of: {}.", pen.code(printable(of.model)),
                     pen.text(printable(fmt::format("{}", fmt::join(of.unmeasured, "; ")), 4000))));
  }
  return text;
}

}  // namespace

std::string ladders_text(const std::vector<LaddersOfModel>& models, Detail detail,
                         std::size_t width) {
  Pen pen = plain_pen;
  pen.width = width;
  return ladders_told(pen, models, detail);
}

std::string ladders_markdown(const std::vector<LaddersOfModel>& models, Detail detail) {
  return ladders_told(markdown_pen, models, detail);
}

}  // namespace ridgeline::present
