#include "harness/present/output.hpp"

#include <algorithm>

#include "harness/base/text.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {
namespace {

void put(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }

/// How many bytes at the beginning of `text` are a colour as coloured() writes it.
std::size_t colour_length(std::string_view text) {
  for (const std::string_view code : colour_codes)
    if (text.starts_with(code)) return code.size();
  return 0;
}

}  // namespace

void say(std::FILE* out, std::string_view text) {
  const bool colour = look_of(out).colour;
  while (!text.empty()) {
    const std::size_t code = colour ? colour_length(text) : 0;
    put(out, text.substr(0, code));
    text.remove_prefix(code);
    const std::size_t next = colour ? text.find('\x1b', code > 0 ? 0 : 1) : std::string_view::npos;
    put(out, harmless(text.substr(0, next)));
    text.remove_prefix(std::min(next, text.size()));
  }
  std::fflush(out);
}

void say_commands(std::FILE* out, std::string_view commands) {
  put(out, commands);
  std::fflush(out);
}

void say_over(std::FILE* out, std::string_view text) {
  put(out, "\r\033[K");
  say(out, text);
}

}  // namespace ridgeline::present
