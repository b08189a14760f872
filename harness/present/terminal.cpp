#include "harness/present/terminal.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/text.hpp"

namespace ridgeline::present {

std::size_t terminal_width(std::FILE* out) {
  constexpr unsigned short least = 40;  // what is narrower says nothing, or cannot be written for
  winsize size = {};
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? std::max(size.ws_col, least) : Look{}.width;
}

Look look_of(std::FILE* out) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value != nullptr ? value : "");
  };
  const bool colour = isatty(fileno(out)) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return {terminal_width(out), colour};
}

std::string coloured(const Look& look, Colour colour, std::string_view text) {
  const int code = colour == Colour::green ? 32 : colour == Colour::yellow ? 33 : 31;
  return look.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string progress_bar(int done, int total) {
  constexpr int cells = 20;
  const int filled = total > 0 ? std::clamp(cells * done / total, 0, cells) : 0;
  return fmt::format("[{:#>{}}{:.>{}}] {}/{}", "", filled, "", cells - filled, done, total);
}

void say(std::FILE* out, const std::string& text) {
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

void say_left_out(const Error& why) {
  say(stderr, fmt::format("ridgeline: left out: {}\n", printable(why.what(), 4000)));
}

}  // namespace ridgeline::present
