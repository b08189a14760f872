#pragma once

#include <cstddef>
#include <cstdio>
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

enum class Colour { green, yellow, red };

/// `text` in a colour where `look` has any.
std::string coloured(const Look& look, Colour colour, std::string_view text);

/// "[######..............] 3/10".
std::string progress_bar(int done, int total);

/// Writes `text` for people while work goes on: a reader that has gone away must not end a run. Output that was lost is
/// reported when the program ends.
void say(std::FILE* out, const std::string& text);

/// One line on standard error about a results file that was left out.
void say_left_out(const Error& why);

}  // namespace ridgeline::present
