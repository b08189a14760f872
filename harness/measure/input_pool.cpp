#include "harness/measure/input_pool.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace ridgeline::measure {
namespace {

constexpr std::size_t alignment = 256;                       // of views, in bytes
constexpr std::size_t least_chunk = std::size_t{4} << 20;    // bytes: many small views share one
                                                             // allocation
constexpr std::size_t largest_step = std::size_t{64} << 20;  // bytes: more is allocated only when
                                                             // one view needs it

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

// The first one of a key is of what is reserved, where the machine grants that.
InputPool::Chunk InputPool::allocate(const Key& key, std::uint64_t first_index,
                                     std::size_t count) const {
  const std::size_t element = size_of(key.first), reserved = reserved_ / element;
  if (first_index == 0 && reserved > count) {
    try {
      return {{device_, reserved * element}, first_index, reserved};
    } catch (const OutOfMemory&) {  // NOLINT(bugprone-empty-catch): less may do
    }
  }
  return {{device_, count * element}, first_index, count};
}

InputPool::View InputPool::take(DType dtype, device::Distribution distribution, std::size_t count) {
  const Key key{dtype, distribution};
  const std::size_t element = size_of(dtype);
  const std::size_t padded = round_up(count, alignment / element);
  const auto [begin, end] = chunks_.equal_range(key);
  auto chunk = std::find_if(begin, end, [&](const auto& entry) {
    return entry.second.count - entry.second.taken >= padded;
  });
  if (chunk == end) {
    std::uint64_t first_index = 0;
    for (auto it = begin; it != end; ++it)
      first_index = std::max<std::uint64_t>(first_index, it->second.first_index + it->second.count);
    const std::size_t step =
        std::clamp(static_cast<std::size_t>(first_index) * element, least_chunk, largest_step) /
        element;
    chunk = chunks_.emplace(key, allocate(key, first_index, std::max(padded, step)));
  }
  Chunk& from = chunk->second;
  const std::size_t wanted = reserved_ == 0 ? from.count : from.taken + padded;
  if (wanted > from.filled) {
    device_.fill(from.memory.data() + from.filled * element, dtype, wanted - from.filled,
                 distribution, seed_, from.first_index + from.filled);
    from.filled = wanted;
  }
  const View view{from.memory.data() + from.taken * element, from.first_index + from.taken};
  from.taken += padded;
  return view;
}

void InputPool::rewind() {
  // What one case of unusual size took must not be missing for the next, which may need another
  // element type.
  if (bytes() > device_.facts().memory / 8) chunks_.clear();
  for (auto& [key, chunk] : chunks_) chunk.taken = 0;
}

std::size_t InputPool::taken_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, chunk] : chunks_) bytes += chunk.taken * size_of(key.first);
  return bytes;
}

std::size_t InputPool::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, chunk] : chunks_) bytes += chunk.filled * size_of(key.first);
  return bytes;
}

}  // namespace ridgeline::measure
