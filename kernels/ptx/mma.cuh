#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/ptx/matrices.cuh"

// Tensor-core multiply-add of a warp (PTX ISA, "mma"); matrices.cuh brings its operands from shared
// memory. 16-bit elements travel as pairs in `unsigned`, the lower element in the lower half. Lane
// l of a warp holds, with g = l / 4 and t = l % 4:
//   a[4] of the 16 x 16 left factor: rows g, g + 8, g, g + 8 at columns 2t, 2t, 2t + 8, 2t + 8 (and
//   the next one); b[2] of the 16 x 8 right factor: rows 2t, 2t + 8 (and the next one) at column g;
//   c[4] of the 16 x 8 sum: row g at columns 2t, 2t + 1, row g + 8 at columns 2t, 2t + 1.
// Of tf32, one float per `unsigned`, whose 13 lowest bits do not count:
//   a[4] of the 16 x 8 left factor: rows g, g + 8, g, g + 8 at columns t, t, t + 4, t + 4;
//   b[2] of the 8 x 8 right factor: rows t, t + 4 at column g.
namespace ridgeline::ptx {

/// Tags for the type of the factors' elements.
struct F16 {};
struct Bf16 {};
struct Tf32 {};
struct E4m3 {};

#if !defined(__CUDACC__)
__device__ __forceinline__ void emulated_mma(emulated::Factor type, float (&c)[4],
                                             const unsigned (&a)[4], unsigned b0, unsigned b1) {
  const emulated::Sums sums =
      emulated::multiply(type, {{c[0], c[1], c[2], c[3]}}, {{a[0], a[1], a[2], a[3]}}, b0, b1);
  for (int i = 0; i < 4; ++i) c[i] = sums.parts[i];
}
#endif

/// c += a * b.
__device__ __forceinline__ void mma_16x8x16(F16, float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                            unsigned b1) {
#if defined(__CUDACC__)
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
      "%9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  emulated_mma(emulated::Factor::f16, c, a, b0, b1);
#endif
}
__device__ __forceinline__ void mma_16x8x16(Bf16, float (&c)[4], const unsigned (&a)[4],
                                            unsigned b0, unsigned b1) {
#if defined(__CUDACC__)
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  emulated_mma(emulated::Factor::bf16, c, a, b0, b1);
#endif
}

__device__ __forceinline__ void mma_16x8x8(Tf32, float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                           unsigned b1) {
#if defined(__CUDACC__)
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
      "%9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  emulated_mma(emulated::Factor::tf32, c, a, b0, b1);
#endif
}

/// Two floats, rounded to nearest.
__device__ __forceinline__ unsigned pack(F16, float low, float high) {
#if defined(__CUDACC__)
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return __half_as_ushort(__float2half_rn(low)) |
         static_cast<unsigned>(__half_as_ushort(__float2half_rn(high))) << 16;
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

}  // namespace ridgeline::ptx
