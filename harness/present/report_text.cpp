#include "harness/present/report_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/present/best_cases.hpp"
#include "harness/present/roofline_text.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::present {
namespace {

using json::Value;

std::string text_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is_text() ? printable(found->text(), 1000) : "";
}

std::optional<double> number_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is_number() ? std::optional(found->number()) : std::nullopt;
}

const Value::Array& list_of(const Value& object, std::string_view key) {
  static const Value::Array none;
  const Value* found = object.find(key);
  return found != nullptr && found->is_array() ? found->elements() : none;
}

std::string paragraph(const std::string& text, std::size_t width) {
  return wrapped(text, width, 2);
}

std::string heading(const std::string& text) {
  return fmt::format("{}\n{:-<{}}\n", text, "", std::min<std::size_t>(characters(text), 80));
}

std::string roofs_table(const Value& run, std::size_t width) {
  Table table({{"roof"}, {"rate", Table::Align::right}, {"source", Table::Align::left, true}});
  for (const Value& roof : list_of(run, "roofs"))
    table.add({text_of(roof, "kind"), text_of(roof, "text"), text_of(roof, "source")});
  return table.empty() ? "" : "\n" + table.text(width);
}

std::string cases_table(const Value& run, std::size_t width) {
  using Align = Table::Align;
  Table table({{"case"},
               {"median", Align::point, false, true},
               {"95% interval", Align::right, true, true},
               {"rate", Align::point, false, true},
               {"of roof", Align::right, false, true},
               {"outcome"}});
  std::string suite;
  for (const Value& one : list_of(run, "cases")) {
    if (const std::string own = text_of(one, "suite"); own != suite) table.heading(suite = own);
    const Value* words = one.find("words");
    const Value none = Value::object();
    const Value& row = words != nullptr ? *words : none;
    table.add({printable(one.at("name").text(), 400), text_of(row, "median"),
               text_of(row, "interval"), text_of(row, "rate"), text_of(row, "share"),
               text_of(one, "outcome")});
    if (const std::string reason = text_of(one, "reason"); !reason.empty()) table.note(reason);
  }
  return table.empty() ? "" : table.text(width);
}

/// Of the kind, a measured one before the datasheet's.
std::optional<double> roof_of(const Value& run, const std::string& kind) {
  std::optional<double> measured, told;
  for (const Value& roof : list_of(run, "roofs")) {
    if (text_of(roof, "kind") != kind) continue;
    std::optional<double>& best =
        text_of(roof, "source").starts_with(record::measured_source) ? measured : told;
    best = std::max(best.value_or(0), number_of(roof, "value").value_or(0));
  }
  return measured ? measured : told;
}

/// The cases with operations and bytes below the roofs that bind them, and what the marks mean.
std::string roofline_of(const Value& run, Glyphs glyphs, std::size_t width) {
  TextRoofline roofline;
  std::map<std::string, char> marks;
  std::set<std::string> roofs;
  for (const Value& one : list_of(run, "cases")) {
    const auto flops = number_of(one, "flops"), bytes = number_of(one, "bytes"),
               rate = number_of(one, "flop_rate");
    const std::string suite = text_of(one, "suite");
    // Multiply-adds of occupancy touch next to no memory, and what measures a roof is the roof.
    if (one.find("measures_roof") != nullptr || suite == "occupancy") continue;
    if (!flops || !bytes || !rate || !(*flops > 0 && *bytes > 0 && *rate > 0)) continue;
    const auto [mark, added] =
        marks.try_emplace(suite, static_cast<char>(marks.size() < 26 ? 'a' + marks.size() : '*'));
    roofline.spots.push_back({*flops / *bytes, *rate, mark->second});
    if (const std::string roof = text_of(one, "roof"); !roof.empty()) roofs.insert(roof);
  }
  // The fastest way to memory is drawn even where no case is at its limit.
  const Value* fastest = nullptr;
  for (const Value& roof : list_of(run, "roofs"))
    if (text_of(roof, "kind").starts_with("dram.") &&
        (fastest == nullptr || number_of(roof, "value") > number_of(*fastest, "value")))
      fastest = &roof;
  if (fastest != nullptr) roofs.insert(text_of(*fastest, "kind"));
  std::vector<std::string> drawn;
  for (const std::string& kind : roofs) {
    const auto value = roof_of(run, kind);
    const record::RoofClass of = record::class_of_roof(kind);
    const bool slope = of == record::RoofClass::dram || of == record::RoofClass::llc ||
                       of == record::RoofClass::l1;
    if (!value || !(*value > 0) || (!slope && !record::is_arithmetic(of))) continue;
    (slope ? roofline.memory : roofline.compute).push_back(*value);
    drawn.push_back(kind);
  }
  const std::string figure = roofline_text(roofline, glyphs, width);
  if (figure.empty()) return "";
  std::vector<std::string> words;
  for (const auto& [suite, mark] : marks) words.push_back(fmt::format("{} {}", mark, suite));
  return "\n" + figure +
         paragraph(fmt::format("{}. Roofs: {}.", fmt::join(words, ", "),
                               !drawn.empty() ? fmt::format("{}", fmt::join(drawn, ", "))
                               : text_of(run, "imported").empty()
                                   ? "none is known, ridgeline run roofs measures them"
                                   : "none is known"),
                   width);
}

