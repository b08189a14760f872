#include "harness/present/markdown.hpp"

#include <string_view>

#include <fmt/core.h>

namespace ridgeline::present {

std::string markdown_cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("|\\`*_<>[]").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string markdown_table(const std::vector<Table::Column>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = "|", rule = "|";
  for (const Table::Column& column : columns) {
    text += fmt::format(" {} |", markdown_cell(column.title));
    rule += column.align == Table::Align::right ? "---:|" : "---|";
  }
  text += '\n' + rule + '\n';
  for (const std::vector<std::string>& row : rows) {
    text += '|';
    for (const std::string& each : row) text += fmt::format(" {} |", each);
    text += '\n';
  }
  return text;
}

}  // namespace ridgeline::present
