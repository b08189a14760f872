#include <cstring>
#include <span>

#include "harness/emulated/block.hpp"

// What a block says is wrong.

namespace ridgeline::emulated {
namespace {

/// Which argument, from 1, holds the nearest pointer at or before `address` into the same allocation, or else any that
/// is behind it; 0 when none does.
int argument_into(std::span<const Argument> arguments, std::uint64_t address) {
  int found = 0;
  std::uint64_t nearest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= arguments[i].bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const std::byte*>(arguments[i].at) + at, sizeof word);
      if (!is_global(word) || (word - global_base) / slot_span != (address - global_base) / slot_span) continue;
      const std::uint64_t distance = address - word;  // of a pointer behind it: very large
      if (found != 0 && distance >= nearest) continue;
      found = static_cast<int>(i) + 1;
      nearest = distance;
    }
  }
  return found;
}

}  // namespace

void Block::find(const char* check, std::uint32_t pc, int thread, int other, const std::string& detail,
                 std::uint64_t global) {
  Finding& finding = findings_[{check, pc}];
  if (finding.count++ != 0) return;
  const std::uint64_t count = finding.count;
  const int argument = is_global(global) ? argument_into(call_.each, global) : 0;
  finding = {check, pc, static_cast<std::int64_t>(number_), thread, other, detail, argument, count};
}

}  // namespace ridgeline::emulated
