#include "harness/device/kernel.hpp"
#include "kernels/ptx/copy_async.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/mutations/mma_gemm.hpp"

namespace ridgeline::ptx::mutations {
namespace {

constexpr int edge = 64, depth = 32,
              piece = 8;  // of a block's tiles, in elements; a piece is copied at once
constexpr int pieces_of_row = depth / piece, threads = 128;

using Tile = unsigned short[edge][depth];

/// Where piece `p` of a row lies. Two rows fill the 32 banks; every other pair of rows is rotated.
template <Mutation mutation>
__device__ __forceinline__ int place(int row, int p) {
  return mutation == Mutation::no_swizzle ? p : p ^ (row / 2 & 3);
}

template <Mutation mutation>
__device__ __forceinline__ int place_to_read(int row, int p) {
  return mutation == Mutation::another_swizzle_to_read ? p ^ (row & 3) : place<mutation>(row, p);
}

template <Mutation mutation>
__device__ __forceinline__ void start_copies(Tile& tile, const unsigned short* from, int k) {
  for (int i = static_cast<int>(threadIdx.x); i < edge * pieces_of_row; i += threads) {
    const int row = i / pieces_of_row, p = i % pieces_of_row;
    copy_async_16(&tile[row][place<mutation>(row, p) * piece], from + row * k + p * piece, true);
  }
}

// Four warps, each with 32 x 32 sums; two tiles of each factor, one of which is filled while the
// other is used.
template <Mutation mutation>
__global__ void __launch_bounds__(threads)
    multiply_kernel(const unsigned short* a, const unsigned short* b, float* c, int n, int k) {
  __shared__ Tile left[2];
  __shared__ Tile right[2];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first_row = warp / 2 * 32, first_column = warp % 2 * 32;
  a += static_cast<int>(blockIdx.y) * edge * k;
  b += static_cast<int>(blockIdx.x) * edge * k;
  float sums[2][4][4] = {};

  const int chunks = k / depth;
  const auto start = [&](int chunk) {
    const int from = (mutation == Mutation::one_chunk_too_far ? chunk + 1 : chunk) * depth;
    start_copies<mutation>(left[chunk % 2], a + from, k);
    start_copies<mutation>(right[chunk % 2], b + from, k);
  };
  start(0);
  if (mutation != Mutation::no_commit) copy_async_commit();
  for (int chunk = 0; chunk < chunks; ++chunk) {
    if (chunk + 1 < chunks) start(chunk + 1);
    if (mutation != Mutation::no_commit) copy_async_commit();
    if (mutation != Mutation::no_wait) copy_async_wait<1>();
    if (mutation != Mutation::no_barrier_after_wait) __syncthreads();
    for (int p = 0; p < pieces_of_row; p += 2) {
      unsigned of_left[2][4], of_right[2][4];
      for (int i = 0; i < 2; ++i) {
        const int row = first_row + i * 16 + lane % 16;
        load_matrices(of_left[i],
                      &left[chunk % 2][row][place_to_read<mutation>(row, p + lane / 16) * piece]);
      }
      for (int i = 0; i < 2; ++i) {
        const int row = first_column + i * 16 + lane / 16 * 8 + lane % 8;
        load_matrices(
            of_right[i],
            &right[chunk % 2][row][place_to_read<mutation>(row, p + lane / 8 % 2) * piece]);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          mma_16x8x16(Bf16{}, sums[i][j], of_left[i], of_right[j / 2][j % 2 * 2],
                      of_right[j / 2][j % 2 * 2 + 1]);
    }
    if (mutation != Mutation::no_trailing_barrier) __syncthreads();
  }

  const int row = static_cast<int>(blockIdx.y) * edge + first_row + lane / 4;
  const int column = static_cast<int>(blockIdx.x) * edge + first_column + lane % 4 * 2;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<float2*>(&c[(row + i * 16 + half * 8) * n + column + j * 8]) =
            make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
}

template <Mutation mutation>
void start(device::Stream& stream, const unsigned short* a, const unsigned short* b, float* c,
           int m, int n, int k) {
  const dim3 grid(static_cast<unsigned>(n / edge), static_cast<unsigned>(m / edge));
  device::launch({.grid = grid, .block = dim3(threads)}, stream, multiply_kernel<mutation>, a, b, c,
                 n, k);
}

}  // namespace

void multiply(device::Stream& stream, Mutation mutation, const unsigned short* a,
              const unsigned short* b, float* c, int m, int n, int k) {
  switch (mutation) {
    case Mutation::none:
      return start<Mutation::none>(stream, a, b, c, m, n, k);
    case Mutation::no_barrier_after_wait:
      return start<Mutation::no_barrier_after_wait>(stream, a, b, c, m, n, k);
    case Mutation::no_trailing_barrier:
      return start<Mutation::no_trailing_barrier>(stream, a, b, c, m, n, k);
    case Mutation::no_wait:
      return start<Mutation::no_wait>(stream, a, b, c, m, n, k);
    case Mutation::no_commit:
      return start<Mutation::no_commit>(stream, a, b, c, m, n, k);
    case Mutation::one_chunk_too_far:
      return start<Mutation::one_chunk_too_far>(stream, a, b, c, m, n, k);
    case Mutation::another_swizzle_to_read:
      return start<Mutation::another_swizzle_to_read>(stream, a, b, c, m, n, k);
    case Mutation::no_swizzle:
      return start<Mutation::no_swizzle>(stream, a, b, c, m, n, k);
  }
}

}  // namespace ridgeline::ptx::mutations
