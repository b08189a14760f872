#include "harness/present/siblings.hpp"

#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::Sibling;
using analysis::SiblingsOfSuite;

std::string cell(const Sibling& sibling) {
  std::string text = fmt::format("{:.3f}", sibling.ratio);
  if (sibling.interval)
    text += fmt::format(" ({:.3f} to {:.3f})", sibling.interval->low, sibling.interval->high);
  return text;
}

std::string slower_text(const SiblingsOfSuite& suite, const Sibling& sibling, std::size_t width) {
  return wrapped(
      fmt::format("{} is slower than its siblings{} by {} (at least {}).",
                  printable(sibling.device),
                  suite.suite.empty() ? "" : " in " + printable(suite.suite),
                  units::percent(sibling.ratio - 1), units::percent(sibling.interval->low - 1)),
      width, 0);
}

}  // namespace

std::string siblings_text(const std::vector<SiblingsOfSuite>& suites, std::size_t width) {
  if (suites.empty()) return "";
  std::vector<Table::Column> columns{{"beside its siblings"}, {"cases", Table::Align::right}};
  for (const Sibling& sibling : suites.front().devices)
    columns.push_back({printable(sibling.device), Table::Align::left, true});
  Table table(std::move(columns));
  std::string slower;
  for (const SiblingsOfSuite& suite : suites) {
    std::vector<std::string> cells{suite.suite.empty() ? "all suites" : printable(suite.suite),
                                   std::to_string(suite.cases)};
    for (std::size_t i = 0; i < suite.devices.size(); ++i) {
      const Sibling& sibling = suite.devices[i];
      cells.push_back(cell(sibling));
      const bool is_said = &suite != &suites.front() && suites.front().devices[i].is_slower();
      if (sibling.is_slower() && !is_said) slower += slower_text(suite, sibling, width);
    }
    table.add(std::move(cells));
  }
  if (!suites.front().devices.front().interval)
    slower = "With one process per case, nothing tells a slower device from noise.\n";
  else if (slower.empty())
    slower = "No device is slower than its siblings beyond noise.\n";
  return table.text(width) + slower;
}

json::Value to_json(const SiblingsOfSuite& suite) {
  json::Value devices = json::list(suite.devices, [](const Sibling& sibling) {
    json::Value one{{"device", sibling.device}, {"ratio", sibling.ratio}};
    if (sibling.interval) {
      one["interval"] = {sibling.interval->low, sibling.interval->high};
      one["slower"] = sibling.is_slower();
    }
    return one;
  });
  json::Value all{
      {"cases", suite.cases}, {"processes", suite.processes}, {"devices", std::move(devices)}};
  if (!suite.suite.empty()) all["suite"] = suite.suite;
  return all;
}

}  // namespace ridgeline::present
