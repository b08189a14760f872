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
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0
             ? std::max(size.ws_col, least)
             : Look{}.width;
}

Look look_of(std::FILE* out) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value != nullptr ? value : "");
  };
  const bool colour =
      isatty(fileno(out)) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
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

StatusLine::StatusLine(std::FILE* out, bool quiet)
    : out_(out), quiet_(quiet), terminal_(isatty(fileno(out)) == 1) {}

void StatusLine::clear() {
  if (drawn_) say(out_, "\r\033[K");
  drawn_ = false;
}

void StatusLine::show(const std::function<std::string()>& text) {
  if (quiet_ || !terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  say(out_, "\r\033[K" + text().substr(0, terminal_width(out_) - 1));
  drawn_ = true;
}

void say_failure(const std::string& failure, const std::string& advice) {
  say(stderr, fmt::format("ridgeline: {}\n", printable(failure, 4000)));
  if (!advice.empty()) say(stderr, fmt::format("  {}\n", printable(advice, 4000)));
}

void say_left_out(const Error& why) { say_failure(fmt::format("left out: {}", why.what()), {}); }

}  // namespace ridgeline::present
