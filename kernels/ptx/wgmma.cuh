#pragma once

#include <cstdint>

#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/opaque.cuh"
#include "kernels/ptx/tensor_map.hpp"

// Asynchronous products of a warpgroup: four warps whose first index is a multiple of four (PTX
// ISA, "wgmma"; sm_90a only). Both factors lie in shared memory, K fastest (or, where a function
// says so, the right one's columns); the sum is in registers. Thread t of the warpgroup holds, with
// w = t / 32, g = t % 32 / 4 and q = t % 4, of 64 rows: d[4j], d[4j + 1] at row 16w + g, columns 8j
// + 2q and the next one, and d[4j + 2], d[4j + 3] at the same columns of row 16w + g + 8.
// A left factor of 16-bit elements may be in registers instead: of rows 16w to 16w + 15, a thread
// has what mma_16x8x16() asks of its lane (mma.cuh). So sums are half way to a left factor: packed
// in pairs, d[8j] to d[8j + 7] are a[0] to a[3] of columns 16j to 16j + 15.
namespace ridgeline::ptx {

/// Where a factor lies, without swizzle: core matrices of 8 rows by 16 bytes, each contiguous.
/// `next_k` and `next_row` are the bytes from one core matrix to the next along K and along the
/// rows. All three are multiples of 16.
__device__ __forceinline__ std::uint64_t matrix_descriptor(const void* shared, unsigned next_k,
                                                           unsigned next_row) {
  // A GPU has 18 bits of address; the emulated device puts two more where there are none.
  const std::uint64_t address = shared_address(shared);
  return (address >> 4) | (std::uint64_t{next_k >> 4} << 16) | (std::uint64_t{next_row >> 4} << 32);
}

/// Where a factor lies whose rows are as long as the swizzle's span, with 8 rows after each other,
/// the first at a multiple of 8 spans, and `next_rows` bytes from them to the next 8. Adding n / 16
/// to it goes n bytes along K.
__device__ __forceinline__ std::uint64_t matrix_descriptor(const void* shared,
                                                           device::Swizzle swizzle,
                                                           unsigned next_rows) {
  const std::uint64_t mode = swizzle == device::Swizzle::bytes_128  ? 1
                             : swizzle == device::Swizzle::bytes_64 ? 2
                                                                    : 3;
  return matrix_descriptor(shared, 16, next_rows) | mode << 62;
}

/// Where a transposed factor lies, whose columns (rows, of a left one) are fastest: boxes as wide
/// as the swizzle's span, `next_box` bytes from one to the next. A box has 8 rows of K after each
/// other, the first at a multiple of 8 spans, and `next_rows` bytes from them to the next 8.
__device__ __forceinline__ std::uint64_t transposed_descriptor(const void* shared,
                                                               device::Swizzle swizzle,
                                                               unsigned next_box,
                                                               unsigned next_rows) {
  constexpr std::uint64_t of_box = std::uint64_t{0x3FFF} << 16;
  return (matrix_descriptor(shared, swizzle, next_rows) & ~of_box) | std::uint64_t{next_box >> 4}
                                                                         << 16;
}

/// Orders accesses to the registers of sums and left factors before the products that follow.
__device__ __forceinline__ void products_begin() {
#if defined(__CUDACC__)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  emulated::products_fence();
#endif
}
/// Closes a group: the products started since the last commit.
__device__ __forceinline__ void products_commit() {
#if defined(__CUDACC__)
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  emulated::products_commit();
#endif
}
/// Waits until at most the last `groups` groups are still under way.
template <int groups>
__device__ __forceinline__ void products_wait() {
#if defined(__CUDACC__)
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
#else
  emulated::products_wait(groups);
#endif
}
/// The same, where products of `d` are among those that are waited for: it is not used earlier.
template <int groups, int count>
__device__ __forceinline__ void products_wait(float (&d)[count]) {
  products_wait<groups>();
  keep_order(d);
}

// d += sign * a * b, where a is 64 x K and b is K x 2 count, K = 32 bytes of elements. Types differ
// in their name, and 16-bit ones take two more operands, which say that no factor is transposed.
// clang-format off
#if defined(__CUDACC__)
#define RIDGELINE_REGISTERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define RIDGELINE_REGISTERS_40 RIDGELINE_REGISTERS_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define RIDGELINE_REGISTERS_64 RIDGELINE_REGISTERS_32 ", " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define RIDGELINE_REGISTERS_128 RIDGELINE_REGISTERS_64 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define RIDGELINE_SUMS_32 \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), \
  "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), \
  "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), \
  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), \
  "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), \
  "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define RIDGELINE_SUMS_40 RIDGELINE_SUMS_32, \
  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), \
  "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define RIDGELINE_SUMS_64 RIDGELINE_SUMS_32, \
  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), \
  "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), \
  "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), \
  "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), \
  "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), \
  "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), \
  "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define RIDGELINE_SUMS_128 RIDGELINE_SUMS_64, \
  "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), \
  "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), \
  "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), \
  "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), \
  "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), \
  "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), \
  "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), \
  "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), \
  "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), \
  "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), \
  "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), \
  "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), \
  "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), \
  "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), \
  "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), \
  "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])

