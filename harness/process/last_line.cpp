#include "harness/process/last_line.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace ridgeline::process {
namespace {

bool is_rule(std::string_view line) {
  return line.size() >= 20 && line.find_first_not_of('-') == std::string_view::npos;
}

// Bytes above ASCII are letters of UTF-8.
bool is_of_a_word(unsigned char byte) { return byte >= 0x80 || std::isalnum(byte) != 0; }

std::string_view without_space(std::string_view line) {
  const auto is_space = [](unsigned char byte) { return std::isspace(byte) != 0; };
  const auto first = std::ranges::find_if_not(line, is_space);
  while (!line.empty() && is_space(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  return line.empty() ? line : line.substr(static_cast<std::size_t>(first - line.begin()));
}

}  // namespace

std::string_view last_line(std::string_view text) {
  std::string_view plain, framed;
  bool in_frame = false;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = without_space(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    if (is_rule(line))
      in_frame = !in_frame;
    else if (std::ranges::any_of(line, is_of_a_word))
      (in_frame ? framed : plain) = line;
  }
  return plain.empty() ? framed : plain;
}

}  // namespace ridgeline::process
