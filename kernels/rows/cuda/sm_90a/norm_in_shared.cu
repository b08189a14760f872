#include "harness/device/facts.hpp"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/rows/cuda/moments.cuh"

// Over norm_in_registers: a bulk copy brings the row to shared memory, so that no thread has a
// register for it. An SM then holds more rows, which wait at different times: three of 32 KiB. Each
// thread takes the squares of its elements about the mean of its first access, in the same pass as
// their sum. Bound by DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int most_threads = 512, blocks_of_unit = 3, most_shared = 224 << 10;

/// Each thread has `count` accesses.
template <class Element, bool layer, int count>
__global__ void __launch_bounds__(most_threads, blocks_of_unit)
    norm_in_shared_kernel(const uint4* x, const uint4* gamma, const uint4* beta, uint4* out,
                          float* rstds, float* means) {
  constexpr int lanes = lanes_of<Element>;
  constexpr float of_thread = lanes * count, of_warp = of_thread * 32;
  const Element* const type = nullptr;
  RIDGELINE_DYNAMIC_SHARED(uint4, held);
  __shared__ ptx::Barrier arrived;
  __shared__ Moments parts[most_threads / 32];
  const int vectors = static_cast<int>(blockDim.x) * count;
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  // Accesses of a warp lie one after the other: what tells them apart is part of the instruction.
  const int first_access = warp() * 32 * count + lane();
  if (threadIdx.x == 0) {
    const unsigned bytes = static_cast<unsigned>(vectors) * static_cast<unsigned>(sizeof(uint4));
    ptx::barrier_init(&arrived, 1);
    ptx::fence_barrier_init();
    ptx::barrier_arrive_expect(&arrived, bytes);
    ptx::copy_bulk_load_kept(held, x + first, bytes, &arrived);
  }
  __syncthreads();
  ptx::barrier_wait(&arrived, 0);

  float value[lanes];
  float pivot = 0, sum = 0, squares = 0;
  if constexpr (layer) {
    unpack(type, held[first_access], value);
#pragma unroll
    for (const float one : value) pivot += one;
    pivot *= 1.0f / lanes;
  }
#pragma unroll
  for (int j = 0; j < count; ++j) {
    unpack(type, held[first_access + j * 32], value);
#pragma unroll
    for (const float one : value) {
      const float apart = one - pivot;
      if constexpr (layer) sum += apart;
      squares += apart * apart;
    }
  }
  const float shift = sum * (1 / of_thread);
  Moments of{pivot + shift, squares - sum * shift};
  const float cols = of_warp * static_cast<float>(warps());
  if constexpr (layer)
    of = together(of, of_thread, __shfl_sync(0xFFFFFFFFu, of.mean, 0), of_warp);
  else
    of.squares = sum_over_warp(of.squares);
  if (lane() == 0) parts[warp()] = of;
  __syncthreads();
  of = lane() < warps() ? parts[lane()] : Moments{0, 0};
  if constexpr (layer)
    of = together(of, lane() < warps() ? of_warp : 0, parts[0].mean, cols);
  else
    of.squares = sum_over_warp(of.squares);
  const float mean = of.mean, rstd = one_over_deviation(of.squares * (1 / cols));
  if (threadIdx.x == 0) {
    rstds[blockIdx.x] = rstd;
    if constexpr (layer) means[blockIdx.x] = mean;
  }
#pragma unroll 2  // all at once take registers of which a block more can be held
  for (int j = 0; j < count; ++j) {
    const int at = first_access + j * 32;
    float factor[lanes], added[lanes];
    unpack(type, held[at], value);
    unpack(type, __ldg(gamma + at), factor);
    if constexpr (layer) unpack(type, __ldg(beta + at), added);
#pragma unroll
    for (int i = 0; i < lanes; ++i)
      value[i] = (value[i] - mean) * rstd * factor[i] + (layer ? added[i] : 0.0f);
    store_once(out + first + at, pack(type, value));
  }
}

/// Accesses of a thread: eight make small blocks, of which an SM holds many. That pays where it
/// lets all rows begin at once, and no row waits for another one's end.
int accesses_of(const Problem& problem, int units) {
  const int vectors = vectors_of_row(problem);
  if (vectors > 4 * most_threads) return 8;
  const int threads = static_cast<int>(threads_for(vectors, 8)),
            held = std::min(most_threads * blocks_of_unit / threads,
                            most_shared / (vectors * static_cast<int>(sizeof(uint4))));
  return vectors % (32 * 8) == 0 && problem.rows <= std::int64_t{units} * held ? 8 : 4;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const int vectors = vectors_of_row(problem),
              count = accesses_of(problem, device::units(stream));
    const auto start = [&](auto kernel) {
      device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)),
                      .block = dim3(threads_for(vectors, count)),
                      .shared_bytes = static_cast<std::size_t>(vectors) * sizeof(uint4)},
                     stream, kernel, static_cast<const uint4*>(operands.x),
                     static_cast<const uint4*>(operands.gamma),
                     static_cast<const uint4*>(operands.beta), static_cast<uint4*>(operands.out),
                     operands.side(problem, 0), operands.side(problem, 1));
    };
    if (problem.is_layer())
      start(count == 4 ? norm_in_shared_kernel<Element, true, 4>
                       : norm_in_shared_kernel<Element, true, 8>);
    else
      start(count == 4 ? norm_in_shared_kernel<Element, false, 4>
                       : norm_in_shared_kernel<Element, false, 8>);
  });
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (const device::Support support =
          whole_vectors(problem, {Operation::rms_norm, Operation::layer_norm}, 8 * most_threads);
      !support)
    return support;
  const int vectors = vectors_of_row(problem), step = 32 * (vectors <= 4 * most_threads ? 4 : 8);
  if (vectors % step != 0)
    return device::Support::unsupported("each thread has as many accesses of a row: multiples of " +
                                        std::to_string(16 * step) + " bytes");
  return device::Support::yes();
}

}  // namespace

Variant norm_in_shared() {
  return {"the row in shared memory by a bulk copy, so that an SM holds more rows",
          {Operation::layer_norm, Operation::rms_norm},
          {DType::f32, DType::bf16},
          2,
          1,
          supports,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 13, .wavefronts_per_shared_request = 3.55}};
}

}  // namespace ridgeline::rows::on_cuda
