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
  InputPool(device::Device& device, std::uint64_t seed) : device_(device), seed_(seed) {}
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
  std::size_t bytes() const;        // allocated
  std::size_t taken_bytes() const;  // by views

 private:
  struct Chunk {
    device::Buffer<std::byte> memory;
    std::uint64_t first_index = 0;
    std::size_t count = 0, taken = 0;  // elements
  };
  device::Device& device_;
  std::uint64_t seed_;
  std::multimap<std::pair<DType, device::Distribution>, Chunk> chunks_;
};

}  // namespace ridgeline::measure
