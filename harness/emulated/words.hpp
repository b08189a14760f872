#pragma once

// Words of the kernel language that follow from others or are a host compiler's own. Part of
// language.hpp, which includes it behind what they are made of.

RIDGELINE_WORD unsigned __activemask() {
  ::ridgeline::emulated::unsupported("__activemask: which lanes it gives depends on scheduling");
}

template <class T>
RIDGELINE_WORD unsigned __match_any_sync(unsigned mask, T value) {
  namespace emulated = ::ridgeline::emulated;
  return emulated::match(mask, emulated::to_bits<emulated::Promoted<T>>(value));
}
/// The mask, if all lanes have the same value, else 0.
template <class T>
RIDGELINE_WORD unsigned __match_all_sync(unsigned mask, T value, int* all) {
  namespace emulated = ::ridgeline::emulated;
  const unsigned same = emulated::match(mask, emulated::to_bits<emulated::Promoted<T>>(value));
  *all = __all_sync(mask, same == __ballot_sync(mask, 1) ? 1 : 0);
  return *all != 0 ? same : 0u;
}

#define RIDGELINE_REDUCTION(name, type, kind, number)                                             \
  RIDGELINE_WORD type name(unsigned mask, type value) {                                           \
    namespace emulated = ::ridgeline::emulated;                                                   \
    return static_cast<type>(emulated::reduce(mask, static_cast<unsigned>(value),                 \
                                              emulated::Update::kind, emulated::Number::number)); \
  }
RIDGELINE_REDUCTION(__reduce_add_sync, unsigned, add, u32)
RIDGELINE_REDUCTION(__reduce_min_sync, unsigned, minimum, u32)
RIDGELINE_REDUCTION(__reduce_max_sync, unsigned, maximum, u32)
RIDGELINE_REDUCTION(__reduce_add_sync, int, add, i32)
RIDGELINE_REDUCTION(__reduce_min_sync, int, minimum, i32)
RIDGELINE_REDUCTION(__reduce_max_sync, int, maximum, i32)
RIDGELINE_REDUCTION(__reduce_and_sync, unsigned, bit_and, u32)
RIDGELINE_REDUCTION(__reduce_or_sync, unsigned, bit_or, u32)
RIDGELINE_REDUCTION(__reduce_xor_sync, unsigned, bit_xor, u32)
#undef RIDGELINE_REDUCTION

template <class T>
RIDGELINE_WORD T atomicSub(T* at, std::type_identity_t<T> value) {
  return atomicAdd(at, static_cast<T>(0 - value));
}
RIDGELINE_WORD unsigned atomicInc(unsigned* at, unsigned last) {
  return ::ridgeline::emulated::updated(at, last, ::ridgeline::emulated::Update::wrap_up);
}
RIDGELINE_WORD unsigned atomicDec(unsigned* at, unsigned last) {
  return ::ridgeline::emulated::updated(at, last, ::ridgeline::emulated::Update::wrap_down);
}

// Overloads for the types that are no numbers of the language itself.
RIDGELINE_WORD __half atomicAdd(__half* at, __half value) {
  namespace emulated = ::ridgeline::emulated;
  return emulated::from_bits<__half>(
      emulated::add_halves(at, static_cast<unsigned>(emulated::to_bits(value)), 2, false));
}
RIDGELINE_WORD __nv_bfloat16 atomicAdd(__nv_bfloat16* at, __nv_bfloat16 value) {
  namespace emulated = ::ridgeline::emulated;
  return emulated::from_bits<__nv_bfloat16>(
      emulated::add_halves(at, static_cast<unsigned>(emulated::to_bits(value)), 2, true));
}
RIDGELINE_WORD __half2 atomicAdd(__half2* at, __half2 value) {
  namespace emulated = ::ridgeline::emulated;
  return emulated::from_bits<__half2>(
      emulated::add_halves(at, static_cast<unsigned>(emulated::to_bits(value)), 4, false));
}
RIDGELINE_WORD __nv_bfloat162 atomicAdd(__nv_bfloat162* at, __nv_bfloat162 value) {
  namespace emulated = ::ridgeline::emulated;
  return emulated::from_bits<__nv_bfloat162>(
      emulated::add_halves(at, static_cast<unsigned>(emulated::to_bits(value)), 4, true));
}
RIDGELINE_WORD float2 atomicAdd(float2*, float2) {
  ::ridgeline::emulated::unsupported("atomicAdd on float2");
}
RIDGELINE_WORD float4 atomicAdd(float4*, float4) {
  ::ridgeline::emulated::unsupported("atomicAdd on float4");
}

