#include "harness/device/kernel.hpp"
#include "harness/emulated/test/words.hpp"

namespace ridgeline::emulated::test {
namespace {

constexpr unsigned whole_warp = 0xFFFFFFFFu;

__global__ void warp_words_kernel(WarpWords* to) {
  const unsigned lane = threadIdx.x;
  const int number = static_cast<int>(lane) - 16;
  WarpWords mine;
  mine.matches = __match_any_sync(whole_warp, lane / 8);
  mine.all_match = __match_all_sync(whole_warp, 7.5, &mine.all_matched);
  mine.all_differ = __match_all_sync(whole_warp, lane / 31, &mine.all_differed);
  mine.sum = __reduce_add_sync(whole_warp, lane);
  mine.least = __reduce_min_sync(whole_warp, lane + 3);
  mine.greatest = __reduce_max_sync(whole_warp, lane);
  mine.both = __reduce_and_sync(whole_warp, lane | 32);
  mine.either = __reduce_or_sync(whole_warp, lane);
  mine.one = __reduce_xor_sync(whole_warp, lane < 3 ? lane + 1 : 0u);
  mine.signed_sum = __reduce_add_sync(whole_warp, number);
  mine.signed_least = __reduce_min_sync(whole_warp, number);
  mine.signed_greatest = __reduce_max_sync(whole_warp, number);
  to[lane] = mine;
}

__global__ void bit_words_kernel(unsigned bits, unsigned other, unsigned* to) {
  const unsigned long long both = static_cast<unsigned long long>(other) << 32 | bits;
  const unsigned results[bit_words] = {
      static_cast<unsigned>(__popc(bits)),
      static_cast<unsigned>(__popcll(both)),
      static_cast<unsigned>(__clz(static_cast<int>(bits))),
      static_cast<unsigned>(__clzll(static_cast<long long>(both))),
      static_cast<unsigned>(__ffs(static_cast<int>(bits))),
      static_cast<unsigned>(__ffsll(static_cast<long long>(both))),
      __brev(bits),
      __funnelshift_l(bits, other, 8),
      __funnelshift_r(bits, other, 8),
      __byte_perm(bits, other, 0x7C15),
      static_cast<unsigned>(__mul24(static_cast<int>(bits), 3)),
      __umulhi(bits, other),
      static_cast<unsigned>(__mulhi(static_cast<int>(bits), static_cast<int>(other)))};
  if (threadIdx.x < bit_words) to[threadIdx.x] = results[threadIdx.x];
}

__global__ void atomic_words_kernel(unsigned* words) {
  atomicSub(&words[0], 2u);
  atomicInc(&words[1], 20u);
  atomicDec(&words[2], 20u);
  atomicAdd_block(&words[3], 1u);
  atomicAdd_system(&words[4], 1u);
  atomicCAS_block(&words[5], 0u, threadIdx.x + 1);
}

__global__ void packed_kernel(unsigned* words) {
  atomicAdd(reinterpret_cast<__half2*>(&words[0]),
            __halves2half2(__float2half(1.0f), __float2half(2.0f)));
  atomicAdd(reinterpret_cast<__nv_bfloat162*>(&words[1]),
            __halves2bfloat162(__float2bfloat16(1.0f), __float2bfloat16(2.0f)));
  atomicAdd(reinterpret_cast<__half*>(&words[2]), __float2half(1.0f));
}

__global__ void clock_kernel(int* to) {
  const long long before = clock64();
  const int short_before = clock();
  __nanosleep(100);
  to[threadIdx.x] = clock64() > before && clock() > short_before ? 1 : 0;
}

__global__ void unmodelled_kernel(Unmodelled what, float* words) {
  if (what == Unmodelled::active_mask) words[0] = static_cast<float>(__activemask());
  if (what == Unmodelled::wide_atomic)
    atomicAdd(reinterpret_cast<float2*>(words), make_float2(1, 1));
}

template <class T>
__global__ void copy_kernel(const T* from, T* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

template <class T>
__global__ void swap_kernel(const T* from, T* to) {
  to[threadIdx.x] = __shfl_xor_sync(whole_warp, from[threadIdx.x], 1);
}

template <class Part, int n>
struct Parts {
  Part part[n];
};

__global__ void reverse_pairs_kernel(const __half2* from, __half2* to) {
  __shared__ __half2 held[32];
  held[threadIdx.x] = from[threadIdx.x];
  __syncwarp();
  to[threadIdx.x] = held[31 - threadIdx.x];
}

/// Calls `use` with a null pointer to the type.
template <class Use>
void with_type(Element element, Use use) {
  switch (element) {
    case Element::half:
      return use(static_cast<__half*>(nullptr));
    case Element::half2:
      return use(static_cast<__half2*>(nullptr));
    case Element::bf16:
      return use(static_cast<__nv_bfloat16*>(nullptr));
    case Element::bf162:
      return use(static_cast<__nv_bfloat162*>(nullptr));
    case Element::float2:
      return use(static_cast<::float2*>(nullptr));
    case Element::float4:
      return use(static_cast<::float4*>(nullptr));
    case Element::double2:
      return use(static_cast<::double2*>(nullptr));
    case Element::int4:
      return use(static_cast<::int4*>(nullptr));
    case Element::uint4:
      return use(static_cast<::uint4*>(nullptr));
    case Element::longlong2:
      return use(static_cast<::longlong2*>(nullptr));
    case Element::char4:
      return use(static_cast<::char4*>(nullptr));
  }
}

}  // namespace

void use_warp_words(device::Stream& stream, WarpWords* to) {
  device::launch({.block = dim3(32)}, stream, warp_words_kernel, to);
}
void use_bit_words(device::Stream& stream, unsigned bits, unsigned other, unsigned* to) {
  device::launch({.block = dim3(32)}, stream, bit_words_kernel, bits, other, to);
}
void use_atomic_words(device::Stream& stream, unsigned* words) {
  device::launch({.block = dim3(32)}, stream, atomic_words_kernel, words);
}
void add_packed(device::Stream& stream, unsigned* words) {
  device::launch({.block = dim3(32)}, stream, packed_kernel, words);
}
void use_clock(device::Stream& stream, int* to) {
  device::launch({.block = dim3(32)}, stream, clock_kernel, to);
}
void use_unmodelled(device::Stream& stream, Unmodelled what, float* words) {
  device::launch({.block = dim3(32)}, stream, unmodelled_kernel, what, words);
}

int bytes_of(Element element) {
  int bytes = 0;
  with_type(element, [&]<class T>(T*) { bytes = static_cast<int>(sizeof(T)); });
  return bytes;
}

void copy_elements(device::Stream& stream, Element element, const void* from, void* to) {
  with_type(element, [&]<class T>(T*) {
    device::launch({.block = dim3(32)}, stream, copy_kernel<T>, static_cast<const T*>(from),
                   static_cast<T*>(to));
  });
}

void swap_elements(device::Stream& stream, Element element, const void* from, void* to) {
  with_type(element, [&]<class T>(T*) {
    if constexpr (sizeof(T) <= 8)
      device::launch({.block = dim3(32)}, stream, swap_kernel<T>, static_cast<const T*>(from),
                     static_cast<T*>(to));
  });
}

void reverse_pairs(device::Stream& stream, const void* from, void* to) {
  device::launch({.block = dim3(32)}, stream, reverse_pairs_kernel,
                 static_cast<const __half2*>(from), static_cast<__half2*>(to));
}

void copy_objects(device::Stream& stream, int bytes, const void* from, void* to) {
  const auto copy = [&]<class T>(T*) {
    device::launch({.block = dim3(32)}, stream, copy_kernel<T>, static_cast<const T*>(from),
                   static_cast<T*>(to));
  };
  if (bytes == 3) copy(static_cast<Parts<char, 3>*>(nullptr));
  if (bytes == 6) copy(static_cast<Parts<short, 3>*>(nullptr));
  if (bytes == 10) copy(static_cast<Parts<short, 5>*>(nullptr));
  if (bytes == 12) copy(static_cast<Parts<int, 3>*>(nullptr));
}

}  // namespace ridgeline::emulated::test
