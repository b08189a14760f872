#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// Collects what a reader finds in one file, and holds it to the rules of what is stored.
class Gathering {
 public:
  /// `file` is how Errors call it; `program` is a word.
  Gathering(std::string file, std::string program);

  /// The row of `key` and `execution`, made when there is none. Refuses more than max_rows.
  std::size_t row(std::size_t line, const std::string& key, int execution = 0);
  bool has(const std::string& key, int execution = 0) const;
  Row& operator[](std::size_t row) { return contents.rows[row]; }

  /// One more time of a row, of one execution; refuses what no time is. Returns how many there were
  /// before.
  std::size_t sample(std::size_t row, std::size_t line, double ns, std::int64_t executions);
  /// A quantity of the row's latest sample. What cannot be stored as a number is said, and flagged.
  void metric(std::size_t row, std::size_t line, std::string_view name, double value,
              const std::string& unit, record::Direction direction = record::Direction::none);
  /// What the latest sample says in words.
  void say(std::size_t row, std::string_view name, std::string_view text);
  /// What the file says of itself, as far as there is room.
  void fact(std::string_view name, std::string_view text);
  void flag(std::size_t line, const std::string& what);
  [[noreturn]] void refuse(std::size_t line, const std::string& what,
                           const std::string& advice = {}) const;
  const std::string& file() const { return file_; }

  /// All of it. Refuses a file without rows, names that are too long, and two rows of one case in
  /// one execution.
  Contents take();

  Contents contents;

 private:
  void finish(std::size_t row);
  void put_metrics(std::size_t row);

  std::string file_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::vector<std::vector<double>>> values_;  // by row and metric, of each sample
  std::size_t more_flags_ = 0, more_facts_ = 0;
  bool medians_only_ = false;
};

}  // namespace ridgeline::imported
