#pragma once

#include <cstddef>
#include <string>

#include "harness/base/json.hpp"
#include "harness/present/sparkline.hpp"

namespace ridgeline::present {

/// The document of a report (docs/report-format.md) as text: of each run what is wrong, its roofs,
/// the best of each suite, a roofline and its cases; what gates, nights and comparisons conclude.
/// Nothing is computed that the document has in words.
std::string report_text(const json::Value& document, Glyphs glyphs, std::size_t width);

}  // namespace ridgeline::present
