#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {

/// What was counted, with a decimal prefix: "137 GFLOP", without a unit "16.7 G".
std::string counted(double value, std::string_view unit = {});

/// What hardware counters say of one execution, a row for each case that has them: bytes between
/// DRAM and L2, how often that is the least that the problem needs, bytes that SMs moved to and
/// from L2, operations, how often that is the problem's own, and operations per byte of DRAM. Empty
/// without any such case.
std::string hardware_table(const std::vector<analysis::CaseSummary>& summaries, const Look& look);

/// The cells of its row, without the name of the case; none where the case has no such counters.
std::vector<std::string> hardware_cells(const analysis::CaseSummary& summary);
/// Their titles.
std::vector<Table::Column> hardware_columns();

}  // namespace ridgeline::present
