#pragma once

#include <cstddef>
#include <string>

namespace ridgeline::run {

/// Splits what a descriptor that does not block gives into lines of bounded length.
class LineReader {
 public:
  enum class State { waiting, line, too_long, ended };

  LineReader(int descriptor, std::size_t max_line) : descriptor_(descriptor), max_line_(max_line) {}

  /// Reads what is there. `line`: take() it. `too_long` and `ended` stay so.
  State pump();
  /// The complete line without its newline.
  std::string take();
  /// Whether bytes lie here that nobody has taken.
  bool holds_bytes() const { return !buffer_.empty(); }

 private:
  int descriptor_;
  std::size_t max_line_;
  std::string buffer_;
  std::size_t searched_ = 0;  // no newline before
  bool ended_ = false;
};

}  // namespace ridgeline::run
