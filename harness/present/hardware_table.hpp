#pragma once

#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {

/// What hardware counters say of one execution, a row for each case that has them: bytes between
/// DRAM and L2, how often that is the least that the problem needs, bytes that SMs moved to and
/// from L2, operations, how often that is the problem's own, and operations per byte of DRAM. Empty
/// without any such case.
std::string hardware_table(const std::vector<analysis::CaseSummary>& summaries, const Look& look);

}  // namespace ridgeline::present
