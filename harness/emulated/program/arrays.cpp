#include "harness/emulated/program/arrays.hpp"

#include <algorithm>
#include <cstdint>

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/copies.hpp"
#include "harness/emulated/program/session.hpp"

// CUDA's runtime API for a program on the emulated device: arrays, and copies to and from them.
namespace ridgeline::program {
namespace {

std::size_t pitch_of(const cudaArray& array) {
  return array.extent.width * bytes_of_texel(array.format);
}

cudaError_t make(cudaArray_t* to, const cudaChannelFormatDesc& format, cudaExtent extent,
                 unsigned flags) {
  *to = nullptr;
  auto* const array = new cudaArray{.format = format, .extent = extent, .flags = flags};
  const std::size_t rows =
      std::max(extent.height, std::size_t{1}) * std::max(extent.depth, std::size_t{1});
  void* memory = nullptr;
  if (const cudaError_t error = allocate_device(&memory, pitch_of(*array) * rows, "array");
      error != cudaSuccess) {
    delete array;
    return error;
  }
  array->data = static_cast<std::byte*>(memory);
  *to = array;
  return cudaSuccess;
}

/// Rows of a copy: where they begin, and how far apart they and slices are.
struct Rows {
  std::byte* begin = nullptr;
  std::size_t pitch = 0, slice = 0;
};

Rows rows_of(const cudaArray& array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  const std::size_t pitch = pitch_of(array),
                    slice = pitch * std::max(array.extent.height, std::size_t{1});
  return {array.data + z * slice + y * pitch + x_bytes, pitch, slice};
}
Rows rows_of(const cudaPitchedPtr& memory, const cudaPos& at) {
  const std::size_t slice = memory.pitch * memory.ysize;
  return {static_cast<std::byte*>(memory.ptr) + at.z * slice + at.y * memory.pitch + at.x,
          memory.pitch, slice};
}
Rows rows_of(const void* memory, std::size_t pitch) {
  return {const_cast<std::byte*>(static_cast<const std::byte*>(memory)), pitch, 0};
}

cudaError_t copy_rows(const Rows& to, const Rows& from, const cudaExtent& bytes,
                      cudaMemcpyKind kind, const char* call, std::uint32_t pc) {
  for (std::size_t z = 0; z < std::max(bytes.depth, std::size_t{1}); ++z)
    for (std::size_t y = 0; y < bytes.height; ++y)
      if (const cudaError_t error =
              copy(to.begin + z * to.slice + y * to.pitch,
                   from.begin + z * from.slice + y * from.pitch, bytes.width, kind, call, pc);
          error != cudaSuccess)
        return error;
  return cudaSuccess;
}

/// What a row of `width` bytes and `rows` rows of an array takes, from there on, must be in it.
bool have(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t width,
          std::size_t rows, const char* call, std::uint32_t pc) {
  if (array != nullptr && x_bytes + width <= pitch_of(*array) &&
      y + rows <= std::max(array->extent.height, std::size_t{1}))
    return true;
  Session::here().host_mistake(
      call, pc,
      array == nullptr
          ? "the array is a null pointer"
          : fmt::format("the array has {} rows of {} bytes, and the copy goes to byte {} of row {}",
                        std::max(array->extent.height, std::size_t{1}), pitch_of(*array),
                        x_bytes + width, y + rows - 1));
  Session::here().fail(cudaErrorInvalidValue);
  return false;
}

cudaError_t copy_3d(const cudaMemcpy3DParms& of, const char* call, std::uint32_t pc) {
  // Where an array takes part, widths and its x are in texels.
  const cudaArray* const either = of.srcArray != nullptr ? of.srcArray : of.dstArray;
  const std::size_t texel = either != nullptr ? bytes_of_texel(either->format) : 1;
  const cudaExtent bytes{of.extent.width * texel, of.extent.height, of.extent.depth};
  const auto rows = [&](const cudaArray* array, const cudaPitchedPtr& memory, const cudaPos& at) {
    return array != nullptr ? rows_of(*array, at.x * bytes_of_texel(array->format), at.y, at.z)
                            : rows_of(memory, at);
  };
  for (const auto& [array, at] : {std::pair{of.srcArray, of.srcPos}, {of.dstArray, of.dstPos}})
    if (array != nullptr && !have(array, at.x * bytes_of_texel(array->format), at.y, bytes.width,
                                  bytes.height, call, pc))
      return cudaErrorInvalidValue;
  return copy_rows(rows(of.dstArray, of.dstPtr, of.dstPos), rows(of.srcArray, of.srcPtr, of.srcPos),
                   bytes, of.kind, call, pc);
}

}  // namespace
}  // namespace ridgeline::program

