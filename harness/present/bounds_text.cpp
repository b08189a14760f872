#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/catalogue/device_name.hpp"
#include "harness/present/bounds.hpp"
#include "harness/present/markdown.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

using analysis::BoundTerm;
constexpr const char* meaning =
    "bounds, never forecasts: the counted work takes at least this long, and may take longer";

std::string head(const DeviceBounds& device) {
  const catalogue::Datasheet& sheet = device.sheet;
  const double clock = analysis::clock_of_roof(sheet), shared = 128 * clock * sheet.sms;
  std::string text = fmt::format(
      "{}, counts of {}\n  DRAM {}, shared memory {} ({} SMs at {:.0f} MHz), f32 {}: {}\n",
      sheet.model, device.counted_by, units::byte_rate(sheet.dram_gb_s * 1e9),
      units::byte_rate(shared), sheet.sms, clock / 1e6, units::flop_rate(sheet.f32 * 1e12),
      sheet.source);
  if (device.l2)
    text += fmt::format("  L2 {}: {}, measured by run {}\n", units::byte_rate(device.l2->value),
                        device.l2->kind, device.l2_run);
  return text;
}

/// The resources that any case uses, in the order of a bound's terms.
std::vector<std::string> resources(const DeviceBounds& device) {
  std::vector<std::string> used;
  for (const char* resource : {"DRAM", "L2", "shared memory", "CUDA cores", "tensor cores"})
    for (const BoundedCase& one : device.cases)
      if (std::ranges::find(one.bound.terms, resource, &BoundTerm::resource) !=
          one.bound.terms.end()) {
        used.emplace_back(resource);
        break;
      }
  return used;
}

std::string table(const DeviceBounds& device, std::size_t width) {
  using Align = Table::Align;
  const std::vector<std::string> used = resources(device);
  std::vector<Table::Column> columns{{"case"}};
  for (const std::string& resource : used) columns.push_back({resource, Align::right, true});
  for (const char* title : {"bound", "FLOP/B", "FLOP/s at bound", "measured", "measured/bound"})
    columns.push_back({title, Align::right, std::string_view(title).starts_with("FLOP")});
  columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(used.size()) + 2, {"set by"});
  Table table(columns);
  for (const BoundedCase& one : device.cases) {
    const analysis::Bound& bound = one.bound;
    std::vector<std::string> row{printable(one.name, 400)};
    for (const std::string& resource : used) {
      const auto term = std::ranges::find(bound.terms, resource, &BoundTerm::resource);
      row.push_back(term == bound.terms.end() ? "" : units::time(term->ns));
    }
    row.push_back(bound.binding ? units::time(bound.binding->ns) : "none");
    row.push_back(bound.binding ? bound.binding->resource : "");
    row.push_back(bound.flop_per_byte ? fmt::format("{:.3g}", *bound.flop_per_byte) : "");
    row.push_back(bound.flop_rate ? units::flop_rate(*bound.flop_rate) : "");
    row.push_back(one.measured ? units::time(one.measured->median_ns) : "");
    row.push_back(
        one.ratio() ? fmt::format("{:.3g}{}", *one.ratio(), one.below_bound() ? " !!" : "") : "");
    table.add(row);
  }
  return table.text(width);
}

/// What is not in the bounds, once for all cases, or with the cases that lack it.
std::string left_out(const DeviceBounds& device) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const BoundedCase& one : device.cases)
    for (const std::string& what : one.bound.left_out) cases[what].push_back(one.name);
  std::string text;
  for (const auto& [what, names] : cases) {
    text += fmt::format("left out: {}", what);
    if (names.size() < device.cases.size()) text += fmt::format(" ({})", fmt::join(names, ", "));
    text += '\n';
  }
  return text;
}

std::string below_bound(const DeviceBounds& device) {
  std::string text;
  for (const BoundedCase& one : device.cases)
    if (one.below_bound())
      text += fmt::format(
          "!! MEASURED BELOW ITS BOUND: {}: {} in run {}, and {} (set by {}) is the least\n",
          printable(one.name, 400), units::time(one.measured->median_ns), one.measured->run,
          units::time(one.bound.binding->ns), one.bound.binding->resource);
  if (!text.empty())
    text +=
        "   Its counts, its time or the datasheet is wrong, or a cache kept what the counts send "
        "to DRAM.\n";
  return text;
}

struct RunsOfBounds {
  std::set<std::string> counted, measured;
};
RunsOfBounds runs_of(const DeviceBounds& device) {
  RunsOfBounds runs;
  for (const BoundedCase& one : device.cases) {
    runs.counted.insert(one.counted_run);
    if (one.measured) runs.measured.insert(one.measured->run);
  }
  return runs;
}

std::string text_of(const DeviceBounds& device, std::size_t width) {
  const auto [counted, measured] = runs_of(device);
  std::string text = head(device);
  if (!device.cases.empty()) text += '\n' + table(device, width) + '\n' + below_bound(device);
  for (const UncountedCase& one : device.uncounted)
    text +=
        fmt::format("not counted: {}: {}\n", printable(one.name, 400), printable(one.why, 1000));
  text += left_out(device);
  if (!counted.empty()) text += fmt::format("counted by run {}\n", fmt::join(counted, ", "));
  text += measured.empty() ? "measured: no case of these names on this model is stored\n"
                           : fmt::format("measured by run {}\n", fmt::join(measured, ", "));
  return text;
}

