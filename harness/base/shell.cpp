#include "harness/base/shell.hpp"

#include <cstddef>
#include <string_view>

namespace ridgeline {

std::string shell_line(const std::vector<std::string>& arguments) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (char c : argument) c == '\'' ? line += "'\\''" : line += c;
    line += '\'';
  }
  return line;
}

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!quoted && line[i] == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (line[i] == '\'')
      quoted = !quoted;
    else if (!quoted && line[i] == '\\' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += line[i];
  }
  return words;
}

}  // namespace ridgeline
