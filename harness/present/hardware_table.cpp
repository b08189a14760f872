#include "harness/present/hardware_table.hpp"

#include <optional>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/rate.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using Align = Table::Align;

/// "1.07x"; empty without a number to divide by.
std::string times(double value, std::optional<double> of) {
  return of && *of > 0 ? units::plain(value / *of) + "x" : "";
}

}  // namespace

std::string counted(double value, std::string_view unit) {
  std::string text = units::in(units::unit_for(value, unit), value);
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

std::vector<std::string> hardware_cells(const CaseSummary& summary) {
  if (!metric(summary.metrics, "hardware_dram_read_bytes")) return {};
  const auto of = [&](const char* name) { return metric(summary.metrics, name).value_or(0); };
  const double dram = of("hardware_dram_read_bytes") + of("hardware_dram_written_bytes");
  const double flops = of("hardware_flops") + of("hardware_tensor_flops");
  return {units::bytes(dram),
          times(dram, summary.bytes),
          units::bytes(of("hardware_l2_bytes")),
          counted(flops, "FLOP"),
          times(flops, summary.flops),
          dram > 0 ? units::plain(flops / dram) : ""};
}

std::vector<Table::Column> hardware_columns() {
  return {{"DRAM", Align::right},       {"of least", Align::right},
          {"L2", Align::right},         {"operations", Align::right},
          {"of its own", Align::right}, {"per byte of DRAM", Align::right, true}};
}

std::string hardware_table(const std::vector<CaseSummary>& summaries, const Look& look) {
  std::vector<Table::Column> columns = hardware_columns();
  columns.insert(columns.begin(), {"counted by the GPU, in one execution"});
  Table table(columns);
  for (const CaseSummary& summary : summaries) {
    std::vector<std::string> cells = hardware_cells(summary);
    if (cells.empty()) continue;
    cells.insert(cells.begin(), printable(record::name(summary.case_info.id), 400));
    table.add(cells);
  }
  return table.empty() ? "" : table.text(look.width);
}

}  // namespace ridgeline::present
