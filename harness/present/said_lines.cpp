#include "harness/present/said_lines.hpp"

#include <cstddef>
#include <string_view>

#include "harness/present/output.hpp"

namespace ridgeline::present {
namespace {

/// A program that prints no line end shall not fill the memory.
constexpr std::size_t longest_unfinished = 64 << 10;

}  // namespace

SaidLines::Lines::~Lines() { say(out_, rest_); }

SaidLines::Lines::int_type SaidLines::Lines::overflow(int_type letter) {
  const char one = traits_type::to_char_type(letter);
  if (!traits_type::eq_int_type(letter, traits_type::eof())) xsputn(&one, 1);
  return traits_type::not_eof(letter);
}

std::streamsize SaidLines::Lines::xsputn(const char* text, std::streamsize size) {
  rest_.append(text, static_cast<std::size_t>(size));
  const std::size_t line_end = rest_.rfind('\n');
  std::size_t whole = line_end == std::string::npos ? 0 : line_end + 1;
  // What only the next letters make a command, or a letter, waits for them.
  constexpr std::size_t longest_begin = 64;
  if (rest_.size() - whole > longest_unfinished) {
    whole = rest_.size() - longest_begin;
    while ((rest_[whole] & 0xC0) == 0x80 && whole > rest_.size() - 2 * longest_begin) --whole;
  }
  if (whole == 0) return size;
  say(out_, std::string_view(rest_).substr(0, whole));
  rest_.erase(0, whole);
  return size;
}

}  // namespace ridgeline::present
