#include "kernels/ptx/opaque.cuh"
#include "kernels/rows/cuda/moments.cuh"

// A block a row, which stays in registers: read once and written once, 16 bytes at a time. Each
// thread takes the mean of its own elements and the squares about that, which are put together
// about the mean of one of them: without cancellation, whatever the mean of the row. So there is
// one exchange between warps a row. Four accesses a thread and few threads a row: an SM holds
// several rows, which wait at different times. Bound by DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int count = 4, most_threads = 1024;

/// `whole`: each thread has `count` accesses.
template <class Element, bool layer, bool whole>
__global__ void __launch_bounds__(most_threads)
    norm_kernel(int vectors, const uint4* x, const uint4* gamma, const uint4* beta, uint4* out,
                float* rstds, float* means) {
  constexpr int lanes = lanes_of<Element>;
  const Element* const type = nullptr;
  __shared__ Moments parts[most_warps];
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const auto inside = [=](int j) { return whole || thread + j * threads < vectors; };
  uint4 held[count], scale[count];
#pragma unroll
  for (int j = 0; j < count; ++j)
    held[j] = inside(j) ? load_once(x + first + thread + j * threads) : make_uint4(0, 0, 0, 0);
#pragma unroll
  for (int j = 0; j < count; ++j)  // before the sums: they take long enough for L1 or L2 to answer
    if (inside(j)) scale[j] = __ldg(gamma + thread + j * threads);
  const float cols = static_cast<float>(vectors) * lanes, per_col = 1 / cols;

  /// Of `number` threads from thread `begin` on.
  const auto elements_of = [=](int begin, int number) {
    if (whole) return static_cast<float>(count * lanes * number);
    int accesses = 0;
#pragma unroll
    for (int j = 0; j < count; ++j) accesses += min(max(vectors - begin - j * threads, 0), number);
    return static_cast<float>(accesses * lanes);
  };
  Moments of{0, 0};
  float value[lanes];
  if constexpr (layer) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      unpack(type, held[j], value);
#pragma unroll
      for (int i = 0; i < lanes; ++i) of.mean += value[i];
    }
    of.mean *= 1 / fmaxf(elements_of(thread, 1), 1);
    ptx::forget_derived(held);  // 16 registers of bf16, 32 of floats
  }
#pragma unroll
  for (int j = 0; j < count; ++j) {
    if (!inside(j)) continue;
    unpack(type, held[j], value);
#pragma unroll
    for (int i = 0; i < lanes; ++i) of.squares += (value[i] - of.mean) * (value[i] - of.mean);
  }
  ptx::forget_derived(held);
  if constexpr (layer)
    of = together(of, elements_of(thread, 1), __shfl_sync(0xFFFFFFFFu, of.mean, 0),
                  fmaxf(elements_of(warp() * 32, 32), 1));
  else
    of.squares = sum_over_warp(of.squares);
  if (lane() == 0) parts[warp()] = of;
  __syncthreads();
  of = lane() < warps() ? parts[lane()] : Moments{0, 0};
  if constexpr (layer)
    of = together(of, lane() < warps() ? elements_of(lane() * 32, 32) : 0, parts[0].mean, cols);
  else
    of.squares = sum_over_warp(of.squares);
  const float mean = of.mean, rstd = one_over_deviation(of.squares * per_col);
  if (thread == 0) {
    rstds[blockIdx.x] = rstd;
    if constexpr (layer) means[blockIdx.x] = mean;
  }
#pragma unroll
  for (int j = 0; j < count; ++j) {
    if (!inside(j)) continue;
    float factor[lanes], shift[lanes];
    unpack(type, held[j], value);
    unpack(type, scale[j], factor);
    if constexpr (layer) unpack(type, __ldg(beta + thread + j * threads), shift);
#pragma unroll
    for (int i = 0; i < lanes; ++i)
      value[i] = (value[i] - mean) * rstd * factor[i] + (layer ? shift[i] : 0.0f);
    store_once(out + first + thread + j * threads, pack(type, value));
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const int vectors = vectors_of_row(problem);
    const unsigned threads = threads_for(vectors, count);
    const auto start = [&](auto kernel) {
      device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)), .block = dim3(threads)},
                     stream, kernel, vectors, static_cast<const uint4*>(operands.x),
                     static_cast<const uint4*>(operands.gamma),
                     static_cast<const uint4*>(operands.beta), static_cast<uint4*>(operands.out),
                     operands.side(problem, 0), operands.side(problem, 1));
    };
    if (vectors == static_cast<int>(threads) * count)
      start(problem.is_layer() ? norm_kernel<Element, true, true>
                               : norm_kernel<Element, false, true>);
    else
      start(problem.is_layer() ? norm_kernel<Element, true, false>
                               : norm_kernel<Element, false, false>);
  });
}

}  // namespace

Variant norm_in_registers() {
  return {"the row in registers: read once, 16 bytes per access, one exchange between warps",
          {Operation::layer_norm, Operation::rms_norm},
          {DType::f32, DType::bf16},
          2,
          1,
          [](const Problem& problem, const device::Facts&) {
            return whole_vectors(problem, {Operation::rms_norm, Operation::layer_norm},
                                 count * most_threads);
          },
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 13, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
