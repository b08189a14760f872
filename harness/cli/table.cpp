#include "harness/cli/table.hpp"

#include <algorithm>
#include <utility>

#include "harness/base/error.hpp"

namespace ridgeline::cli {
namespace {

/// Characters rather than bytes: continuation bytes of UTF-8 take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  require(cells.size() <= columns_.size(), "a row has no more cells than the table has columns");
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    widths.push_back(width(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string space(widths[c] - width(cells[c]), ' ');
      if (c > 0) out += "  ";
      out += columns_[c].align == Align::right ? space + cells[c] : cells[c] + space;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  };
  line(titles);
  for (const auto& row : rows_) line(row);
  return text;
}

}  // namespace ridgeline::cli
