#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/text.hpp"

namespace ridgeline::present {

/// A cell as RFC 4180 wants it: in quotes, which are doubled inside, when it has a separator or a
/// quote. What steers a terminal is escaped; what a spreadsheet would take for a formula gets an
/// apostrophe before it.
inline std::string csv_cell(std::string_view cell) {
  std::string text = printable(cell, 4 * cell.size());
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos)
    text.insert(0, 1, '\'');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// The shortest text that reads back as the same number; nothing where there is none.
inline std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::to_string(*value) : std::string();
}

}  // namespace ridgeline::present
