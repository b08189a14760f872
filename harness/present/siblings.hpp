#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/analysis/siblings.hpp"
#include "harness/base/json.hpp"

namespace ridgeline::present {

/// A table of the devices' times beside each other, and a sentence for each device that is slower
/// than its siblings, or for the suites in which alone it is; empty without siblings.
std::string siblings_text(const std::vector<analysis::SiblingsOfSuite>& suites, std::size_t width);

json::Value to_json(const analysis::SiblingsOfSuite& suite);

}  // namespace ridgeline::present
