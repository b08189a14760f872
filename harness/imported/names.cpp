#include "harness/imported/names.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/record/rule.hpp"

namespace ridgeline::imported {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of(record::word_characters) == std::string_view::npos;
}

/// Takes what stands before `separator`, or all, and the separator from the front of `text`.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

std::string word(std::string_view text) {
  if (text.empty()) return "+";
  std::string made;
  for (const char c : text)
    if (c != '+' && record::word_characters.find(c) != std::string_view::npos)
      made += c;
    else
      made += fmt::format("+{:02x}", static_cast<unsigned char>(c));
  return made;
}

std::optional<record::CaseId> case_of(std::string_view name) {
  if (std::ranges::count(name, '/') != 3) return std::nullopt;
  record::CaseId id;
  for (std::string* part : {&id.suite, &id.variant, &id.dtype}) {
    *part = take(name, '/');
    if (!is_word(*part)) return std::nullopt;
  }
  if (name.empty() || name.back() == ',') return std::nullopt;
  while (!name.empty()) {
    std::string_view value = take(name, ',');
    const std::string_view key = take(value, '=');
    if (!is_word(key) || !is_word(value)) return std::nullopt;
    id.problem.push_back({std::string(key), std::string(value)});
  }
  return id;
}

std::string program_of(std::string_view path, std::string_view otherwise) {
  while (path.ends_with('/')) path.remove_suffix(1);
  path = path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
  return path.empty() ? std::string(otherwise) : word(path);
}

}  // namespace ridgeline::imported
