#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgeline::process {

/// Splits what a descriptor that does not block gives into lines of bounded length.
class LineReader {
 public:
  enum class State { waiting, line, too_long, ended };

  LineReader(int descriptor, std::size_t max_line) : descriptor_(descriptor), max_line_(max_line) {}

  /// Reads what is there. `line`: take() it. `too_long` and `ended` stay so.
  State pump();
  /// The complete line without its newline.
  std::string take();
  /// What has come and nobody has taken.
  std::string_view held() const { return buffer_; }

 private:
  int descriptor_;
  std::size_t max_line_;
  std::string buffer_;
  std::size_t searched_ = 0;  // no newline before
  bool ended_ = false;
};

}  // namespace ridgeline::process
