#include "kernels/stream/cuda/walk.cuh"

// Copies with 16-byte loads and stores, four of a thread in flight. Bound by the level it works in,
// except at l1: an SM writes through to L2, so that only the loads come from L1.
namespace ridgeline::stream::on_cuda {
namespace {

template <Level level>
__global__ void __launch_bounds__(threads, 1)
    copy_vectors(const float* a, float* c, std::int64_t elements, int passes) {
  constexpr int in_flight = 4;
  const Walk mine = walk<level>(elements);
  const float4* const from = reinterpret_cast<const float4*>(a);
  float4* const to = reinterpret_cast<float4*>(c);
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t i = mine.first;
#pragma unroll 1
    for (; i + (in_flight - 1) * mine.step < mine.end; i += in_flight * mine.step) {
      float4 value[in_flight];
#pragma unroll
      for (int j = 0; j < in_flight; ++j) value[j] = load<level>(from + i + j * mine.step);
#pragma unroll
      for (int j = 0; j < in_flight; ++j) store<level>(to + i + j * mine.step, value[j]);
    }
#pragma unroll 1
    for (; i < mine.end; i += mine.step) store<level>(to + i, load<level>(from + i));
    std::int64_t last;
    if (has_tail_element(elements, last)) c[last] = a[last];
    ptx::keep_accesses();
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.level == Level::l1    ? copy_vectors<Level::l1>
                      : problem.level == Level::llc ? copy_vectors<Level::llc>
                                                    : copy_vectors<Level::dram>;
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)), .block = dim3(threads)},
                 stream, kernel, operands.a, static_cast<float*>(operands.out), problem.elements,
                 problem.passes);
}

}  // namespace

Variant copy() {
  return {"16-byte loads and stores, four of a thread in flight, one block an SM",
          Operation::copy,
          {Level::dram, Level::llc, Level::l1},
          any_problem,
          launch};
}

}  // namespace ridgeline::stream::on_cuda
