#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "harness/base/dtype.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"

namespace ridgeline::measure {

/// Random input data that the cases of one process share: filling memory anew for each case would
/// cost more than timing it. One growing allocation an element type and distribution; element i of
/// it is random_element(dtype, ..., seed(), i).
class InputPool {
 public:
  /// Where memory costs nothing until it is touched, an allocation may be of `reserved` bytes, of
  /// which no more is filled than is taken. Then a case that takes no more has the same elements
  /// whatever the process measured before.
  InputPool(device::Device& device, std::uint64_t seed, std::size_t reserved = 0)
      : device_(device), seed_(seed), reserved_(reserved) {}
  InputPool(const InputPool&) = delete;

  struct View {
    const void* data;           // `count` elements, aligned to 256 bytes
    std::uint64_t first_index;  // element i equals random_element(dtype, distribution, pool.seed(),
                                // first_index + i)
  };

  /// The next `count` elements. Views stay valid until rewind(); taking more than is there
  /// allocates and fills more.
  View take(DType dtype, device::Distribution distribution, std::size_t count);
  /// Gives all views back: the next take starts at element 0 again. Frees a pool that has grown
  /// beyond an eighth of the device's memory.
  void rewind();
  std::uint64_t seed() const { return seed_; }
  std::size_t bytes() const;        // allocated; of what is reserved, filled
  std::size_t taken_bytes() const;  // by views

 private:
  struct Chunk {
    device::Buffer<std::byte> memory;
    std::uint64_t first_index = 0;
    std::size_t count = 0, filled = 0, taken = 0;  // elements
  };
  using Key = std::pair<DType, device::Distribution>;
  Chunk allocate(const Key& key, std::uint64_t first_index, std::size_t count) const;

  device::Device& device_;
  std::uint64_t seed_;
  std::size_t reserved_;
  std::multimap<Key, Chunk> chunks_;
};

}  // namespace ridgeline::measure
