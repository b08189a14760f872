#pragma once

#include <string>
#include <vector>

#include "harness/present/explain.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {

/// What `ridgeline explain` says of a case, in sentences.
struct ExplainWords {
  std::string conclusion;
  std::vector<std::string> distance;  // how far it is from what bounds it
  std::vector<std::string> doubts;    // why the conclusion may be wrong
  std::vector<std::string> device;    // clocks, power, occupancy
  std::vector<std::string> ladders;   // what the next rung did about it
};

/// `device`: that the case ran on.
ExplainWords explain_words(const ExplainedCase& explained, const record::Device& device);

/// "DRAM", "shared memory"; of a CPU "cores".
std::string resource_name(analysis::Resource resource, DeviceKind kind);

/// The cells of a resource's row, in the order of usage_columns().
std::vector<std::string> usage_cells(const analysis::Usage& usage, DeviceKind kind);
std::vector<Table::Column> usage_columns();

}  // namespace ridgeline::present
