#pragma once

#include <string>
#include <vector>

namespace ridgeline::cli {

/// A table in plain text: columns as wide as their widest cell, two spaces apart, no spaces at line ends.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns);
  /// Cells in the order of the columns; missing ones at the end are empty.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Header and rows, each line with its newline.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ridgeline::cli
