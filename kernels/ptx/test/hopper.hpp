#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/stream.hpp"

// Small kernels of Hopper's asynchronous instructions, for tests. Each function launches one block;
// pointers are device memory, aligned to 256 bytes.
namespace ridgeline::ptx::test {

/// out = in + 1 for `count` unsigned numbers, a multiple of 4 and at most 4096: by bulk copies, one
/// for each way.
void increment(device::Stream& stream, const unsigned* in, unsigned* out, int count);
/// The same, where a thread looks at its barrier from time to time instead of waiting, and counts
/// how often in out[0].
void poll(device::Stream& stream, const unsigned* in, unsigned* out);

/// A tensor of 16-bit elements, without gaps in its rows but for `pitch_bytes` from one to the
/// next; and a box of it.
struct Tensor {
  std::vector<std::uint64_t> sizes;  // the contiguous dimension first
  std::uint64_t pitch_bytes = 0;     // of the second dimension
  std::vector<std::uint32_t> box;
  unsigned swizzle_bytes = 0;
};
/// Loads the box at `at` (five coordinates, the last ones unused) and writes the block's shared
/// memory to `out`: the box's bytes as they lie there.
void load_box_at(device::Stream& stream, const Tensor& tensor, unsigned short* memory,
                 const int* at, unsigned short* out);
/// Fills shared memory with 1, 2, ... by the element's place there, and stores it as the box at
/// `at`.
void store_box_at(device::Stream& stream, const Tensor& tensor, unsigned short* memory,
                  const int* at);

enum class Element { f16, bf16, tf32, e4m3 };
/// d = a b^T by wgmma, of 64 x columns (64, 128 or 256; of tf32 256; of e4m3 128 or 256): a is 64
/// rows and b `columns` rows of span bytes, 32 without swizzle, else `swizzle_bytes`. d[thread *
/// columns / 2 + i] is register i of each of the 128 threads.
void multiply_group(device::Stream& stream, Element element, int columns, unsigned swizzle_bytes,
                    const void* a, const void* b, float* d);

/// d = a b of 16-bit elements by wgmma, of 64 x 256: a is 64 rows of `swizzle_bytes`, and b is
/// row-major, swizzle_bytes / 2 rows of 256. What was in d's registers before counts for nothing.
void multiply_transposed_group(device::Stream& stream, Element element, unsigned swizzle_bytes,
                               const void* a, const void* b, float* d);

/// The same of 64 or 128 columns, with the left factor in registers, whose rows are `depth` 16-bit
/// elements: swizzle_bytes / 2, or 32 where `transposed`: then b is `depth` rows of `columns`.
void multiply_from_registers(device::Stream& stream, Element element, int columns,
                             unsigned swizzle_bytes, bool transposed, const void* a, const void* b,
                             float* d);

/// A kernel that may begin before the one before it ends writes 1; `waits`: as it has to.
void begin_early(device::Stream& stream, bool waits, unsigned* out);

/// Two warpgroups share out their registers anew, and write 1 and 2 for each of their threads.
void share_registers(device::Stream& stream, unsigned* out);

}  // namespace ridgeline::ptx::test
