#include "harness/emulated/findings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "harness/emulated/global_memory.hpp"

namespace ridgeline::emulated {
namespace {

/// Which argument, from 1, holds the nearest pointer at or before `address` into the same
/// allocation, or else any that is behind it; 0 when none does.
int argument_into(std::span<const Argument> arguments, std::uint64_t address) {
  int found = 0;
  std::uint64_t nearest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= arguments[i].bytes;
         at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const std::byte*>(arguments[i].at) + at, sizeof word);
      if (!is_global(word) ||
          (word - global_base) / slot_span != (address - global_base) / slot_span)
        continue;
      const std::uint64_t distance = address - word;  // of a pointer behind it: very large
      if (found != 0 && distance >= nearest) continue;
      found = static_cast<int>(i) + 1;
      nearest = distance;
    }
  }
  return found;
}

}  // namespace

Finding& Findings::add(const char* check, std::uint32_t pc, int thread, int other,
                       std::string_view detail, std::uint64_t global) {
  const auto same = std::ranges::find_if(
      found_, [&](const Finding& known) { return known.pc == pc && known.check == check; });
  if (same != found_.end()) return ++same->count, *same;
  const int argument = is_global(global) ? argument_into(arguments_, global) : 0;
  return found_.emplace_back(check, pc, block_, thread, other, std::string(detail), argument, 1);
}

}  // namespace ridgeline::emulated
