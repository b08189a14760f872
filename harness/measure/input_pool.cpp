#include "harness/measure/input_pool.hpp"

#include <algorithm>

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

InputPool::View InputPool::take(DType dtype, device::Distribution distribution, std::size_t count) {
  const std::pair key{dtype, distribution};
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
    Chunk added{{}, first_index, std::max(padded, step), 0};
    added.memory = device::Buffer<std::byte>(device_, added.count * element);
    device_.fill(added.memory.data(), dtype, added.count, distribution, seed_, first_index);
    chunk = chunks_.emplace(key, std::move(added));
  }
  Chunk& from = chunk->second;
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
  for (const auto& [key, chunk] : chunks_) bytes += chunk.memory.bytes();
  return bytes;
}

}  // namespace ridgeline::measure
