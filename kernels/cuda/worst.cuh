#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"
#include "kernels/worst.hpp"

// The worst elements of an output: a few KiB for the host, which picks the worst of them.
namespace ridgeline::kernels::on_cuda {

/// The worst of what the threads of a block found goes to partials[blockIdx.x].
__device__ inline void put_worst(Worst mine, Worst* partials) {
  __shared__ double errors[worst_threads], tolerances[worst_threads];
  __shared__ std::int64_t indices[worst_threads];
  const int thread = static_cast<int>(threadIdx.x);
  for (int others = static_cast<int>(worst_threads) / 2; others > 0; others /= 2) {
    errors[thread] = mine.error;
    tolerances[thread] = mine.tolerance;
    indices[thread] = mine.index;
    __syncthreads();
    if (thread < others) {
      const Worst other{errors[thread + others], tolerances[thread + others],
                        indices[thread + others]};
      if (worse(other, mine)) mine = other;
    }
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = mine;
}

template <class Compare>
__global__ void __launch_bounds__(worst_threads)
    worst_kernel(std::int64_t count, Compare compare, Worst* partials) {
  Worst mine;
  for (std::int64_t i = std::int64_t{blockIdx.x} * worst_threads + static_cast<int>(threadIdx.x);
       i < count; i += gridDim.x * worst_threads) {
    const Worst here = compare(i);
    if (worse(here, mine)) mine = here;
  }
  put_worst(mine, partials);
}

/// Partials of the worst of compare(0) to compare(count - 1), each of which is a Worst:
/// worst_blocks(count) of them.
template <class Compare>
void find_worst(std::int64_t count, const Compare& compare, Worst* partials,
                device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(worst_blocks(count))),
                  .block = dim3(static_cast<unsigned>(worst_threads))},
                 stream, worst_kernel<Compare>, count, compare, partials);
}

}  // namespace ridgeline::kernels::on_cuda