// `operands` are the numbers of the two descriptors and the sign among asm's operands, which follow
// the sums.
#define RIDGELINE_PRODUCT(Type, factor, count, shape_and_types, operands, transpositions) \
  template <int sign> \
  __device__ __forceinline__ void add_product(Type, float (&d)[count], std::uint64_t a, std::uint64_t b) { \
    asm volatile("wgmma.mma_async.sync.aligned." shape_and_types " {" RIDGELINE_REGISTERS_##count "}, " operands \
                 ", 1" transpositions ";" \
                 : RIDGELINE_SUMS_##count \
                 : "l"(a), "l"(b), "n"(sign)); \
  }
#else
#define RIDGELINE_PRODUCT(Type, factor, count, shape_and_types, operands, transpositions) \
  template <int sign> \
  __device__ __forceinline__ void add_product(Type, float (&d)[count], std::uint64_t a, std::uint64_t b) { \
    emulated::product({emulated::Factor::factor, 2 * count, sign, a, b}, d); \
  }
#endif

RIDGELINE_PRODUCT(F16, f16, 32, "m64n64k16.f32.f16.f16", "%32, %33, 1, %34", ", 0, 0")
RIDGELINE_PRODUCT(Bf16, bf16, 32, "m64n64k16.f32.bf16.bf16", "%32, %33, 1, %34", ", 0, 0")
RIDGELINE_PRODUCT(F16, f16, 64, "m64n128k16.f32.f16.f16", "%64, %65, 1, %66", ", 0, 0")
RIDGELINE_PRODUCT(Bf16, bf16, 64, "m64n128k16.f32.bf16.bf16", "%64, %65, 1, %66", ", 0, 0")
RIDGELINE_PRODUCT(F16, f16, 128, "m64n256k16.f32.f16.f16", "%128, %129, 1, %130", ", 0, 0")
RIDGELINE_PRODUCT(Bf16, bf16, 128, "m64n256k16.f32.bf16.bf16", "%128, %129, 1, %130", ", 0, 0")
RIDGELINE_PRODUCT(Tf32, tf32, 128, "m64n256k8.f32.tf32.tf32", "%128, %129, 1, %130", "")
RIDGELINE_PRODUCT(E4m3, e4m3, 128, "m64n256k32.f32.e4m3.e4m3", "%128, %129, 1, %130", "")
#undef RIDGELINE_PRODUCT

// d = a * b, or d += a * b where `keep`, with b transposed: its columns are fastest. Then a K of 16
// has 16 rows of a box. `operands` are the descriptors', `flag` is that of `keep`.
#if defined(__CUDACC__)
#define RIDGELINE_TRANSPOSED_PRODUCT(Type, factor, count, shape_and_types, operands, flag) \
  __device__ __forceinline__ void multiply_transposed(Type, float (&d)[count], std::uint64_t a, std::uint64_t b, bool keep) { \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, " flag ", 0;\n" \
                 "wgmma.mma_async.sync.aligned." shape_and_types " {" RIDGELINE_REGISTERS_##count "}, " operands \
                 ", keep, 1, 1, 0, 1;\n}" \
                 : RIDGELINE_SUMS_##count \
                 : "l"(a), "l"(b), "r"(static_cast<int>(keep))); \
  }
