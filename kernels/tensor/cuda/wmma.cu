#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/ptx/wmma.cuh"
#include "kernels/tensor/tensor.hpp"

// A warp keeps A, -A, B and its tiles of D in registers and multiplies without pause: four
// independent sums per warp and 16 warps per SM cover the latency of a product. Bound by the tensor
// cores as mma.sync reaches them: all they have on an A100; about two thirds on an H100 or H200,
// whose full rate needs wgmma.
namespace ridgeline::tensor::on_cuda {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int warps = 4, threads = 32 * warps;

/// Elements as fragments hold them in memory, and the depth of one product.
struct F16 {
  using Fragment = __half;
  using Stored = unsigned short;
  static constexpr int depth = 16;
  static __device__ __forceinline__ unsigned short stored(float value) {
    return __half_as_ushort(__float2half_rn(value));
  }
};
struct BF16 {
  using Fragment = __nv_bfloat16;
  using Stored = unsigned short;
  static constexpr int depth = 16;
  static __device__ __forceinline__ unsigned short stored(float value) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
};
struct TF32 {
  using Fragment = wmma::precision::tf32;
  using Stored = float;
  static constexpr int depth = 8;
  static __device__ __forceinline__ float stored(float value) {
    return value;
  }  // 7 bits fit in tf32's 10
};

template <class Type>
using Loaded =
    std::conditional_t<sizeof(typename Type::Stored) == 4, float, typename Type::Fragment>;

template <class Type>
__global__ void __launch_bounds__(threads)
    multiply_tiles(const float* a, const float* b, float* d, std::int64_t groups,
                   std::int64_t rounds) {
  constexpr int depth = Type::depth, slices = edge / depth;
  using Stored = typename Type::Stored;
  __shared__ __align__(128) Stored held[warps][2][tile_elements];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t group = std::int64_t{blockIdx.x} * warps + warp;
  if (group >= groups) return;  // whole warps
  const auto on_grid = [](float value) { return floorf(value * 128.0f) * (1.0f / 128.0f); };
  for (int i = lane; i < tile_elements; i += 32) {
    held[warp][0][i] = Type::stored(on_grid(a[group * tile_elements + i]));
    held[warp][1][i] = Type::stored(on_grid(b[group * tile_elements + i]));
  }
  __syncwarp();

  wmma::fragment<wmma::matrix_a, 16, 16, depth, typename Type::Fragment, wmma::row_major>
      plus[slices], minus[slices];
  wmma::fragment<wmma::matrix_b, 16, 16, depth, typename Type::Fragment, wmma::row_major>
      right[slices];
  wmma::fragment<wmma::accumulator, 16, 16, depth, float> sum[tiles_per_group];
#pragma unroll
  for (int slice = 0; slice < slices; ++slice) {
    const auto* const from_a = reinterpret_cast<const Loaded<Type>*>(held[warp][0]) + slice * depth;
    const auto* const from_b =
        reinterpret_cast<const Loaded<Type>*>(held[warp][1]) + slice * depth * edge;
    wmma::load_matrix_sync(plus[slice], from_a, edge);
    wmma::load_matrix_sync(right[slice], from_b, edge);
#pragma unroll
    for (int i = 0; i < plus[slice].num_elements; ++i) minus[slice].x[i] = -plus[slice].x[i];
  }
#pragma unroll
  for (int tile = 0; tile < tiles_per_group; ++tile)
    wmma::fill_fragment(sum[tile], static_cast<float>(tile) / 8);

  const auto add = [&](const auto& left) {
#pragma unroll
    for (int slice = 0; slice < slices; ++slice)
#pragma unroll
      for (int tile = 0; tile < tiles_per_group; ++tile)
        wmma::mma_sync(sum[tile], left[slice], right[slice], sum[tile]);
  };
#pragma unroll 1
  for (std::int64_t round = 0; round < rounds; ++round) {
    add(plus);
    add(minus);
  }
  add(plus);
#pragma unroll
  for (int tile = 0; tile < tiles_per_group; ++tile)
    wmma::store_matrix_sync(d + (group * tiles_per_group + tile) * tile_elements, sum[tile], edge,
                            wmma::mem_row_major);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.dtype == DType::f16    ? multiply_tiles<F16>
                      : problem.dtype == DType::bf16 ? multiply_tiles<BF16>
                                                     : multiply_tiles<TF32>;
  device::launch({.grid = dim3(device::blocks_for(problem.groups, warps)), .block = dim3(threads)},
                 stream, kernel, operands.a, operands.b, operands.d, problem.groups,
                 problem.rounds);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.dtype != DType::f16 && problem.dtype != DType::bf16 && problem.dtype != DType::tf32)
    return device::Support::unsupported("tensor cores multiply f16, bf16 and tf32 here");
  if (facts.capability < 80)
    return device::Support::unsupported("needs a GPU of compute capability 8.0");
  return device::Support::yes();
}

}  // namespace

Variant wmma() {
  return {
      "products without pause in registers, by mma.sync: on Hopper two thirds of what wgmma "
      "reaches",
      {DType::f16, DType::bf16, DType::tf32},
      supports,
      launch};
}

}  // namespace ridgeline::tensor::on_cuda
