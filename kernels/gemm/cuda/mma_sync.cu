#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/bands.cuh"
#include "kernels/gemm/cuda/half_tiles.cuh"
#include "kernels/gemm/cuda/whole_store.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ptx/mma.cuh"

// `wmma` with the instructions that it stands for, so that what they leave open can be chosen. A
// warp keeps 64 x 64 sums, of which 8 loads of fragments (ldmatrix) feed 32 products, and loads
// those of the next 16 steps along k during these. Tiles lie swizzled, not padded: piece p of a row
// at p XOR a number of the row, so that the 8 rows of a matrix fall into different banks. They come
// by asynchronous copies, three ahead, in a ring of four, with one barrier per tile. A fragment's
// layout is known, so that sums go to C from registers. Bound by the tensor cores, of which
// mma.sync reaches only a part on Hopper, and by the copies' latency at the barriers.

namespace ridgeline::gemm::on_cuda {
namespace {

template <class Type>
__device__ __forceinline__ void multiply(const Fragments& by,
                                         float (&sums)[squares][2 * squares][4]) {
#pragma unroll
  for (int r = 0; r < squares; ++r)
#pragma unroll
    for (int step = 0; step < 2 * squares; ++step) {
      // Back and forth, so that neighbours share a factor at turns, too.
      const int c = r % 2 == 0 ? step : 2 * squares - 1 - step;
      ptx::mma_16x8x16(Type{}, sums[r][c], by.a[r], by.b[c / 2][c % 2 * 2],
                       by.b[c / 2][c % 2 * 2 + 1]);
    }
}

/// Word i of lane t of four neighbours becomes word t of lane i.
__device__ __forceinline__ void transpose_among_4(unsigned (&words)[4]) {
#pragma unroll
  for (int step = 1; step <= 2; step *= 2) {
    const bool upper = (threadIdx.x & step) != 0;
#pragma unroll
    for (int low = 0; low < 4; ++low) {
      if ((low & step) != 0) continue;
      const unsigned got =
          __shfl_xor_sync(0xFFFFFFFFu, upper ? words[low] : words[low + step], step);
      if (upper)
        words[low] = got;
      else
        words[low + step] = got;
    }
  }
}

/// Writes a warp's sums to C from row i and column j on. With `wide`, four lanes first gather 8
/// columns each of the 32 that they have pairs of.
template <class Type, bool wide>
__device__ __forceinline__ void store(unsigned short* c, std::int64_t m, std::int64_t n,
                                      std::int64_t i, std::int64_t j,
                                      const float (&sums)[squares][2 * squares][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int r = 0; r < 2 * squares; ++r) {
    const std::int64_t row = i + 8 * r + g;
#pragma unroll
    for (int first = 0; first < 2 * squares; first += 4) {
      unsigned words[4];
#pragma unroll
      for (int q = 0; q < 4; ++q)
        words[q] = ptx::pack(Type{}, sums[r / 2][first + q][r % 2 * 2],
                             sums[r / 2][first + q][r % 2 * 2 + 1]);
      if constexpr (wide) {
        transpose_among_4(words);
        const std::int64_t column = j + (first + t) * 8;
        if (row < m && column < n)
          store_whole(c, row * n + column, make_uint4(words[0], words[1], words[2], words[3]));
      } else {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const std::int64_t column = j + (first + q) * 8 + 2 * t;
          if (row < m && column < n) c[row * n + column] = static_cast<unsigned short>(words[q]);
          if (row < m && column + 1 < n)
            c[row * n + column + 1] = static_cast<unsigned short>(words[q] >> 16);
        }
      }
    }
  }
}

template <class Type, bool wide>
__global__ void __launch_bounds__(halves_threads, 1)
    mma_sync_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const unsigned short* a,
                    const unsigned short* b, unsigned short* c, std::int64_t tile_rows,
                    std::int64_t tile_columns) {
  RIDGELINE_DYNAMIC_SHARED(HalfTiles, ring);
  const PlaceInBand place(tile_rows, tile_columns);
  const std::int64_t i0 = place.row * halves_m, j0 = place.column * halves_n;
  const int warp = threadIdx.x / 32;
  const int i = warp / (halves_n / halves_warp) * halves_warp,
            j = warp % (halves_n / halves_warp) * halves_warp;
  float sums[squares][2 * squares][4] = {};
  HalfCopies<wide> copies(m, n, k, a, b, i0, j0);
#pragma unroll 1
  for (int stage = 0; stage < halves_stages - 1; ++stage) copies.start(ring[stage]);
  ptx::copy_async_wait<halves_stages - 2>();
  __syncthreads();

  Fragments now, next;
  now.load(ring[0], 0, i, j);
  int stage = 0, free = halves_stages - 1;
  for (std::int64_t p = 0; p < k; p += halves_k) {
    next.load(ring[stage], 1, i, j);
    copies.start(ring[free]);
    multiply<Type>(now, sums);
    free = stage;
    stage = stage + 1 == halves_stages ? 0 : stage + 1;
    ptx::copy_async_wait<halves_stages - 2>();
    __syncthreads();  // the next tiles are there, and all have loaded the last of these
    now.load(ring[stage], 0, i, j);
    multiply<Type>(next, sums);
  }
  ptx::copy_async_wait<0>();
  store<Type, wide>(c, m, n, i0 + i, j0 + j, sums);
}

template <class Type>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, halves_m, halves_n);
  const bool wide = problem.n % piece == 0 && problem.k % piece == 0;
  device::launch({.grid = dim3(tiles.count()),
                  .block = dim3(halves_threads),
                  .shared_bytes = halves_stages * sizeof(HalfTiles)},
                 stream, wide ? mma_sync_kernel<Type, true> : mma_sync_kernel<Type, false>,
                 problem.m, problem.n, problem.k, static_cast<const unsigned short*>(operands.a),
                 static_cast<const unsigned short*>(operands.b),
                 static_cast<unsigned short*>(operands.c), tiles.rows, tiles.columns);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.dtype == DType::f16)
    launch_as<ptx::F16>(problem, operands, stream);
  else
    launch_as<ptx::Bf16>(problem, operands, stream);
}

}  // namespace

Variant mma_sync() {
  return {"mma.sync on swizzled tiles that cp.async brings three ahead",
          {DType::bf16, DType::f16},
          halves_only,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 4}};
}

}  // namespace ridgeline::gemm::on_cuda