#else
#define RIDGELINE_TRANSPOSED_PRODUCT(Type, factor, count, shape_and_types, operands, flag) \
  __device__ __forceinline__ void multiply_transposed(Type, float (&d)[count], std::uint64_t a, std::uint64_t b, bool keep) { \
    emulated::product({.type = emulated::Factor::factor, .columns = 2 * count, .left = a, .right = b, .transposed = true, .keeps = keep}, d); \
  }
#endif
RIDGELINE_TRANSPOSED_PRODUCT(F16, f16, 64, "m64n128k16.f32.f16.f16", "%64, %65", "%66")
RIDGELINE_TRANSPOSED_PRODUCT(F16, f16, 128, "m64n256k16.f32.f16.f16", "%128, %129", "%130")
RIDGELINE_TRANSPOSED_PRODUCT(Bf16, bf16, 128, "m64n256k16.f32.bf16.bf16", "%128, %129", "%130")
#undef RIDGELINE_TRANSPOSED_PRODUCT

// d = a * b, or d += a * b where `keep`, with a transposed or not: then its 64 rows are fastest, one
// box of them (transposed_descriptor()), and a K of 16 has 16 rows of the box. `operands` are the
// descriptors', `flag` is that of `keep`, `transposition` a's.
#if defined(__CUDACC__)
#define RIDGELINE_LEFT_PRODUCT(Type, factor, count, shape_and_types, operands, flag, transposition) \
  template <bool left_transposed> \
  __device__ __forceinline__ void multiply(Type, float (&d)[count], std::uint64_t a, std::uint64_t b, bool keep) { \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, " flag ", 0;\n" \
                 "wgmma.mma_async.sync.aligned." shape_and_types " {" RIDGELINE_REGISTERS_##count "}, " operands \
                 ", keep, 1, 1, " transposition ", 0;\n}" \
                 : RIDGELINE_SUMS_##count \
                 : "l"(a), "l"(b), "r"(static_cast<int>(keep)), "n"(static_cast<int>(left_transposed))); \
  }
#else
#define RIDGELINE_LEFT_PRODUCT(Type, factor, count, shape_and_types, operands, flag, transposition) \
  template <bool is_left_transposed> \
  __device__ __forceinline__ void multiply(Type, float (&d)[count], std::uint64_t a, std::uint64_t b, bool keep) { \
    emulated::product({.type = emulated::Factor::factor, .columns = 2 * count, .left = a, .right = b, .left_transposed = is_left_transposed, .keeps = keep}, d); \
  }
#endif
RIDGELINE_LEFT_PRODUCT(F16, f16, 32, "m64n64k16.f32.f16.f16", "%32, %33", "%34", "%35")
RIDGELINE_LEFT_PRODUCT(Bf16, bf16, 32, "m64n64k16.f32.bf16.bf16", "%32, %33", "%34", "%35")
RIDGELINE_LEFT_PRODUCT(F16, f16, 40, "m64n80k16.f32.f16.f16", "%40, %41", "%42", "%43")
RIDGELINE_LEFT_PRODUCT(Bf16, bf16, 40, "m64n80k16.f32.bf16.bf16", "%40, %41", "%42", "%43")
RIDGELINE_LEFT_PRODUCT(F16, f16, 64, "m64n128k16.f32.f16.f16", "%64, %65", "%66", "%67")
RIDGELINE_LEFT_PRODUCT(Bf16, bf16, 64, "m64n128k16.f32.bf16.bf16", "%64, %65", "%66", "%67")
#undef RIDGELINE_LEFT_PRODUCT

