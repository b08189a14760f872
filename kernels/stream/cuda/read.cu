#include "kernels/stream/cuda/walk.cuh"

// Sums the bits of all elements: 16-byte loads, eight of a thread in flight, 128 KiB an SM, which
// is several times what latency asks for. Bound by the level it reads from; at l1 by 128 bytes per
// cycle and SM. One sum per thread is stored.
namespace ridgeline::stream::on_cuda {
namespace {

template <Level level, int in_flight>
__global__ void __launch_bounds__(threads, 1)
    sum_of_bits(const float* in, std::int64_t elements, int passes, unsigned* sums) {
  const Walk mine = walk<level>(elements);
  const uint4* const vectors = reinterpret_cast<const uint4*>(in);
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    add_bits<level, in_flight>(vectors, mine, sum);
    std::int64_t last;
    if (has_tail_element(elements, last)) sum += __float_as_uint(in[last]);
    ptx::keep_accesses();
  }
  sums[blockIdx.x * threads + threadIdx.x] = sum;
}

template <int in_flight>
auto kernel_of(Level level) {
  return level == Level::l1    ? sum_of_bits<Level::l1, in_flight>
         : level == Level::llc ? sum_of_bits<Level::llc, in_flight>
                               : sum_of_bits<Level::dram, in_flight>;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel =
      problem.shape.vectors == 4 ? kernel_of<4>(problem.level) : kernel_of<8>(problem.level);
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)), .block = dim3(threads)},
                 stream, kernel, operands.a, problem.elements, problem.passes,
                 static_cast<unsigned*>(operands.out));
}

}  // namespace

Variant read() {
  return {"one block an SM sums 16-byte loads, eight of a thread in flight",
          Operation::read,
          {Level::dram, Level::llc, Level::l1},
          any_problem,
          launch,
          {{.vectors = 4}}};
}

}  // namespace ridgeline::stream::on_cuda
