#pragma once

// Textures and surfaces in kernels, and texture references, which CUDA had until release 11.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "harness/emulated/program/texture_reads.hpp"

#define RIDGELINE_WORD [[gnu::always_inline]] inline

namespace ridgeline::program {

template <class Number>
RIDGELINE_WORD Number number_of(std::uint64_t half, int place) {
  const auto bits = static_cast<std::uint32_t>(half >> 32 * place);
  if constexpr (std::is_same_v<Number, float>)
    return __builtin_bit_cast(float, bits);
  else
    return static_cast<Number>(bits);
}
/// The texel as a T: a number, or a vector of up to four.
template <class T>
RIDGELINE_WORD T shaped(Texel texel) {
  if constexpr (std::is_arithmetic_v<T>) {
    return number_of<T>(texel.low, 0);
  } else {
    using Number = decltype(T::x);
    if constexpr (requires(T of) { of.w; })
      return {number_of<Number>(texel.low, 0), number_of<Number>(texel.low, 1),
              number_of<Number>(texel.high, 0), number_of<Number>(texel.high, 1)};
    else if constexpr (requires(T of) { of.y; })
      return {number_of<Number>(texel.low, 0), number_of<Number>(texel.low, 1)};
    else
      return {number_of<Number>(texel.low, 0)};
  }
}

/// What a texture reference to T returns where integers are read as fractions.
template <class T>
auto fraction_of() {
  if constexpr (std::is_arithmetic_v<T>)
    return float{};
  else if constexpr (requires(T of) { of.w; })
    return float4{};
  else if constexpr (requires(T of) { of.y; })
    return float2{};
  else
    return float1{};
}

}  // namespace ridgeline::program

/// texture<> of CUDA 11, which the rewriter calls so: a program may have a class of that name.
/// Attributes count from the next binding on.
template <class T, int dimensions = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct ridgeline_texture_reference {
  int normalized = 0;
  cudaTextureFilterMode filterMode = cudaFilterModePoint;
  cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp,
                                           cudaAddressModeClamp};
  cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc<T>();
  cudaTextureObject_t bound = 0;
  using Result = std::conditional_t<mode == cudaReadModeElementType, T,
                                    decltype(::ridgeline::program::fraction_of<T>())>;

  ridgeline_texture_reference() = default;
  ridgeline_texture_reference(int of_fractions, cudaTextureFilterMode filter,
                              cudaTextureAddressMode address)
      : normalized(of_fractions), filterMode(filter), addressMode{address, address, address} {}
  cudaError_t bind(const cudaResourceDesc& resource) {
    cudaTextureDesc how{};
    for (int axis = 0; axis < 3; ++axis) how.addressMode[axis] = addressMode[axis];
    how.filterMode = filterMode;
    how.readMode = mode;
    how.normalizedCoords = normalized;
    return cudaCreateTextureObject(&bound, &resource, &how, nullptr);
  }
};

// Each in three forms: of an object, of an object to a pointer, and of a reference.
#define RIDGELINE_UNWRAP(...) __VA_ARGS__
#define RIDGELINE_READ(word, of_reference, parameters, call)                                    \
  template <class T>                                                                            \
  RIDGELINE_WORD T word(cudaTextureObject_t object, RIDGELINE_UNWRAP parameters) {              \
    return ::ridgeline::program::shaped<T>(::ridgeline::program::call);                         \
  }                                                                                             \
  template <class T>                                                                            \
  RIDGELINE_WORD void word(T* to, cudaTextureObject_t object, RIDGELINE_UNWRAP parameters) {    \
    *to = ::ridgeline::program::shaped<T>(::ridgeline::program::call);                          \
  }                                                                                             \
  template <class T, cudaTextureReadMode mode>                                                  \
  RIDGELINE_WORD auto word(const ridgeline_texture_reference<T, of_reference, mode>& reference, \
                           RIDGELINE_UNWRAP parameters) {                                       \
    const cudaTextureObject_t object = reference.bound;                                         \
    return ::ridgeline::program::shaped<                                                        \
        typename ridgeline_texture_reference<T, of_reference, mode>::Result>(                   \
        ::ridgeline::program::call);                                                            \
  }
RIDGELINE_READ(tex1Dfetch, cudaTextureType1D, (int x), fetch_texture(object, x))
RIDGELINE_READ(tex1D, cudaTextureType1D, (float x),
               read_texture(object, ::ridgeline::program::Axes::x, x, 0, 0, 0))
RIDGELINE_READ(tex2D, cudaTextureType2D, (float x, float y),
               read_texture(object, ::ridgeline::program::Axes::xy, x, y, 0, 0))
RIDGELINE_READ(tex3D, cudaTextureType3D, (float x, float y, float z),
               read_texture(object, ::ridgeline::program::Axes::xyz, x, y, z, 0))
