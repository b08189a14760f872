#pragma once

#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Vectors of each instruction set under the same names, for loops that kernels/simd/each_isa.inl
// compiles once for each. Vectors stay inside functions: passing them by value would tie callers to
// an instruction set.
namespace ridgeline::simd {

enum class Isa { baseline, avx2, avx512 };

/// Instruction sets that this machine can run, widest first.
inline std::vector<Isa> usable() {
  std::vector<Isa> isas;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) isas.push_back(Isa::avx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(Isa::avx2);
#endif
  isas.push_back(Isa::baseline);
  return isas;
}

/// The instruction set that kernels run with: the widest there is, unless a test sets another one.
inline Isa& isa_in_use() {
  static Isa isa = usable().front();
  return isa;
}

/// Floats in a vector, and vectors in registers, of isa_in_use().
struct Shape {
  int floats, registers;
};
inline Shape shape() {
  const Isa isa = isa_in_use();
  return isa == Isa::avx512 ? Shape{16, 32} : isa == Isa::avx2 ? Shape{8, 16} : Shape{4, 16};
}

/// Picks the loop of this name that kernels/simd/each_isa.inl has compiled for isa_in_use().
#if defined(__x86_64__)
#define RIDGELINE_LOOP(...)                                                                \
  (::ridgeline::simd::isa_in_use() == ::ridgeline::simd::Isa::avx512 ? avx512::__VA_ARGS__ \
   : ::ridgeline::simd::isa_in_use() == ::ridgeline::simd::Isa::avx2 ? avx2::__VA_ARGS__   \
                                                                     : baseline::__VA_ARGS__)
#else
#define RIDGELINE_LOOP(...) (baseline::__VA_ARGS__)
#endif

/// Keeps the compiler from merging, moving or dropping the memory accesses before and after.
inline void keep_accesses() { asm volatile("" ::: "memory"); }

// Loose types may stand at any float's address.
#define RIDGELINE_VECTOR_TYPES(bytes)                                                     \
  inline constexpr int vector_bytes = bytes;                                              \
  typedef float Floats __attribute__((vector_size(bytes)));                               \
  typedef double Doubles __attribute__((vector_size(bytes)));                             \
  typedef std::uint32_t Words __attribute__((vector_size(bytes)));                        \
  typedef float LooseFloats __attribute__((vector_size(bytes), aligned(4), may_alias));   \
  typedef double LooseDoubles __attribute__((vector_size(bytes), aligned(8), may_alias)); \
  typedef std::uint32_t LooseWords __attribute__((vector_size(bytes), aligned(4), may_alias));

/// store_past_caches(): stores past the caches to an address that is a multiple of vector_bytes;
/// flush_stores() orders such stores before what follows.
namespace baseline {
inline constexpr int vector_registers = 16;
RIDGELINE_VECTOR_TYPES(16)
#if defined(__x86_64__)
[[gnu::always_inline]] inline void store_past_caches(float* to, const Floats& value) {
  _mm_stream_ps(to, value);
}
#else
inline void store_past_caches(float* to, const Floats& value) {
  *reinterpret_cast<LooseFloats*>(to) = value;
}
#endif
}  // namespace baseline

#if defined(__x86_64__)
namespace avx2 {
inline constexpr int vector_registers = 16;
RIDGELINE_VECTOR_TYPES(32)
[[gnu::target("avx2,fma"), gnu::always_inline]] inline void store_past_caches(float* to,
                                                                              const Floats& value) {
  _mm256_stream_ps(to, value);
}
}  // namespace avx2

namespace avx512 {
inline constexpr int vector_registers = 32;
RIDGELINE_VECTOR_TYPES(64)
[[gnu::target("avx512f,fma"), gnu::always_inline]] inline void store_past_caches(
    float* to, const Floats& value) {
  _mm512_stream_ps(to, value);
}
}  // namespace avx512
#endif
#undef RIDGELINE_VECTOR_TYPES

inline void flush_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace ridgeline::simd
