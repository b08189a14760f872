#include "harness/emulated/thread_names.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace ridgeline::emulated {

std::string index_of(std::uint64_t number, const dim3& size) {
  if (size.y == 1 && size.z == 1) return fmt::format("{}", number);
  return fmt::format("({}, {}, {})", number % size.x, number / size.x % size.y,
                     number / size.x / size.y);
}

std::string names_of(std::span<const int> threads, const dim3& block) {
  constexpr std::size_t most = 3;
  const auto name = [&](int thread) { return index_of(static_cast<std::uint64_t>(thread), block); };
  std::vector<std::string> ranges;
  std::size_t begin = 0;
  while (begin < threads.size() && ranges.size() <= most) {
    std::size_t last = begin;
    while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1) ++last;
    ranges.push_back(name(threads[begin]) + (last == begin ? "" : " to " + name(threads[last])));
    begin = last + 1;
  }
  std::string others;
  if (ranges.size() > most) {
    ranges.clear();
    for (const int thread : threads.first(most)) ranges.push_back(name(thread));
    const std::size_t left = threads.size() - most;
    others = fmt::format(" and {} {}", left, left == 1 ? "other" : "others");
  }
  std::string text = threads.size() == 1 ? "thread " : "threads ";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_last = i + 1 == ranges.size() && others.empty();
    text += std::string_view(i == 0 ? "" : is_last ? " and " : ", ");
    text += ranges[i];
  }
  return text + others;
}

}  // namespace ridgeline::emulated
