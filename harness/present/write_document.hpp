#pragma once

#include <ostream>

#include "harness/base/json.hpp"

namespace ridgeline::present {

/// Writes a report document so that people find their way and files stay small: a line per value
/// down to the lists in its parts, and a line per element of these, such as a case.
void write_document(std::ostream& stream, const json::Value& document);

}  // namespace ridgeline::present
