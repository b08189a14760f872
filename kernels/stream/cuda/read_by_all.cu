#include "kernels/stream/cuda/walk.cuh"

// Every SM sums the bits of the whole array, as the tiles of a GEMM are read by many: each begins
// at a place of its own, so that at any time all of the array is wanted. Bound by L2, which gives
// more than where each line goes to one SM: both halves of L2 come to hold a line that all SMs
// want, and none of it crosses between them any more.
namespace ridgeline::stream::on_cuda {
namespace {

template <int in_flight>
__global__ void __launch_bounds__(threads, 1)
    sum_everything(const float* in, std::int64_t elements, int passes, unsigned* sums) {
  const std::int64_t end = elements / 4;
  const std::int64_t begin =
      kernels::slice(end, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), threads).begin;
  const uint4* const vectors = reinterpret_cast<const uint4*>(in);
  const std::int64_t tail = end * 4 + threadIdx.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    add_bits<Level::llc, in_flight>(vectors, {begin + threadIdx.x, end, threads}, sum);
    add_bits<Level::llc, in_flight>(vectors, {threadIdx.x, begin, threads}, sum);
    if (tail < elements) sum += __float_as_uint(in[tail]);
    ptx::keep_accesses();
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)), .block = dim3(threads)},
                 stream, problem.shape.vectors == 8 ? sum_everything<8> : sum_everything<4>,
                 operands.a, problem.elements, problem.passes,
                 static_cast<unsigned*>(operands.out));
}

}  // namespace

Variant read_by_all() {
  return {"every SM sums the whole array, each from another place on",
          Operation::read_by_all,
          {Level::llc},
          any_problem,
          launch,
          {{.vectors = 8}}};
}

}  // namespace ridgeline::stream::on_cuda
