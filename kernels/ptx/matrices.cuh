#pragma once

#include "harness/device/kernel.hpp"
#if !defined(__CUDACC__)
#include "harness/emulated/tensor_cores.hpp"
#endif

// Loads and stores of 8 x 8 matrices of 16-bit elements between shared memory and the registers of
// a warp, as tensor-core instructions take them (PTX ISA, "ldmatrix" and "stmatrix"; the latter
// from sm_90 on). Of `count` matrices (1, 2 or 4), lane 8i + r passes the address of row r of
// matrix i, a multiple of 16 bytes; other lanes' addresses are not used. Matrix i travels in
// register i: lane l has elements 2 (l % 4) and the next one of row l / 4, the first in the lower
// half; transposed, rows 2 (l % 4) and the next one at column l / 4.
namespace ridgeline::ptx {

#if defined(__CUDACC__)
#define RIDGELINE_LOAD_MATRICES(transposition)                                               \
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(row));                \
  static_assert(count == 1 || count == 2 || count == 4, "one, two or four matrices");        \
  if constexpr (count == 1)                                                                  \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" transposition ".shared.b16 {%0}, [%1];"     \
                 : "=r"(to[0])                                                               \
                 : "r"(from)                                                                 \
                 : "memory");                                                                \
  else if constexpr (count == 2)                                                             \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" transposition ".shared.b16 {%0, %1}, [%2];" \
                 : "=r"(to[0]), "=r"(to[1])                                                  \
                 : "r"(from)                                                                 \
                 : "memory");                                                                \
  else                                                                                       \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" transposition                               \
                 ".shared.b16 {%0, %1, %2, %3}, [%4];"                                       \
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                        \
                 : "r"(from)                                                                 \
                 : "memory")
#define RIDGELINE_STORE_MATRICES(transposition)                                       \
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(row));           \
  static_assert(count == 1 || count == 2 || count == 4, "one, two or four matrices"); \
  if constexpr (count == 1)                                                           \
    asm volatile("stmatrix.sync.aligned.m8n8.x1" transposition                        \
                 ".shared.b16 [%0], {%1};" ::"r"(to),                                 \
                 "r"(from[0])                                                         \
                 : "memory");                                                         \
  else if constexpr (count == 2)                                                      \
    asm volatile("stmatrix.sync.aligned.m8n8.x2" transposition                        \
                 ".shared.b16 [%0], {%1, %2};" ::"r"(to),                             \
                 "r"(from[0]), "r"(from[1])                                           \
                 : "memory");                                                         \
  else                                                                                \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" transposition                        \
                 ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),                     \
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])               \
                 : "memory")
#else
#define RIDGELINE_LOAD_MATRICES(transposition)                                                  \
  const emulated::Matrices loaded = emulated::load_matrices(row, count, transposition[0] != 0); \
  for (int i = 0; i < count; ++i) to[i] = loaded.parts[i]
#define RIDGELINE_STORE_MATRICES(transposition)              \
  emulated::Matrices stored{};                               \
  for (int i = 0; i < count; ++i) stored.parts[i] = from[i]; \
  emulated::store_matrices(row, stored, count, transposition[0] != 0)
#endif

template <int count>
__device__ __forceinline__ void load_matrices(unsigned (&to)[count], const unsigned short* row) {
  RIDGELINE_LOAD_MATRICES("");
}
template <int count>
__device__ __forceinline__ void load_matrices_transposed(unsigned (&to)[count],
                                                         const unsigned short* row) {
  RIDGELINE_LOAD_MATRICES(".trans");
}
template <int count>
__device__ __forceinline__ void store_matrices(unsigned short* row, const unsigned (&from)[count]) {
  RIDGELINE_STORE_MATRICES("");
}
template <int count>
__device__ __forceinline__ void store_matrices_transposed(unsigned short* row,
                                                          const unsigned (&from)[count]) {
  RIDGELINE_STORE_MATRICES(".trans");
}
/// The transpose of a matrix whose rows the lanes hold as above, without shared memory (PTX ISA,
/// "movmatrix"; from sm_75 on).
__device__ __forceinline__ unsigned transpose_matrix(unsigned from) {
#if defined(__CUDACC__)
  unsigned to;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to) : "r"(from));
  return to;
#else
  // Elements 2 (l % 4) and the next one of column l / 4.
  const int lane = static_cast<int>(threadIdx.x) % 32, column = lane / 4, row = lane % 4 * 2;
  const unsigned upper = __shfl_sync(0xFFFFFFFFu, from, 4 * row + column / 2),
                 lower = __shfl_sync(0xFFFFFFFFu, from, 4 * (row + 1) + column / 2);
  const int shift = column % 2 * 16;
  return (upper >> shift & 0xFFFFu) | (lower >> shift & 0xFFFFu) << 16;
#endif
}
#undef RIDGELINE_LOAD_MATRICES
#undef RIDGELINE_STORE_MATRICES

}  // namespace ridgeline::ptx
