#include "ci/studies/fuzzing/targets/target.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/text.hpp"

namespace ridgeline::fuzzing {
namespace {

constexpr std::size_t longest_words = 20'000;  // bytes that a refusal may have

void check_words(const std::string& words) {
  expect(!words.empty() && words.size() <= longest_words,
         "a refusal without words, or of too many");
  expect(is_utf8(words), "a refusal that is not UTF-8");
  const auto steers = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(words, steers))
    throw Finding(fmt::format("a refusal with a control character: {}", printable(words)));
}

}  // namespace

bool accepts(std::initializer_list<ErrorKind> kinds, const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    if (std::ranges::find(kinds, error.kind()) == kinds.end())
      throw Finding(fmt::format("an Error of kind {}: {}", error.exit_code(), error.what()));
    check_words(error.what());
    return false;
  }
}

std::size_t Bytes::number(std::size_t bytes) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < bytes && !left_.empty(); ++i) {
    value |= std::size_t{static_cast<unsigned char>(left_.front())} << (8 * i);
    left_.remove_prefix(1);
  }
  return value;
}

std::string_view Bytes::text(std::size_t most) {
  const std::size_t length = std::min({number(), most, left_.size()});
  const std::string_view text = left_.substr(0, length);
  left_.remove_prefix(length);
  return text;
}

}  // namespace ridgeline::fuzzing
