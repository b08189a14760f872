#pragma once

#include <cstdint>

#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/wgmma.cuh"

// What the rungs by TMA share: tiles of 128 x 256 of C, made of stages of 64 of K. A row
// of 64 elements is 128 bytes, the span of the swizzle. Of A, a stage has 128 such rows along K; of
// B, four boxes of 64 rows along N, so that a row-major B is taken as it is.
namespace ridgeline::gemm::on_cuda {

constexpr int tile_m = 128, tile_n = 256, tile_k = 64, box_n = 64;
constexpr unsigned row_bytes = 128, a_bytes = tile_m * row_bytes, box_bytes = tile_k * row_bytes,
                   b_bytes = tile_n / box_n * box_bytes, stage_bytes = a_bytes + b_bytes;
constexpr int group_m = 64, group_sums = tile_n / 2;  // of a warpgroup: rows, and sums a thread
// Boxes begin where the swizzle's pattern does, and shared memory only at a multiple of 128.
constexpr unsigned pattern_bytes = 1024;

inline device::Support by_tensor_copies(const Problem& problem, const device::Facts& facts) {
  if (problem.dtype != DType::f16 && problem.dtype != DType::bf16)
    return device::Support::unsupported("this rung multiplies f16 and bf16 only");
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (problem.n % 8 != 0 || problem.k % 8 != 0)
    return device::Support::unsupported(
        "tensor copies take rows of whole 16 bytes: n and k must be multiples of 8");
  if (problem.m == 0 || problem.n == 0 || problem.k == 0)
    return device::Support::unsupported("there are no tensor maps of empty matrices");
  return device::Support::yes();
}

/// Of a row-major matrix, in boxes of `box_rows` rows of 128 bytes. A map is made anew for every
/// launch: launches are captured into graphs, which keep it, so that no time is measured that it
/// takes.
inline device::TensorMap map_of(const void* matrix, DType dtype, std::int64_t rows,
                                std::int64_t columns, unsigned box_rows) {
  return device::make_tensor_map(
      {.memory = const_cast<void*>(matrix),
       .dtype = dtype,
       .sizes = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
       .strides = {static_cast<std::uint64_t>(columns) * size_of(dtype)},
       .box = {row_bytes / static_cast<unsigned>(size_of(dtype)), box_rows},
       .swizzle = device::Swizzle::bytes_128});
}

/// The first place in dynamic shared memory where tiles may lie; it has pattern_bytes more than
/// they need.
__device__ __forceinline__ unsigned char* first_tile(unsigned char* dynamic) {
  return dynamic + (pattern_bytes - ptx::shared_address(dynamic) % pattern_bytes) % pattern_bytes;
}

/// Announces a stage at `full`, and starts its copies: A's rows and B's columns from there on, at
/// `k`.
__device__ __forceinline__ void load_stage(unsigned char* stage, const device::TensorMap& a,
                                           const device::TensorMap& b, int k, int row, int column,
                                           ptx::Barrier* full) {
  ptx::barrier_arrive_expect(full, stage_bytes);
  ptx::load_box(stage, a, k, row, full);
#pragma unroll
  for (int box = 0; box < tile_n / box_n; ++box)
    ptx::load_box(stage + a_bytes + box * box_bytes, b, column + box * box_n, k, full);
}

/// Where a warpgroup's factors lie in the first stage; add stage_bytes / 16 for each further one.
struct Factors {
  std::uint64_t left, right;
  __device__ __forceinline__ Factors(const unsigned char* ring, int group)
      : left(ptx::matrix_descriptor(ring + group * group_m * row_bytes, device::Swizzle::bytes_128,
                                    8 * row_bytes)),
        right(ptx::transposed_descriptor(ring + a_bytes, device::Swizzle::bytes_128, box_bytes,
                                         8 * row_bytes)) {}
};

/// Starts a warpgroup's products of a stage, as one group. `keep`: adds to the sums that there are.
template <class Type>
__device__ __forceinline__ void multiply_stage(Type, float (&sums)[group_sums],
                                               const Factors& factors, unsigned stage, bool keep) {
  const std::uint64_t at = stage * (stage_bytes / 16);
  constexpr unsigned next_a = 16 * 2 / 16, next_b = 16 * row_bytes / 16;  // after 16 of K
  ptx::products_begin();
#pragma unroll
  for (unsigned step = 0; step < tile_k / 16; ++step)
    ptx::multiply_transposed(Type{}, sums, factors.left + at + step * next_a,
                             factors.right + at + step * next_b, step != 0 || keep);
  ptx::products_commit();
}

/// The thread's warpgroup. The compiler then knows that it is one for all of a warp, and keeps
/// descriptors in uniform registers.
__device__ __forceinline__ int warpgroup_of_thread() {
  return __shfl_sync(0xFFFFFFFFu, static_cast<int>(threadIdx.x) / 128, 0);
}

/// Of four lanes that hold two columns each of four squares, lane q gets all eight of square q.
__device__ __forceinline__ void trade(unsigned (&two)[4]) {
  const unsigned lane = threadIdx.x % 4;
#pragma unroll
  for (unsigned apart = 1; apart <= 2; apart *= 2) {
    const bool upper = (lane & apart) != 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      if ((i & apart) != 0) continue;
      const unsigned got =
          __shfl_xor_sync(0xFFFFFFFFu, upper ? two[i] : two[i + apart], static_cast<int>(apart));
      (upper ? two[i] : two[i + apart]) = got;
    }
  }
}

/// Rounds a warp's sums of 16 rows, laid out as those of mma and wgmma in squares of 8 x 8, and
/// stores what lies inside of C from there on, 16 bytes at a time.
template <int columns, class Type>
__device__ __forceinline__ void store_rows(Type, const float* sums, unsigned short* c,
                                           std::int64_t m, std::int64_t n, std::int64_t row,
                                           std::int64_t column) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int first = 0; first < columns; first += 32) {
    const std::int64_t to_column = column + first + lane % 4 * 8;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unsigned two[4];
#pragma unroll
      for (int square = 0; square < 4; ++square) {
        const float* const of = sums + (first / 8 + square) * 4 + half * 2;
        two[square] = ptx::pack(Type{}, of[0], of[1]);
      }
      trade(two);
      const std::int64_t to_row = row + lane / 4 + half * 8;
      if (to_row < m && to_column < n)  // n is a multiple of 8
        *reinterpret_cast<uint4*>(c + to_row * n + to_column) =
            make_uint4(two[0], two[1], two[2], two[3]);
    }
  }
}

/// In which order persistent blocks make tiles: in bands of `band` rows of tiles, each band column
/// by column, there and back. So tiles that are under way at a time share rows and columns.
struct Order {
  int rows, columns;  // of tiles
  int band;
  struct Place {
    int row, column;
  };
  __device__ __forceinline__ int count() const { return rows * columns; }
  __device__ __forceinline__ Place place(int index) const {
    const int of_band = band * columns, number = index / of_band, in_band = index % of_band;
    const int height = min(band, rows - number * band), column = in_band / height;
    return {number * band + in_band % height, number % 2 == 0 ? column : columns - 1 - column};
  }
};

}  // namespace ridgeline::gemm::on_cuda