/// The times of all resources, the longest first: "DRAM 163 ns, CUDA cores 502 ns".
std::string terms_text(std::vector<BoundTerm> terms) {
  std::ranges::stable_sort(terms, std::ranges::greater(), &BoundTerm::ns);
  std::string text;
  for (const BoundTerm& term : terms)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", term.resource, units::time(term.ns));
  return text;
}

std::string markdown_of(const DeviceBounds& device) {
  const catalogue::Datasheet& sheet = device.sheet;
  std::vector<std::vector<std::string>> rows;
  for (const BoundedCase& one : device.cases)
    rows.push_back(
        {"`" + printable(one.name, 400) + "`",
         one.bound.binding ? units::time(one.bound.binding->ns) : "none",
         terms_text(one.bound.terms),
         one.bound.flop_rate ? units::flop_rate(*one.bound.flop_rate) : "",
         one.measured ? units::time(one.measured->median_ns) : "",
         one.ratio() ? fmt::format("{:.3g}{}", *one.ratio(), one.below_bound() ? " !!" : "") : ""});
  std::map<std::string, std::vector<std::string>> uncounted;  // by reason
  for (const UncountedCase& one : device.uncounted)
    uncounted[markdown_cell(printable(one.why, 1000))].push_back("`" + printable(one.name, 400) +
                                                                 "`");
  using Align = Table::Align;
  const auto [counted, measured] = runs_of(device);
  std::string text = fmt::format(
      "### {}\n\nDRAM {}, f32 {}: {}.\nCounts of {}, by run {}{}.\n\n{}", sheet.model,
      units::byte_rate(sheet.dram_gb_s * 1e9), units::flop_rate(sheet.f32 * 1e12), sheet.source,
      device.counted_by, fmt::join(counted, ", "),
      measured.empty() ? "" : fmt::format("; measured by run {}", fmt::join(measured, ", ")),
      markdown_table({{"case"},
                      {"least time", Align::right},
                      {"because of"},
                      {"rate at it", Align::right},
                      {"measured", Align::right},
                      {"measured over least", Align::right}},
                     rows));
  for (const auto& [why, names] : uncounted)
    text += fmt::format("\nNot counted ({}): {}.\n", why, fmt::join(names, ", "));
  return text;
}

json::Value term_json(const BoundTerm& term) {
  return {{"resource", term.resource}, {"amount", term.amount},           {"unit", term.unit},
          {"rate", term.rate},         {"rate_source", term.rate_source}, {"ns", term.ns}};
}

json::Value row_json(const BoundedCase& one) {
  json::Value object{{"case", one.name}, {"counted_run", one.counted_run}};
  const analysis::Bound& bound = one.bound;
  if (bound.binding) {
    object["bound_ns"] = bound.binding->ns;
    object["set_by"] = bound.binding->resource;
  }
  json::put(object, "flop_per_byte", bound.flop_per_byte);
  json::put(object, "flop_rate_at_bound", bound.flop_rate);
  object["terms"] = json::list(bound.terms, term_json);
  object["left_out"] = bound.left_out;
  if (one.measured)
    object["measured"] = {{"run", one.measured->run}, {"median_ns", one.measured->median_ns}};
  if (one.ratio()) {
    object["measured"]["over_bound"] = *one.ratio();
    object["measured"]["below_bound"] = one.below_bound();
  }
  return object;
}

json::Value device_json(const DeviceBounds& device) {
  json::Value object{{"device", catalogue::slug(device.sheet)},
                     {"model", device.sheet.model},
                     {"capability", device.sheet.capability},
                     {"source", device.sheet.source},
                     {"counted_by", device.counted_by}};
  if (device.l2)
    object["l2"] = {{"roof", device.l2->kind}, {"value", device.l2->value}, {"run", device.l2_run}};
  object["cases"] = json::list(device.cases, row_json);
  object["not_counted"] = json::list(device.uncounted, [](const UncountedCase& one) {
    return json::Value{{"case", one.name}, {"why", one.why}};
  });
  return object;
}

}  // namespace

std::string bounds_text(const std::vector<DeviceBounds>& devices, std::size_t width) {
  std::string text = fmt::format("Least times that counts allow: {}.\n", meaning);
  for (const DeviceBounds& device : devices) text += '\n' + text_of(device, width);
  return text;
}

std::string bounds_markdown(const std::vector<DeviceBounds>& devices) {
  std::string text;
  for (const DeviceBounds& device : devices)
    text += (text.empty() ? "" : "\n") + markdown_of(device);
  return text;
}

json::Value to_json(const std::vector<DeviceBounds>& devices) {
  return {{"meaning", meaning}, {"devices", json::list(devices, device_json)}};
}

}  // namespace ridgeline::present
