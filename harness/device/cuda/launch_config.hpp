#pragma once

#include <cstddef>

#include <vector_types.h>

namespace ridgeline::device {

struct LaunchConfig {
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;  // dynamic
  dim3 cluster{1, 1, 1};  // blocks that run together and reach each other's shared memory; it
                          // divides the grid
  bool resident = false;  // all blocks run together, because they wait for each other
  // The kernel may begin before the one before it in the stream has ended, since its threads call
  // ptx::previous_kernel_wait() before they touch device memory. From compute capability 9.0 on.
  bool early = false;
};

/// Blocks of `size` that cover `count` elements.
constexpr unsigned blocks_for(long long count, long long size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace ridgeline::device
