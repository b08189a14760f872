#include "harness/emulated/spin.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/emulated/log.hpp"

namespace ridgeline::emulated {
namespace {

// Accesses of a loop that is known again.
constexpr std::uint32_t longest_lap = 256;

// Bytes of a stack. One that is larger is looked at less often: what is the same several laps later
// never ends by itself either.
constexpr std::size_t hashed_per_lap = 1024;

/// Bytes that nobody has written count, too. They hold what functions have left there that ended
/// before: where that differs from lap to lap, a lane that only waits is taken for one that counts,
/// and found later.
std::uint64_t hash_of(std::span<const std::byte> stack) {
  std::uint64_t hash = 1;
  for (; stack.size() >= sizeof hash; stack = stack.subspan(sizeof hash)) {
    std::uint64_t word;
    std::memcpy(&word, stack.data(), sizeof word);
    hash = (hash ^ word) * mixer;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

bool Spin::is_new(std::uint64_t at, std::uint64_t value, std::span<const std::byte> stack) {
  lap_ = (lap_ ^ (value + at * 31)) * mixer;
  if (at == from_ && value == there_) {
    repeats_ = lap_ == last_lap_;
    last_lap_ = std::exchange(lap_, 0);
    accesses_ = 0;
    if (repeats_ && unhashed_-- == 0) {
      unhashed_ = static_cast<std::uint32_t>(stack.size() / hashed_per_lap);
      const std::uint64_t state = hash_of(stack);
      const bool acts = std::exchange(acts_, false);
      counts_ = std::exchange(state_, state) != state || acts;
    }
  } else if (at == from_ || ++accesses_ > most_) {  // another lap begins, which may be longer
    most_ = at == from_ ? 1 : std::min(2 * most_ + 1, longest_lap);
    from_ = at;
    there_ = value;
    lap_ = last_lap_ = accesses_ = 0;
    repeats_ = false;
  }
  return !repeats_;
}

}  // namespace ridgeline::emulated
