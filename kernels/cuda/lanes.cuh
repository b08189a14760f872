#pragma once

#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/ptx/mma.cuh"

// Elements of each type as floats, one by one and 16 bytes at a time.
namespace ridgeline::kernels::on_cuda {

__device__ __forceinline__ float widen(float value) { return value; }
__device__ __forceinline__ float widen(__half value) { return __half2float(value); }
__device__ __forceinline__ float widen(__nv_bfloat16 value) { return __bfloat162float(value); }

template <class Element>
__device__ __forceinline__ Element narrow(float value) {
  if constexpr (std::is_same_v<Element, __half>)
    return __float2half(value);
  else if constexpr (std::is_same_v<Element, __nv_bfloat16>)
    return __float2bfloat16(value);
  else
    return value;
}

/// 16 bytes of elements, and how they are unpacked and packed.
template <class Element>
inline constexpr int lanes_of = 16 / sizeof(Element);

__device__ __forceinline__ void unpack(const float*, uint4 from, float (&to)[4]) {
  to[0] = __uint_as_float(from.x), to[1] = __uint_as_float(from.y);
  to[2] = __uint_as_float(from.z), to[3] = __uint_as_float(from.w);
}
__device__ __forceinline__ void unpack(const __half*, uint4 from, float (&to)[8]) {
  const unsigned words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __half2float(__ushort_as_half(static_cast<unsigned short>(words[i] & 0xFFFFu)));
    to[2 * i + 1] = __half2float(__ushort_as_half(static_cast<unsigned short>(words[i] >> 16)));
  }
}
__device__ __forceinline__ void unpack(const __nv_bfloat16*, uint4 from, float (&to)[8]) {
  const unsigned words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000u);
  }
}

__device__ __forceinline__ uint4 pack(const float*, const float (&from)[4]) {
  return make_uint4(__float_as_uint(from[0]), __float_as_uint(from[1]), __float_as_uint(from[2]),
                    __float_as_uint(from[3]));
}
template <class Type>
__device__ __forceinline__ uint4 pack_pairs(Type type, const float (&from)[8]) {
  return make_uint4(ptx::pack(type, from[0], from[1]), ptx::pack(type, from[2], from[3]),
                    ptx::pack(type, from[4], from[5]), ptx::pack(type, from[6], from[7]));
}
__device__ __forceinline__ uint4 pack(const __half*, const float (&from)[8]) {
  return pack_pairs(ptx::F16{}, from);
}
__device__ __forceinline__ uint4 pack(const __nv_bfloat16*, const float (&from)[8]) {
  return pack_pairs(ptx::Bf16{}, from);
}

}  // namespace ridgeline::kernels::on_cuda
