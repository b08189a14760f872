#include "kernels/stream/cuda/tiles.cuh"

// Copies one tile a block; tiles.cuh says how, and why. Bound by DRAM.
namespace ridgeline::stream::on_cuda {
namespace {

constexpr int usual_threads = 256;

template <int tile_threads, int vectors>
__global__ void __launch_bounds__(tile_threads)
    copy_tile(const float* a, float* c, std::int64_t elements) {
  const auto from = reinterpret_cast<const float4*>(a);
  const auto to = reinterpret_cast<float4*>(c);
  const std::int64_t i = first_of_tile<tile_threads, vectors>();
  const auto inside = [=](int j) { return i + j * tile_threads < elements / 4; };
  float4 value[vectors];
#pragma unroll
  for (int j = 0; j < vectors; ++j)
    if (inside(j)) value[j] = ptx::load_kept(from + i + j * tile_threads);
#pragma unroll
  for (int j = 0; j < vectors; ++j)
    if (inside(j)) ptx::store_passing(to + i + j * tile_threads, value[j]);
  std::int64_t last;
  if (has_tail_element(elements, last)) c[last] = a[last];
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  with_shape<usual_threads>(problem.shape, [&](auto threads_of, auto vectors_of) {
    constexpr int tile_threads = threads_of(), vectors = vectors_of();
    for (int pass = 0; pass < problem.passes; ++pass)
      device::launch(
          {.grid = dim3(device::blocks_for(problem.elements, 4 * tile_threads * vectors)),
           .block = dim3(tile_threads)},
          stream, copy_tile<tile_threads, vectors>, operands.a, static_cast<float*>(operands.out),
          problem.elements);
  });
}

}  // namespace

Variant copy_tiles() {
  return {"a tile a block, in order; loads that L2 keeps, one vector a thread",
          Operation::copy,
          {Level::dram},
          any_problem,
          launch,
          other_shapes<usual_threads>()};
}

}  // namespace ridgeline::stream::on_cuda