// The same with a in registers, and b transposed or not. a is read until the wait for the product:
// nobody touches it before. `of_a` to `transposition` are the operands' numbers.
#if defined(__CUDACC__)
#define RIDGELINE_PRODUCT_FROM_REGISTERS(Type, factor, count, shape_and_types, of_a, of_b, flag, transposition) \
  template <bool transposed> \
  __device__ __forceinline__ void multiply_from_registers(Type, float (&d)[count], const unsigned (&a)[4], std::uint64_t b, bool keep) { \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, " flag ", 0;\n" \
                 "wgmma.mma_async.sync.aligned." shape_and_types " {" RIDGELINE_REGISTERS_##count "}, {" of_a "}, " of_b \
                 ", keep, 1, 1, " transposition ";\n}" \
                 : RIDGELINE_SUMS_##count \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(keep)), \
                   "n"(static_cast<int>(transposed))); \
  }
#else
#define RIDGELINE_PRODUCT_FROM_REGISTERS(Type, factor, count, shape_and_types, of_a, of_b, flag, transposition) \
  template <bool is_transposed> \
  __device__ __forceinline__ void multiply_from_registers(Type, float (&d)[count], const unsigned (&a)[4], std::uint64_t b, bool keep) { \
    emulated::product({.type = emulated::Factor::factor, .columns = 2 * count, .right = b, .transposed = is_transposed, .keeps = keep}, d, a); \
  }
#endif
RIDGELINE_PRODUCT_FROM_REGISTERS(F16, f16, 32, "m64n64k16.f32.f16.f16", "%32, %33, %34, %35", "%36", "%37", "%38")
RIDGELINE_PRODUCT_FROM_REGISTERS(Bf16, bf16, 32, "m64n64k16.f32.bf16.bf16", "%32, %33, %34, %35", "%36", "%37", "%38")
RIDGELINE_PRODUCT_FROM_REGISTERS(F16, f16, 64, "m64n128k16.f32.f16.f16", "%64, %65, %66, %67", "%68", "%69", "%70")
RIDGELINE_PRODUCT_FROM_REGISTERS(Bf16, bf16, 64, "m64n128k16.f32.bf16.bf16", "%64, %65, %66, %67", "%68", "%69", "%70")
#undef RIDGELINE_PRODUCT_FROM_REGISTERS

// d = a * b, or d += a * b where `keep`, of e4m3: a is 64 x 32, b is 32 x 2 count. The sum is less exact than f32: tensor
// cores bring the 32 products and the sum so far to the largest exponent among them, and cut what is below 2^-13 of it.
#if defined(__CUDACC__)
#define RIDGELINE_E4M3_PRODUCT(count, shape, operands, flag) \
  __device__ __forceinline__ void multiply(E4m3, float (&d)[count], std::uint64_t a, std::uint64_t b, bool keep) { \
    asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, " flag ", 0;\n" \
                 "wgmma.mma_async.sync.aligned." shape ".f32.e4m3.e4m3 {" RIDGELINE_REGISTERS_##count "}, " operands \
                 ", keep, 1, 1;\n}" \
                 : RIDGELINE_SUMS_##count \
                 : "l"(a), "l"(b), "r"(static_cast<int>(keep))); \
  }
#else
#define RIDGELINE_E4M3_PRODUCT(count, shape, operands, flag) \
  __device__ __forceinline__ void multiply(E4m3, float (&d)[count], std::uint64_t a, std::uint64_t b, bool keep) { \
    emulated::product({.type = emulated::Factor::e4m3, .columns = 2 * count, .left = a, .right = b, .keeps = keep}, d); \
  }
#endif
RIDGELINE_E4M3_PRODUCT(64, "m64n128k32", "%64, %65", "%66")
RIDGELINE_E4M3_PRODUCT(128, "m64n256k32", "%128, %129", "%130")
#undef RIDGELINE_E4M3_PRODUCT
// clang-format on
#if defined(__CUDACC__)
#undef RIDGELINE_REGISTERS_32
#undef RIDGELINE_REGISTERS_40
#undef RIDGELINE_REGISTERS_64
#undef RIDGELINE_REGISTERS_128
#undef RIDGELINE_SUMS_32
#undef RIDGELINE_SUMS_40
#undef RIDGELINE_SUMS_64
#undef RIDGELINE_SUMS_128
#endif

}  // namespace ridgeline::ptx
