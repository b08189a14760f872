#include "harness/present/wrapped.hpp"

#include <algorithm>

namespace ridgeline::present {
namespace {

/// Where to cut a word for its beginning to fit: after the last ',' or '/' within `room`
/// characters, else at its end.
std::size_t cut_of(std::string_view word, std::size_t room) {
  if (characters(word) <= room) return word.size();
  std::size_t cut = word.size();
  for (std::size_t i = 0; i + 1 < word.size() && characters(word.substr(0, i + 1)) <= room; ++i)
    if (word[i] == ',' || word[i] == '/') cut = i + 1;
  return cut;
}

}  // namespace

std::size_t characters(std::string_view text) {
  std::size_t width = 0;
  bool escape = false;
  for (const char c : text) {
    escape = escape || c == '\x1b';
    if (!escape && (c & 0xC0) != 0x80) ++width;
    if (c == 'm') escape = false;
  }
  return width;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t column) {
  std::string out;
  bool fresh = true;  // nothing stands on the line yet
  const auto next_line = [&] {
    out += '\n' + std::string(indent, ' ');
    column = indent;
    fresh = true;
  };
  const auto room = [&] { return width > column ? width - column : 0; };
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!fresh && characters(word) + 1 > room()) next_line();
    if (!fresh) {
      out += ' ';
      ++column;
    }
    for (bool whole = word.empty(); !whole;) {
      const std::size_t cut = cut_of(word, room());
      whole = cut == word.size();
      out += word.substr(0, cut);
      column += characters(word.substr(0, cut));
      word.remove_prefix(cut);
      if (!whole) next_line();
    }
    fresh = false;
  }
  return out + '\n';
}

}  // namespace ridgeline::present