using ridgeline::program::copy_rows;
using ridgeline::program::have;
using ridgeline::program::rows_of;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaMallocArray(cudaArray_t* to, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return ridgeline::program::make(to, *format, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* to, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return ridgeline::program::make(to, *format, extent, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  const cudaError_t error =
      ridgeline::program::release(array->data, "cudaFreeArray", RIDGELINE_CALLER);
  delete array;
  return error;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* to, cudaArray_const_t array) {
  *to = array->format;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_rows(rows_of(to, to_pitch), rows_of(from, from_pitch), {width, height, 1}, kind,
                   "cudaMemcpy2D", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t) {
  return copy_rows(rows_of(to, to_pitch), rows_of(from, from_pitch), {width, height, 1}, kind,
                   "cudaMemcpy2DAsync", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  if (!have(to, x, y, width, height, "cudaMemcpy2DToArray", RIDGELINE_CALLER))
    return cudaErrorInvalidValue;
  return copy_rows(rows_of(*to, x, y, 0), rows_of(from, pitch), {width, height, 1}, kind,
                   "cudaMemcpy2DToArray", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t) {
  if (!have(to, x, y, width, height, "cudaMemcpy2DToArrayAsync", RIDGELINE_CALLER))
    return cudaErrorInvalidValue;
  return copy_rows(rows_of(*to, x, y, 0), rows_of(from, pitch), {width, height, 1}, kind,
                   "cudaMemcpy2DToArrayAsync", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  if (!have(from, x, y, width, height, "cudaMemcpy2DFromArray", RIDGELINE_CALLER))
    return cudaErrorInvalidValue;
  return copy_rows(rows_of(to, pitch), rows_of(*from, x, y, 0), {width, height, 1}, kind,
                   "cudaMemcpy2DFromArray", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (!have(to, to_x, to_y, width, height, "cudaMemcpy2DArrayToArray", RIDGELINE_CALLER) ||
      !have(from, x, y, width, height, "cudaMemcpy2DArrayToArray", RIDGELINE_CALLER))
    return cudaErrorInvalidValue;
  return copy_rows(rows_of(*to, to_x, to_y, 0), rows_of(*from, x, y, 0), {width, height, 1}, kind,
                   "cudaMemcpy2DArrayToArray", RIDGELINE_CALLER);
}
/// Rows follow each other without a gap, so that one copy may go through several.
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  if (to == nullptr) return ridgeline::program::Session::here().fail(cudaErrorInvalidValue);
  return ridgeline::program::copy(rows_of(*to, x, y, 0).begin, from, bytes, kind,
                                  "cudaMemcpyToArray", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  if (from == nullptr) return ridgeline::program::Session::here().fail(cudaErrorInvalidValue);
  return ridgeline::program::copy(to, rows_of(*from, x, y, 0).begin, bytes, kind,
                                  "cudaMemcpyFromArray", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* of) {
  return ridgeline::program::copy_3d(*of, "cudaMemcpy3D", RIDGELINE_CALLER);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* of, cudaStream_t) {
  return ridgeline::program::copy_3d(*of, "cudaMemcpy3DAsync", RIDGELINE_CALLER);
}

}  // extern "C"
