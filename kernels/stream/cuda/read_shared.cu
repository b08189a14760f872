#include "harness/device/facts.hpp"
#include "kernels/stream/cuda/walk.cuh"

// A block copies its part to shared memory once and sums it there, pass after pass, by 16-byte
// loads of neighbouring vectors. Bound by shared memory: 128 bytes per cycle and SM.
namespace ridgeline::stream::on_cuda {
namespace {

template <int in_flight>
__global__ void __launch_bounds__(threads, 1)
    sum_shared(const float* in, std::int64_t elements, int passes, unsigned* sums) {
  RIDGELINE_DYNAMIC_SHARED(uint4, held);
  const Walk mine = walk<Level::l1>(elements);
  const std::int64_t first = mine.first - threadIdx.x;
  const uint4* const vectors = reinterpret_cast<const uint4*>(in);
  for (std::int64_t i = mine.first; i < mine.end; i += mine.step) held[i - first] = vectors[i];
  __syncthreads();
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    add_bits<Level::shared, in_flight>(held, {threadIdx.x, mine.end - first, mine.step}, sum);
    std::int64_t last;
    if (has_tail_element(elements, last)) sum += __float_as_uint(in[last]);
    ptx::keep_accesses();
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}

/// Of the largest part.
std::int64_t bytes_of_part(const Problem& problem) {
  return (problem.elements / 4 / problem.units + 1) * 16;
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (static_cast<std::uint64_t>(bytes_of_part(problem)) > facts.shared_per_block)
    return device::Support::unsupported("a part does not fit in the shared memory of a block");
  return device::Support::yes();
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)),
                  .block = dim3(threads),
                  .shared_bytes = static_cast<std::size_t>(bytes_of_part(problem))},
                 stream, problem.shape.vectors == 4 ? sum_shared<4> : sum_shared<8>, operands.a,
                 problem.elements, problem.passes, static_cast<unsigned*>(operands.out));
}

}  // namespace

Variant read_shared() {
  return {"one block an SM sums 16-byte loads from shared memory",
          Operation::read,
          {Level::shared},
          supports,
          launch,
          {{.vectors = 4}}};
}

}  // namespace ridgeline::stream::on_cuda