// What only threads of the block may rely on is told apart; the system is the device.
#define RIDGELINE_SCOPES(name, kind)                                                         \
  template <class T>                                                                         \
  RIDGELINE_WORD T name##_block(T* at, std::type_identity_t<T> value) {                      \
    namespace emulated = ::ridgeline::emulated;                                              \
    return emulated::updated(at, value, emulated::Update::kind, {}, emulated::Scope::block); \
  }                                                                                          \
  template <class T>                                                                         \
  RIDGELINE_WORD T name##_system(T* at, std::type_identity_t<T> value) {                     \
    return name(at, value);                                                                  \
  }
RIDGELINE_SCOPES(atomicAdd, add)
RIDGELINE_SCOPES(atomicMin, minimum)
RIDGELINE_SCOPES(atomicMax, maximum)
RIDGELINE_SCOPES(atomicExch, exchange)
RIDGELINE_SCOPES(atomicAnd, bit_and)
RIDGELINE_SCOPES(atomicOr, bit_or)
RIDGELINE_SCOPES(atomicXor, bit_xor)
RIDGELINE_SCOPES(atomicInc, wrap_up)
RIDGELINE_SCOPES(atomicDec, wrap_down)
#undef RIDGELINE_SCOPES
template <class T>
RIDGELINE_WORD T atomicSub_block(T* at, std::type_identity_t<T> value) {
  return atomicAdd_block(at, static_cast<T>(0 - value));
}
template <class T>
RIDGELINE_WORD T atomicSub_system(T* at, std::type_identity_t<T> value) {
  return atomicSub(at, value);
}
template <class T>
RIDGELINE_WORD T atomicCAS_block(T* at, std::type_identity_t<T> compared,
                                 std::type_identity_t<T> value) {
  namespace emulated = ::ridgeline::emulated;
  return emulated::updated(at, value, emulated::Update::compare_and_swap, compared,
                           emulated::Scope::block);
}
template <class T>
RIDGELINE_WORD T atomicCAS_system(T* at, std::type_identity_t<T> compared,
                                  std::type_identity_t<T> value) {
  return atomicCAS(at, compared, value);
}

RIDGELINE_WORD void __threadfence() { ::ridgeline::emulated::fence(); }
RIDGELINE_WORD void __threadfence_block() {
  ::ridgeline::emulated::fence(::ridgeline::emulated::Scope::block);
}
RIDGELINE_WORD void __threadfence_system() { ::ridgeline::emulated::fence(); }

/// A count that only grows, and never a time.
RIDGELINE_WORD long long clock64() {
  return static_cast<long long>(::ridgeline::emulated::ticks());
}
#define clock() \
  static_cast<int>(::ridgeline::emulated::ticks())  // libc has another function of the name
RIDGELINE_WORD void __nanosleep(unsigned) {}

RIDGELINE_WORD int __popc(unsigned bits) { return std::popcount(bits); }
RIDGELINE_WORD int __popcll(unsigned long long bits) { return std::popcount(bits); }
RIDGELINE_WORD int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
RIDGELINE_WORD int __clzll(long long bits) {
  return std::countl_zero(static_cast<unsigned long long>(bits));
}
RIDGELINE_WORD int __ffs(int bits) { return __builtin_ffs(bits); }
RIDGELINE_WORD int __ffsll(long long bits) { return __builtin_ffsll(bits); }
RIDGELINE_WORD unsigned long long __brevll(unsigned long long bits) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; ++i) reversed |= (bits >> i & 1) << (63 - i);
  return reversed;
}
RIDGELINE_WORD unsigned __brev(unsigned bits) {
  return static_cast<unsigned>(__brevll(bits) >> 32);
}
RIDGELINE_WORD unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}
RIDGELINE_WORD unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
/// Byte i of the result is the byte of (high, low) that nibble i of `selector` names, or its sign
/// in all bits.
RIDGELINE_WORD unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  unsigned bytes = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 15;
    const auto byte =
        static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> 8 * (nibble & 7) & 255);
    bytes |= ((nibble & 8) == 0 ? byte : (byte >> 7) * 255) << 8 * i;
  }
  return bytes;
}
RIDGELINE_WORD int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
RIDGELINE_WORD unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
RIDGELINE_WORD int __mulhi(int a, int b) { return static_cast<int>(std::int64_t{a} * b >> 32); }
RIDGELINE_WORD unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
RIDGELINE_WORD long long __double_as_longlong(double value) {
  return __builtin_bit_cast(long long, value);
}
RIDGELINE_WORD double __longlong_as_double(long long bits) {
  return __builtin_bit_cast(double, bits);
}