std::string run_told(const Value& run, Glyphs glyphs, std::size_t width) {
  const Value& device = run.at("device");
  std::string text = heading(fmt::format("{}, run {}, {}", text_of(device, "name"),
                                         text_of(run, "id"), text_of(run, "status")));
  text += paragraph(fmt::format("{}, profile {}: {}.", point_in_time(text_of(run, "started")),
                                text_of(run, "profile"), text_of(run, "outcomes")),
                    width);
  for (const Value& wrong : list_of(run, "wrong"))
    text += paragraph("! " + text_of(wrong, "words"), width);
  for (const Value& warning : list_of(run, "warnings"))
    if (warning.is_text()) text += paragraph(printable(warning.text(), 1000), width);
  text += roofs_table(run, width);
  if (const Value* best = run.find("best"))
    if (const std::string table = best_table(*best); !table.empty()) text += "\n" + table;
  text += roofline_of(run, glyphs, width);
  if (const std::string table = cases_table(run, width); !table.empty()) text += "\n" + table;
  const char* what = text_of(run, "imported").empty() ? "repeat" : "imported by";
  return text + "\n" + paragraph(fmt::format("{}: {}", what, text_of(run, "repeat")), width);
}

/// Sentences, or one.
std::string concluded(const Value& of, std::string_view key, std::size_t width) {
  std::string text;
  for (const Value& sentence : list_of(of, key))
    if (sentence.is_text()) text += paragraph(printable(sentence.text(), 1000), width);
  if (text.empty() && !text_of(of, key).empty()) text = paragraph(text_of(of, key), width);
  return text;
}

std::string gate_told(const Value& gate, std::size_t width) {
  return heading(fmt::format("Gate {}", text_of(gate.at("gate"), "id"))) +
         concluded(gate, "conclusions", width) + concluded(gate, "counts_text", width);
}

std::string trend_told(const Value& trend, std::size_t width) {
  std::string text = heading(fmt::format("Nights of {}, profile {}", text_of(trend, "model"),
                                         text_of(trend, "profile"))) +
                     concluded(trend, "conclusion", width);
  for (const Value& finding : list_of(trend, "findings"))
    if (const Value* words = finding.find("words")) {
      const std::string name = text_of(finding, "case");
      text += paragraph(
          fmt::format("- {}, {}{}: {}", text_of(finding, "night"), text_of(*words, "kind"),
                      name.empty() ? "" : ", " + name, text_of(*words, "said")),
          width);
    }
  return text + concluded(trend, "limits", width);
}

std::string comparison_told(const Value& comparison, std::size_t width) {
  return heading(fmt::format("{} beside {}", text_of(comparison.at("a"), "model"),
                             text_of(comparison.at("b"), "model"))) +
         concluded(comparison, "conclusions", width);
}

}  // namespace

std::string report_text(const Value& document, Glyphs glyphs, std::size_t width) {
  std::string text;
  const auto add = [&](std::string_view key, const auto& tell) {
    for (const Value& one : list_of(document, key)) text += (text.empty() ? "" : "\n") + tell(one);
  };
  add("runs", [&](const Value& one) { return run_told(one, glyphs, width); });
  add("gates", [&](const Value& one) { return gate_told(one, width); });
  add("trends", [&](const Value& one) { return trend_told(one, width); });
  add("comparisons", [&](const Value& one) { return comparison_told(one, width); });
  return text;
}

}  // namespace ridgeline::present
