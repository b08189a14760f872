#pragma once

#include "harness/device/kernel.hpp"

// Tensor-core multiply-add of a warp, and the loads that bring its operands from shared memory (PTX ISA, "mma" and
// "ldmatrix"). 16-bit elements travel as pairs in `unsigned`, the lower element in the lower half. Lane l of a warp
// holds, with g = l / 4 and t = l % 4:
//   a[4] of the 16 x 16 left factor: rows g, g + 8, g, g + 8 at columns 2t, 2t, 2t + 8, 2t + 8 (and the next one);
//   b[2] of the 16 x 8 right factor: rows 2t, 2t + 8 (and the next one) at column g;
//   c[4] of the 16 x 8 sum: row g at columns 2t, 2t + 1, row g + 8 at columns 2t, 2t + 1.
namespace ridgeline::ptx {

/// Tags for the type of 16-bit elements.
struct F16 {};
struct Bf16 {};

#if !defined(__CUDACC__)
__device__ __forceinline__ void emulated_mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1,
                                             bool bfloat) {
  const device::emulated::Sums sums =
      device::emulated::multiply({{c[0], c[1], c[2], c[3]}}, {{a[0], a[1], a[2], a[3]}}, b0, b1, bfloat);
  for (int i = 0; i < 4; ++i) c[i] = sums.parts[i];
}
__device__ __forceinline__ void emulated_load(unsigned (&to)[4], const void* row, bool transposed) {
  const device::emulated::Matrices loaded = device::emulated::load_matrices(row, transposed);
  for (int i = 0; i < 4; ++i) to[i] = loaded.parts[i];
}
#endif

/// c += a * b.
__device__ __forceinline__ void mma_16x8x16(F16, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if defined(__CUDACC__)
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  emulated_mma(c, a, b0, b1, false);
#endif
}
__device__ __forceinline__ void mma_16x8x16(Bf16, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if defined(__CUDACC__)
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  emulated_mma(c, a, b0, b1, true);
#endif
}

/// Two floats, rounded to nearest.
__device__ __forceinline__ unsigned pack(F16, float low, float high) {
#if defined(__CUDACC__)
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return __half_as_ushort(__float2half_rn(low)) | static_cast<unsigned>(__half_as_ushort(__float2half_rn(high))) << 16;
#endif
}
__device__ __forceinline__ unsigned pack(Bf16, float low, float high) {
#if defined(__CUDACC__)
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return __bfloat16_as_ushort(__float2bfloat16_rn(low)) |
         static_cast<unsigned>(__bfloat16_as_ushort(__float2bfloat16_rn(high))) << 16;
#endif
}

/// Loads four 8 x 8 matrices of 16-bit elements from shared memory; matrix i goes to to[i]. Lane 8i + r passes the
/// address of row r of matrix i, a multiple of 16 bytes. Lane l receives elements 2 (l % 4) and the next of row l / 4.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const unsigned short* row) {
#if defined(__CUDACC__)
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
#else
  emulated_load(to, row, false);
#endif
}
/// The same, each matrix transposed: lane l receives rows 2 (l % 4) and the next at column l / 4.
__device__ __forceinline__ void load_matrices_transposed(unsigned (&to)[4], const unsigned short* row) {
#if defined(__CUDACC__)
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
#else
  emulated_load(to, row, true);
#endif
}

}  // namespace ridgeline::ptx
