#include "harness/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace {

/// Length of the well-formed UTF-8 sequence that `text` starts with, 0 when it starts with none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

/// Whether the well-formed sequence does something else to a terminal than to show a character:
/// controls of C0 and C1, line separators, what turns the direction of writing, and what is not
/// seen, so that two names look alike (Default_Ignorable_Code_Point of Unicode, and noncharacters
/// of the first plane).
bool is_control(std::string_view sequence) {
  if (sequence.size() == 1) return sequence[0] < 0x20 || sequence[0] == 0x7F;
  if (sequence.size() == 2 && sequence[0] == '\xC2' && sequence[1] < '\xA0') return true;
  constexpr std::pair<std::string_view, std::string_view> ranges[] = {
      {"\u00AD", "\u00AD"},  // soft hyphen
      {"\u034F", "\u034F"},  // grapheme joiner
      {"\u061C", "\u061C"},  // Arabic mark of direction
      {"\u115F", "\u1160"},        {"\u17B4", "\u17B5"},
      {"\u180B", "\u180F"},  // fillers, selectors
      {"\u200B", "\u200F"},        {"\u2028", "\u202E"},
      {"\u2060", "\u206F"},        {"\u3164", "\u3164"},
      {"\uFE00", "\uFE0F"},        {"\uFEFF", "\uFEFF"},
      {"\uFFA0", "\uFFA0"},        {"\uFFF0", "\uFFFB"},
      {"\uFFFE", "\uFFFF"},        {"\U0001D173", "\U0001D17A"},
      {"\U000E0000", "\U000E0FFF"}};
  return std::ranges::any_of(ranges, [&](const auto& range) {
    return sequence.size() == range.first.size() && range.first <= sequence &&
           sequence <= range.second;
  });
}

/// Moves the first character of `text`, or the bytes that are none, to the end of `shown`.
void take_printable(std::string_view& text, std::string& shown) {
  const std::size_t length = sequence_length(text);
  const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
  if (length > 0 && !is_control(sequence))
    shown += sequence;
  else
    for (const char byte : sequence)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  text.remove_prefix(sequence.size());
}

void take_harmless(std::string_view line, std::string& shown) {
  bool begun = false;  // with an ASCII character that is no space
  while (!line.empty()) {
    const bool begins_command = !begun && line.starts_with("::");
    begun = begun || (line.front() > ' ' && line.front() < '\x7f');
    if (line.front() == '\t' || begins_command || begins_log_command(line)) {
      shown += begins_command ? "\\x3a" : line.front() == '\t' ? "\t" : "\\x23";
      line.remove_prefix(1);
    } else {
      take_printable(line, shown);
    }
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

/// Tries at most each place of the name with each of the pattern, however many stars it has.
bool glob(std::string_view pattern, std::string_view name) {
  std::size_t at = 0, from = 0, star = std::string_view::npos;  // the last one, and what it matches
  for (std::size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      from = i;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[i])) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool begins_log_command(std::string_view text) {
  if (!text.starts_with("##")) return false;
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 2);
  return end != std::string_view::npos && text[end] == '[';
}

std::string printable(std::string_view text, std::size_t limit) {
  constexpr std::string_view rest = "...";
  std::string shown;
  std::size_t cut = 0;  // the end of the last character within the limit
  while (!text.empty()) {
    take_printable(text, shown);
    if (shown.size() <= limit) cut = shown.size();
    if (shown.size() > limit + rest.size()) return shown.replace(cut, shown.npos, rest);
  }
  return shown;
}

std::string harmless(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end), line_end;
    text.remove_prefix(line.size());
    if (end != std::string_view::npos) {
      line_end = line.ends_with('\r') ? "\r\n" : "\n";
      line.remove_suffix(line_end.size() - 1);
      text.remove_prefix(1);
    }
    take_harmless(line, shown);
    shown += line_end;
  }
  return shown;
}

bool is_plain_name(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string_view::npos;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return false;
  return glob(pattern, name) ||
         glob(fmt::format("{}{}*", pattern, pattern.ends_with('/') ? "" : "/"), name);
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return matches(pattern, name);
         });
}

void check_picks(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                 std::string_view whose, const std::string& otherwise) {
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(names, [&](const std::string& name) { return matches(pattern, name); }))
      continue;
    const std::string near = nearest(pattern, names);
    throw Error(ErrorKind::usage, fmt::format("{} has no case {}", whose, printable(pattern)),
                near.empty() ? otherwise : fmt::format("did you mean {}? {}", near, otherwise));
  }
}

}  // namespace ridgeline
