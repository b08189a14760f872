#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace ridgeline::present {

/// Columns of the terminal behind `out`; 100 where there is none.
std::size_t terminal_width(std::FILE* out);

/// How text for people looks on `out`.
struct Look {
  std::size_t width = 100;
  bool colour = false;
};

/// Colour is for terminals alone, and not where $NO_COLOR is set or the terminal is dumb.
Look look_of(std::FILE* out);

enum class Colour { red = 31, green, yellow };

/// What coloured() puts around a text.
inline constexpr std::string_view colour_codes[] = {"\x1b[0m", "\x1b[31m", "\x1b[32m", "\x1b[33m"};

/// `text` in a colour where `look` has any.
std::string coloured(const Look& look, Colour colour, std::string_view text);

/// "[######..............] 3/10".
std::string progress_bar(int done, int total);

/// The line on which a terminal shows how far work is: it stays below what is said meanwhile.
class StatusLine {
 public:
  /// `quiet` shows nothing, and neither does what is no terminal, or a dumb one.
  StatusLine(std::FILE* out, bool quiet);
  ~StatusLine() { clear(); }
  void clear();

 protected:
  /// Shows as much of the text as fits, at most ten times a second.
  void show(const std::function<std::string()>& text);

  std::FILE* out_;
  bool quiet_, terminal_;

 private:
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// Says on standard error what failed and, where there is any, the advice.
void say_failure(const std::string& failure, const std::string& advice);

/// On standard error, why a results file was left out, and what to do about it.
void say_left_out(const Error& why);
/// Says so with each call of what it returns, but each sentence once.
std::function<void(const Error& why)> say_left_out_once();

}  // namespace ridgeline::present
