#include "harness/present/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/text.hpp"
#include "harness/present/output.hpp"

namespace ridgeline::present {

std::size_t terminal_width(std::FILE* out) {
  constexpr unsigned short least = 40;  // what is narrower says nothing, or cannot be written for
  winsize size = {};
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0
             ? std::max(size.ws_col, least)
             : Look{}.width;
}

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool obeys_escapes(std::FILE* out) {
  return isatty(fileno(out)) == 1 && variable("TERM") != "dumb";
}

}  // namespace

Look look_of(std::FILE* out) {
  return {terminal_width(out), obeys_escapes(out) && variable("NO_COLOR").empty()};
}

std::string coloured(const Look& look, Colour colour, std::string_view text) {
  if (!look.colour) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
}

std::string progress_bar(int done, int total) {
  constexpr int cells = 20;
  const int filled = total > 0 ? std::clamp(cells * done / total, 0, cells) : 0;
  return fmt::format("[{:#>{}}{:.>{}}] {}/{}", "", filled, "", cells - filled, done, total);
}

StatusLine::StatusLine(std::FILE* out, bool quiet)
    : out_(out), quiet_(quiet), terminal_(obeys_escapes(out)) {}

void StatusLine::clear() {
  if (drawn_) say_over(out_, "");
  drawn_ = false;
}

void StatusLine::show(const std::function<std::string()>& text) {
  if (quiet_ || !terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  say_over(out_, text().substr(0, terminal_width(out_) - 1));
  drawn_ = true;
}

void say_failure(const std::string& failure, const std::string& advice) {
  say(stderr, fmt::format("ridgeline: {}\n", printable(failure, 4000)));
  if (!advice.empty()) say(stderr, fmt::format("  {}\n", printable(advice, 4000)));
}

void say_left_out(const Error& why) {
  say_failure(fmt::format("left out: {}", why.what()), why.advice());
}

std::function<void(const Error&)> say_left_out_once() {
  return [said = std::set<std::string>()](const Error& why) mutable {
    if (said.insert(why.what()).second) say_left_out(why);
  };
}

}  // namespace ridgeline::present
