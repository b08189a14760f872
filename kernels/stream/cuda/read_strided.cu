#include "kernels/ptx/cache_policy.cuh"
#include "kernels/stream/cuda/walk.cuh"

// Sums the bits of all elements in four blocks of 512 threads an SM, which walk the array side by
// side: all 2048 threads of an SM have loads under way. Bound by DRAM.
namespace ridgeline::stream::on_cuda {
namespace {

constexpr int block_threads = 512, blocks_a_unit = 4;
constexpr int slots = Problem::sums_per_unit / blocks_a_unit;  // a block's sums

template <int vectors>
__global__ void __launch_bounds__(block_threads, blocks_a_unit)
    sum_strided(const float* in, std::int64_t elements, int passes, unsigned* sums) {
  const auto from = reinterpret_cast<const uint4*>(in);
  const std::int64_t step = std::int64_t{gridDim.x} * block_threads, end = elements / 4;
  const int thread = static_cast<int>(threadIdx.x);
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t i = std::int64_t{blockIdx.x} * block_threads + thread;
#pragma unroll 1
    for (; i + (vectors - 1) * step < end; i += vectors * step) {
      uint4 value[vectors];
#pragma unroll
      for (int j = 0; j < vectors; ++j) value[j] = ptx::load_past_l1(from + i + j * step);
#pragma unroll
      for (int j = 0; j < vectors; ++j) sum += value[j].x + value[j].y + value[j].z + value[j].w;
    }
#pragma unroll 1
    for (; i < end; i += step) {
      const uint4 value = ptx::load_past_l1(from + i);
      sum += value.x + value.y + value.z + value.w;
    }
    std::int64_t last;
    if (has_tail_element(elements, last)) sum += __float_as_uint(in[last]);
    ptx::keep_accesses();
  }
  // A unit has more threads than sums: one sum a warp, and 0 in the other slots.
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lane);
  unsigned* const own = sums + std::int64_t{blockIdx.x} * slots;
  if (thread < slots) own[thread] = 0;
  __syncthreads();
  if (thread % 32 == 0) own[thread / 32] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.shape.vectors == 2 ? sum_strided<2> : sum_strided<4>;
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units * blocks_a_unit)),
                  .block = dim3(block_threads)},
                 stream, kernel, operands.a, problem.elements, problem.passes,
                 static_cast<unsigned*>(operands.out));
}

}  // namespace

Variant read_strided() {
  return {"four blocks an SM sum 16-byte loads, four of a thread in flight",
          Operation::read,
          {Level::dram},
          any_problem,
          launch,
          {{.vectors = 2}}};
}

}  // namespace ridgeline::stream::on_cuda
