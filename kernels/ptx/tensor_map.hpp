#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/base/error.hpp"
#if defined(__CUDACC__)
#include <cuda.h>
#include <cuda_runtime.h>
#else
#include "harness/emulated/tensor_map.hpp"
#endif

// Made by the host, passed to a kernel as `const __grid_constant__ device::TensorMap`, and read by
// load_box() and store_box() (copy_tensor.cuh).
namespace ridgeline::device {

#if defined(__CUDACC__)
using TensorMap = CUtensorMap;
#else
using emulated::TensorMap;
#endif

/// How the 16-byte pieces of rows of that many bytes change places in shared memory.
enum class Swizzle : unsigned { none = 0, bytes_32 = 32, bytes_64 = 64, bytes_128 = 128 };

/// A tensor in device memory, and the boxes that are copied of it. Dimensions begin with the
/// contiguous one.
struct TensorLayout {
  void* memory = nullptr;
  DType dtype = DType::f32;
  std::vector<std::uint64_t> sizes;    // elements; one to five
  std::vector<std::uint64_t> strides;  // bytes, from the second dimension on: one less than `sizes`
  std::vector<std::uint32_t> box;      // elements
  Swizzle swizzle = Swizzle::none;
};

/// Throws a usage Error that names the rule which the layout breaks. Source: CUDA Driver API,
/// cuTensorMapEncodeTiled().
inline void check(const TensorLayout& layout) {
  const auto refuse = [](const std::string& rule, std::size_t dimension, std::uint64_t is) {
    throw Error(ErrorKind::usage, "a tensor map cannot be made: " + rule +
                                      ", and that of dimension " + std::to_string(dimension) +
                                      " is " + std::to_string(is));
  };
  const std::size_t rank = layout.sizes.size(), element = size_of(layout.dtype);
  if (rank < 1 || rank > 5 || layout.box.size() != rank || layout.strides.size() + 1 != rank)
    throw Error(
        ErrorKind::usage,
        "a tensor map cannot be made: it has one to five sizes, as many extents of its box, and "
        "one stride less");
  if (reinterpret_cast<std::uintptr_t>(layout.memory) % 16 != 0)
    throw Error(ErrorKind::usage,
                "a tensor map cannot be made: the tensor's address is a multiple of 16 bytes");
  for (std::size_t d = 0; d < rank; ++d) {
    if (layout.sizes[d] == 0 || layout.sizes[d] > std::uint64_t{1} << 32)
      refuse("a size is 1 to 2^32 elements", d, layout.sizes[d]);
    if (layout.box[d] == 0 || layout.box[d] > 256)
      refuse("an extent of a box is 1 to 256 elements", d, layout.box[d]);
  }
  for (std::size_t d = 0; d + 1 < rank; ++d)
    if (layout.strides[d] % 16 != 0 || layout.strides[d] >= std::uint64_t{1} << 40)
      refuse("a stride is a multiple of 16 bytes below 2^40", d + 1, layout.strides[d]);
  const std::uint64_t inner = layout.box[0] * element;
  if (inner % 16 != 0) refuse("the box's rows are multiples of 16 bytes", 0, inner);
  if (layout.swizzle != Swizzle::none && inner > static_cast<unsigned>(layout.swizzle))
    refuse("the box's rows are no longer than the swizzle's span of " +
               std::to_string(static_cast<unsigned>(layout.swizzle)) + " bytes",
           0, inner);
}

#if defined(__CUDACC__)
/// Asks the driver for it.
inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                       &answer) != cudaSuccess ||
      answer != cudaDriverEntryPointSuccess)
    throw Error(ErrorKind::dependency,
                "a tensor map cannot be made: the driver has no cuTensorMapEncodeTiled",
                "it comes with the drivers of CUDA 12 and later");
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
}

inline TensorMap make_tensor_map(const TensorLayout& layout) {
  check(layout);
  const auto type = [](DType dtype) {
    switch (dtype) {
      case DType::f64:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
      case DType::f16:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
      case DType::bf16:
        return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
      case DType::i32:
        return CU_TENSOR_MAP_DATA_TYPE_INT32;
      case DType::u8:
      case DType::e4m3:
      case DType::e4m3_fast:
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
      default:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;  // tf32, too: bits are copied as they are
    }
  };
  const auto mode = [](Swizzle swizzle) {
    switch (swizzle) {
      case Swizzle::bytes_32:
        return CU_TENSOR_MAP_SWIZZLE_32B;
      case Swizzle::bytes_64:
        return CU_TENSOR_MAP_SWIZZLE_64B;
      case Swizzle::bytes_128:
        return CU_TENSOR_MAP_SWIZZLE_128B;
      default:
        return CU_TENSOR_MAP_SWIZZLE_NONE;
    }
  };
  static const auto encode = tensor_map_encoder();  // launches make maps
  const std::vector<cuuint64_t> sizes(layout.sizes.begin(), layout.sizes.end());
  std::vector<cuuint64_t> strides(layout.strides.begin(), layout.strides.end());
  strides.push_back(0);  // the driver wants an address, also where it reads nothing there
  const std::vector<cuuint32_t> box(layout.box.begin(), layout.box.end()),
      steps(layout.box.size(), 1);
  TensorMap map{};
  const CUresult status = encode(
      &map, type(layout.dtype), static_cast<cuuint32_t>(sizes.size()), layout.memory, sizes.data(),
      strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, mode(layout.swizzle),
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw Error(ErrorKind::dependency, "cuTensorMapEncodeTiled refuses a tensor map (CUresult " +
                                           std::to_string(status) + ")");
  return map;
}
#else
inline TensorMap make_tensor_map(const TensorLayout& layout) {
  check(layout);
  TensorMap map;
  map.memory = layout.memory;
  map.rank = static_cast<int>(layout.sizes.size());
  map.element_bytes = static_cast<int>(size_of(layout.dtype));
  map.swizzle_bytes = static_cast<unsigned>(layout.swizzle);
  for (std::size_t d = 0; d < layout.sizes.size(); ++d) {
    map.sizes[d] = layout.sizes[d];
    map.box[d] = layout.box[d];
    map.strides[d] = d == 0 ? size_of(layout.dtype) : layout.strides[d - 1];
  }
  return map;
}
#endif

}  // namespace ridgeline::device
