#include "harness/present/table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

constexpr std::size_t gap = 2, note_indent = 4;

/// "12.3 us" as "12", ".3" and " us".
struct Number {
  std::string_view whole, fraction, unit;
};

Number number_of(std::string_view cell) {
  const std::string_view digits = cell.substr(0, cell.find(' '));
  const std::string_view whole = digits.substr(0, digits.find('.'));
  return {whole, digits.substr(whole.size()), cell.substr(digits.size())};
}

std::string spaces(std::size_t width, std::string_view text) {
  return std::string(width - std::min(width, characters(text)), ' ');
}

/// Of numbers whose points and units stand below each other.
struct NumberWidths {
  std::size_t whole = 0, fraction = 0, unit = 0;
  void take(std::string_view cell) {
    const Number number = number_of(cell);
    whole = std::max(whole, characters(number.whole));
    fraction = std::max(fraction, characters(number.fraction));
    unit = std::max(unit, characters(number.unit));
  }
  std::string padded(std::string_view cell) const {
    const Number number = number_of(cell);
    return fmt::format("{}{}{}{}{}{}", spaces(whole, number.whole), number.whole, number.fraction,
                       spaces(fraction, number.fraction), number.unit, spaces(unit, number.unit));
  }
};

}  // namespace

/// How wide columns are, and which stand in the rows.
struct Table::Layout {
  struct Shown {
    bool in_row = true, below = false;
    std::size_t width = 0;
  };
  std::vector<Shown> columns;

  std::size_t total() const {
    std::size_t sum = 0;
    for (const Shown& column : columns)
      if (column.in_row) sum += column.width + gap;
    return sum - gap;
  }
};

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.optional = column.optional || column.note;
}

void Table::heading(std::string text) {
  lines_.push_back({Kind::heading, {std::move(text)}});
  has_heading_ = true;
}

void Table::add(std::vector<std::string> cells) {
  require(cells.size() <= columns_.size(), "a row has no more cells than the table has columns");
  cells.resize(columns_.size());
  std::string below = columns_.back().note ? std::exchange(cells.back(), {}) : "";
  lines_.push_back({Kind::row, std::move(cells), has_heading_});
  if (!below.empty()) note(std::move(below));
}

void Table::note(std::string text) {
  lines_.push_back({Kind::note, {std::move(text)}, has_heading_});
}

std::vector<Table::Line> Table::aligned_lines() const {
  std::vector<Line> lines = lines_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].align != Align::point) continue;
    const auto is_heading = [](const Line& line) { return line.kind == Kind::heading; };
    for (auto begin = lines.begin(); begin != lines.end();) {
      const auto end = std::find_if(begin + 1, lines.end(), is_heading);
      NumberWidths widths;
      for (auto line = begin; line != end; ++line)
        if (line->kind == Kind::row) widths.take(line->cells[c]);
      for (auto line = begin; line != end; ++line)
        if (line->kind == Kind::row && !line->cells[c].empty())
          line->cells[c] = widths.padded(line->cells[c]);
      begin = end;
    }
  }
  return lines;
}

Table::Layout Table::layout(const std::vector<Line>& lines, std::size_t width) const {
  Layout layout;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Layout::Shown shown;
    bool any = false;
    for (const Line& line : lines) {
      if (line.kind != Kind::row || line.cells[c].empty()) continue;
      any = true;
      const std::size_t indent = c == 0 && line.below_heading ? gap : 0;
      shown.width = std::max(shown.width, indent + characters(line.cells[c]));
    }
    shown.width = std::max(shown.width, characters(columns_[c].title));
    shown.in_row = any || !columns_[c].optional;
    layout.columns.push_back(shown);
  }
  for (std::size_t c = columns_.size(); c-- > 1 && layout.total() > width;) {
    Layout::Shown& shown = layout.columns[c];
    shown.below = shown.in_row && columns_[c].movable;
    shown.in_row = shown.in_row && !shown.below;
  }
  if (const std::size_t total = layout.total(); total > width) {
    std::size_t& first = layout.columns[0].width;
    first = std::max(characters(columns_[0].title), first - std::min(first, total - width));
  }
  return layout;
}

std::string Table::text(std::size_t width) const {
  const std::vector<Line> lines = aligned_lines();
  const Layout layout = this->layout(lines, width);
  std::string text;
  const auto put = [&](const std::vector<std::string>& cells, std::size_t indent) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Layout::Shown& shown = layout.columns[c];
      if (!shown.in_row) continue;
      std::string cell = c == 0 ? std::string(indent, ' ') + cells[c] : cells[c];
      if (c == 0 && characters(cell) > shown.width) {
        text += std::string(indent, ' ') + wrapped(cells[c], width, indent + gap, indent);
        cell.clear();
      }
      const std::string space = spaces(shown.width, cell);
      if (c > 0) line += std::string(gap, ' ');
      line += columns_[c].align == Align::left ? cell + space : space + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  const auto put_below = [&](const std::string& note, std::size_t indent) {
    indent += note_indent;
    if (!note.empty()) text += std::string(indent, ' ') + wrapped(note, width, indent, indent);
  };

  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  put(titles, 0);
  for (const Line& line : lines) {
    const std::size_t indent = line.below_heading ? gap : 0;
    if (line.kind == Kind::heading) text += wrapped(line.cells[0], width, gap);
    if (line.kind == Kind::note) put_below(line.cells[0], indent);
    if (line.kind != Kind::row) continue;
    put(line.cells, indent);
    std::string moved;
    for (std::size_t c = 0; c < line.cells.size(); ++c)
      if (layout.columns[c].below && !line.cells[c].empty())
        moved +=
            fmt::format("{}{}: {}", moved.empty() ? "" : "; ", columns_[c].title, line.cells[c]);
    put_below(moved, indent);
  }
  return text;
}

}  // namespace ridgeline::present
