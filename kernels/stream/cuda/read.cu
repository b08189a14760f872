#include "kernels/stream/cuda/walk.cuh"

// Sums the bits of all elements: 16-byte loads, eight of a thread in flight, 128 KiB an SM, which
// is several times what latency asks for. Bound by the level it reads from; at l1 by 128 bytes per
// cycle and SM. One sum per thread is stored.
namespace ridgeline::stream::on_cuda {
namespace {

template <Level level>
__global__ void __launch_bounds__(threads, 1)
    sum_of_bits(const float* in, std::int64_t elements, int passes, unsigned* sums) {
  constexpr int in_flight = 8;
  const Walk mine = walk<level>(elements);
  const uint4* const vectors = reinterpret_cast<const uint4*>(in);
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t i = mine.first;
#pragma unroll 1
    for (; i + (in_flight - 1) * mine.step < mine.end; i += in_flight * mine.step) {
      uint4 value[in_flight];
#pragma unroll
      for (int j = 0; j < in_flight; ++j) value[j] = load<level>(vectors + i + j * mine.step);
#pragma unroll
      for (int j = 0; j < in_flight; ++j) sum += value[j].x + value[j].y + value[j].z + value[j].w;
    }
#pragma unroll 1
    for (; i < mine.end; i += mine.step) {
      const uint4 value = load<level>(vectors + i);
      sum += value.x + value.y + value.z + value.w;
    }
    std::int64_t last;
    if (has_tail_element(elements, last)) sum += __float_as_uint(in[last]);
    ptx::keep_accesses();
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.level == Level::l1    ? sum_of_bits<Level::l1>
                      : problem.level == Level::llc ? sum_of_bits<Level::llc>
                                                    : sum_of_bits<Level::dram>;
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)), .block = dim3(threads)},
                 stream, kernel, operands.a, problem.elements, problem.passes,
                 static_cast<unsigned*>(operands.out));
}

}  // namespace

Variant read() {
  return {"one block an SM sums 16-byte loads, eight of a thread in flight", Operation::read,
          any_level, launch};
}

}  // namespace ridgeline::stream::on_cuda
