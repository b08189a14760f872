#include "kernels/stream/cuda/walk.cuh"

// As copy, with two arrays read for one written and two pairs of loads of a thread in flight. Bound
// like it.
namespace ridgeline::stream::on_cuda {
namespace {

template <Level level>
__global__ void __launch_bounds__(threads, 1)
    add_vectors(const float* a, const float* b, float scale, float* c, std::int64_t elements,
                int passes) {
  constexpr int in_flight = 2;
  const Walk mine = walk<level>(elements);
  const float4* const left = reinterpret_cast<const float4*>(a);
  const float4* const right = reinterpret_cast<const float4*>(b);
  float4* const to = reinterpret_cast<float4*>(c);
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t i = mine.first;
#pragma unroll 1
    for (; i + (in_flight - 1) * mine.step < mine.end; i += in_flight * mine.step) {
      float4 x[in_flight], y[in_flight];
#pragma unroll
      for (int j = 0; j < in_flight; ++j) {
        x[j] = load<level>(left + i + j * mine.step);
        y[j] = load<level>(right + i + j * mine.step);
      }
#pragma unroll
      for (int j = 0; j < in_flight; ++j)
        store<level>(to + i + j * mine.step, scaled_sum(x[j], scale, y[j]));
    }
#pragma unroll 1
    for (; i < mine.end; i += mine.step)
      store<level>(to + i, scaled_sum(load<level>(left + i), scale, load<level>(right + i)));
    std::int64_t last;
    if (has_tail_element(elements, last)) c[last] = a[last] + scale * b[last];
    ptx::keep_accesses();
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.level == Level::l1    ? add_vectors<Level::l1>
                      : problem.level == Level::llc ? add_vectors<Level::llc>
                                                    : add_vectors<Level::dram>;
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)), .block = dim3(threads)},
                 stream, kernel, operands.a, operands.b, 2.0f, static_cast<float*>(operands.out),
                 problem.elements, problem.passes);
}

}  // namespace

Variant triad() {
  return {"16-byte loads and stores, four loads of a thread in flight, one block an SM",
          Operation::triad,
          {Level::dram, Level::llc, Level::l1},
          any_problem,
          launch};
}

}  // namespace ridgeline::stream::on_cuda
