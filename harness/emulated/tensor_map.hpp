#pragma once

#include <cstdint>

namespace ridgeline::emulated {

/// What a CUtensorMap says: boxes of a tensor of up to five dimensions, the contiguous one first.
struct TensorMap {
  void* memory = nullptr;
  int rank = 0, element_bytes = 0;
  std::uint64_t sizes[5] = {};    // elements
  std::uint64_t strides[5] = {};  // bytes from one element to the next; of the first dimension an
                                  // element's
  std::uint32_t box[5] = {};      // elements
  unsigned swizzle_bytes = 0;     // 0, 32, 64 or 128
};

/// Where the byte at that address of shared memory lies when 16-byte pieces of rows of
/// `swizzle_bytes` change places: the address's bits from 7 on are added, without carry, to those
/// from 4 on. Source: CUDA C++ Programming Guide, "Tensor Memory Access", "Swizzle modes".
constexpr std::uint64_t swizzled(std::uint64_t address, unsigned swizzle_bytes) {
  return swizzle_bytes == 0 ? address : address ^ (address >> 3 & (swizzle_bytes - 16));
}

}  // namespace ridgeline::emulated
