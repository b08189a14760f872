#include "harness/imported/lines.hpp"

#include <algorithm>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

bool Lines::next() {
  constexpr std::size_t longest = 1 << 20;
  text_.clear();
  std::streambuf& buffer = *stream_.rdbuf();
  constexpr int end = std::char_traits<char>::eof();
  int c = buffer.sbumpc();
  if (c == end) return false;
  ++number_;
  for (; c != end && c != '\n'; c = buffer.sbumpc()) {
    if (text_.size() == longest)
      refuse(file_, number_, "the line has more than a megabyte, so this is no text of results");
    text_.push_back(static_cast<char>(c));
  }
  if (text_.ends_with('\r')) text_.pop_back();
  return true;
}

std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> found;
  constexpr std::string_view space = " \t";
  for (std::size_t begin = text.find_first_not_of(space); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(space, begin), text.size());
    found.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(space, end);
  }
  return found;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

}  // namespace ridgeline::imported