RIDGELINE_READ(tex1DLayered, cudaTextureType1DLayered, (float x, int layer),
               read_texture(object, ::ridgeline::program::Axes::x_of_layer, x, 0, 0, layer))
RIDGELINE_READ(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
               read_texture(object, ::ridgeline::program::Axes::xy_of_layer, x, y, 0, layer))
// Arrays have one level here.
RIDGELINE_READ(tex1DLod, cudaTextureType1D, (float x, float),
               read_texture(object, ::ridgeline::program::Axes::x, x, 0, 0, 0))
RIDGELINE_READ(tex2DLod, cudaTextureType2D, (float x, float y, float),
               read_texture(object, ::ridgeline::program::Axes::xy, x, y, 0, 0))
RIDGELINE_READ(tex3DLod, cudaTextureType3D, (float x, float y, float z, float),
               read_texture(object, ::ridgeline::program::Axes::xyz, x, y, z, 0))
#undef RIDGELINE_READ

#define RIDGELINE_SURFACE(kind, parameters, x, y, z)                                           \
  template <class T>                                                                           \
  RIDGELINE_WORD T surf##kind##read(cudaSurfaceObject_t object, RIDGELINE_UNWRAP parameters,   \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    const void* const at =                                                                     \
        ::ridgeline::program::surface_at(object, x, y, z, static_cast<int>(sizeof(T)), mode);  \
    return at == nullptr ? T{} : *static_cast<const T*>(at);                                   \
  }                                                                                            \
  template <class T>                                                                           \
  RIDGELINE_WORD void surf##kind##read(T* to, cudaSurfaceObject_t object,                      \
                                       RIDGELINE_UNWRAP parameters,                            \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    const void* const at =                                                                     \
        ::ridgeline::program::surface_at(object, x, y, z, static_cast<int>(sizeof(T)), mode);  \
    *to = at == nullptr ? T{} : *static_cast<const T*>(at);                                    \
  }                                                                                            \
  template <class T>                                                                           \
  RIDGELINE_WORD void surf##kind##write(T value, cudaSurfaceObject_t object,                   \
                                        RIDGELINE_UNWRAP parameters,                           \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    void* const at =                                                                           \
        ::ridgeline::program::surface_at(object, x, y, z, static_cast<int>(sizeof(T)), mode);  \
    if (at != nullptr) *static_cast<T*>(at) = value;                                           \
  }
RIDGELINE_SURFACE(1D, (int x), x, 0, 0)
RIDGELINE_SURFACE(2D, (int x, int y), x, y, 0)
RIDGELINE_SURFACE(3D, (int x, int y, int z), x, y, z)
RIDGELINE_SURFACE(1DLayered, (int x, int layer), x, 0, layer)
RIDGELINE_SURFACE(2DLayered, (int x, int y, int layer), x, y, layer)
#undef RIDGELINE_SURFACE
#undef RIDGELINE_UNWRAP

template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture(std::size_t* offset,
                                   ridgeline_texture_reference<T, dimensions, mode>& reference,
                                   const void* memory, const cudaChannelFormatDesc& format,
                                   std::size_t bytes = UINT_MAX) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = bytes;
  if (offset != nullptr) *offset = 0;
  return reference.bind(resource);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture(std::size_t* offset,
                                   ridgeline_texture_reference<T, dimensions, mode>& reference,
                                   const void* memory, std::size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, reference, memory, reference.channelDesc, bytes);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture2D(std::size_t* offset,
                                     ridgeline_texture_reference<T, dimensions, mode>& reference,
                                     const void* memory, const cudaChannelFormatDesc& format,
                                     std::size_t width, std::size_t height, std::size_t pitch) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {const_cast<void*>(memory), format, width, height, pitch};
  if (offset != nullptr) *offset = 0;
  return reference.bind(resource);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTexture2D(std::size_t* offset,
                                     ridgeline_texture_reference<T, dimensions, mode>& reference,
                                     const void* memory, std::size_t width, std::size_t height,
                                     std::size_t pitch) {
  return cudaBindTexture2D(offset, reference, memory, reference.channelDesc, width, height, pitch);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToArray(
    ridgeline_texture_reference<T, dimensions, mode>& reference, cudaArray_const_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return reference.bind(resource);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaBindTextureToArray(
    ridgeline_texture_reference<T, dimensions, mode>& reference, cudaArray_const_t array,
    const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(reference, array);
}
template <class T, int dimensions, cudaTextureReadMode mode>
inline cudaError_t cudaUnbindTexture(ridgeline_texture_reference<T, dimensions, mode>& reference) {
  const cudaError_t error = cudaDestroyTextureObject(reference.bound);
  reference.bound = 0;
  return error;
}

#undef RIDGELINE_WORD
