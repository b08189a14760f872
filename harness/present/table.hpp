#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/present/wrapped.hpp"

namespace ridgeline::present {

/// A table in plain text: columns as wide as their widest cell, two spaces apart, no spaces at line
/// ends. Escape sequences that colour a cell take no room.
class Table {
 public:
  /// `point`: of numbers with units, "12.3 us", points and units stand below each other, from one
  /// heading to the next.
  enum class Align { left, right, point };
  struct Column {
    std::string title;
    Align align = Align::left;
    bool movable = false;   // where lines would be too long, goes below the row, with its title
    bool optional = false;  // left out when all its cells are empty
    bool note = false;      // of the last column: its cells go below their rows, as by note()
  };

  explicit Table(std::vector<Column> columns);
  /// A line of its own. The rows after it are indented.
  void heading(std::string text);
  /// Cells in the order of the columns; missing ones at the end are empty.
  void add(std::vector<std::string> cells);
  /// Goes below the row just added, indented and wrapped.
  void note(std::string text);
  bool empty() const { return lines_.empty(); }
  /// Header and rows, each line with its newline. Lines are at most `width` characters long as far
  /// as the movable columns and the first one allow: a cell of the first that is too long stands on
  /// a line before the rest of its row.
  std::string text(std::size_t width = any_width) const;

 private:
  enum class Kind { row, heading, note };
  struct Line {
    Kind kind = Kind::row;
    std::vector<std::string> cells;
    bool below_heading = false;
  };
  struct Layout;

  std::vector<Line> aligned_lines() const;
  Layout layout(const std::vector<Line>& lines, std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<Line> lines_;
  bool has_heading_ = false;
};

}  // namespace ridgeline::present
