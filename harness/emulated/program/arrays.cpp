#include "harness/emulated/program/arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/copies.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"

// CUDA's runtime API for a program on the emulated device: arrays, and copies to and from them.
namespace ridgeline::program {
namespace {

/// All that are there: handles come from the program.
std::set<const cudaArray*>& arrays() {
  static std::set<const cudaArray*> all;
  return all;
}

std::size_t pitch_of(const cudaArray& array) {
  return array.extent.width * bytes_of_texel(array.format);
}
std::size_t rows_in(const cudaArray& array) {
  return std::max(array.extent.height, std::size_t{1});
}
std::size_t slices_in(const cudaArray& array) {
  return std::max(array.extent.depth, std::size_t{1});
}

bool is_fine(const cudaArray* array, const char* call, std::uint32_t pc) {
  if (is_array(array)) return true;
  Session::here().host_mistake(
      call, pc,
      array == nullptr ? "the array is a null pointer"
                       : "the array is none that is there: it was freed before, or never made");
  Session::here().fail(cudaErrorInvalidValue);
  return false;
}

cudaError_t make(cudaArray_t* to, const cudaChannelFormatDesc& format, cudaExtent extent,
                 unsigned flags, std::uint32_t pc) {
  *to = nullptr;
  auto array =
      std::make_unique<cudaArray>(cudaArray{.format = format, .extent = extent, .flags = flags});
  const std::size_t rows = capped_product(rows_in(*array), slices_in(*array)),
                    pitch = capped_product(extent.width, bytes_of_texel(format));
  void* memory = nullptr;
  if (const cudaError_t error = allocate_device(&memory, capped_product(pitch, rows), "array", pc);
      error != cudaSuccess)
    return error;
  array->data = static_cast<std::byte*>(memory);
  arrays().insert(array.get());
  *to = array.release();
  return cudaSuccess;
}

/// Rows of a copy: where they begin, and how far apart they and slices are.
struct Rows {
  std::byte* begin = nullptr;
  std::size_t pitch = 0, slice = 0;
};

Rows rows_of(const cudaArray& array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  const std::size_t pitch = pitch_of(array), slice = pitch * rows_in(array);
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

/// Where a copy begins in an array, and how far it goes: bytes of a row, rows and slices.
struct Part {
  std::size_t x_bytes = 0, y = 0, z = 0;
  cudaExtent bytes{};
};

/// Whether the array is there, and has that part.
bool have(const cudaArray* array, const Part& part, const char* call, std::uint32_t pc) {
  if (!is_fine(array, call, pc)) return false;
  const auto has = [](std::size_t all, std::size_t first, std::size_t count) {
    return first <= all && count <= all - first;
  };
  if (has(pitch_of(*array), part.x_bytes, part.bytes.width) &&
      has(rows_in(*array), part.y, part.bytes.height) &&
      has(slices_in(*array), part.z, part.bytes.depth))
    return true;
  Session::here().host_mistake(
      call, pc,
      fmt::format("the array has {} slices of {} rows of {} bytes, and the copy takes {} x {} x {} "
                  "of them from slice {}, row {} and byte {} on",
                  slices_in(*array), rows_in(*array), pitch_of(*array), part.bytes.depth,
                  part.bytes.height, part.bytes.width, part.z, part.y, part.x_bytes));
  Session::here().fail(cudaErrorInvalidValue);
  return false;
}

/// Rows follow each other without a gap, so that one copy may go through several.
bool have_in_line(const cudaArray* array, std::size_t x_bytes, std::size_t y, std::size_t bytes,
                  const char* call, std::uint32_t pc) {
  if (!have(array, {x_bytes, y, 0, {}}, call, pc)) return false;
  const std::size_t pitch = pitch_of(*array);
  if (bytes <= pitch * rows_in(*array) - (y * pitch + x_bytes)) return true;
  Session::here().host_mistake(
      call, pc,
      fmt::format("the array has {} rows of {} bytes, and the copy takes {} bytes from row {} and "
                  "byte {} on",
                  rows_in(*array), pitch, bytes, y, x_bytes));
  Session::here().fail(cudaErrorInvalidValue);
  return false;
}

cudaError_t copy_3d(const cudaMemcpy3DParms& of, const char* call, std::uint32_t pc) {
  // Where an array takes part, widths and its x are in texels.
  const cudaArray* const either = of.srcArray != nullptr ? of.srcArray : of.dstArray;
  for (const cudaArray* array : {of.srcArray, of.dstArray})
    if (array != nullptr && !is_fine(array, call, pc)) return cudaErrorInvalidValue;
  const std::size_t texel = either != nullptr ? bytes_of_texel(either->format) : 1;
  const cudaExtent bytes{capped_product(of.extent.width, texel), of.extent.height, of.extent.depth};
  const auto rows = [&](const cudaArray* array, const cudaPitchedPtr& memory, const cudaPos& at) {
    return array != nullptr ? rows_of(*array, at.x * bytes_of_texel(array->format), at.y, at.z)
                            : rows_of(memory, at);
  };
  for (const auto& [array, at] : {std::pair{of.srcArray, of.srcPos}, {of.dstArray, of.dstPos}})
    if (array != nullptr &&
        !have(array, {capped_product(at.x, bytes_of_texel(array->format)), at.y, at.z, bytes}, call,
              pc))
      return cudaErrorInvalidValue;
  return copy_rows(rows(of.dstArray, of.dstPtr, of.dstPos), rows(of.srcArray, of.srcPtr, of.srcPos),
                   bytes, of.kind, call, pc);
}

/// What a stream is asked for, of rows.
Work copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
             std::size_t width, std::size_t height, cudaMemcpyKind kind, const char* call,
             std::uint32_t pc) {
  return {.type = cudaGraphNodeTypeMemcpy, .run = [=] {
            return copy_rows(rows_of(to, to_pitch), rows_of(from, from_pitch), {width, height, 1},
                             kind, call, pc);
          }};
}
Work copy_to_array(const cudaArray* to, std::size_t x, std::size_t y, const void* from,
                   std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                   const char* call, std::uint32_t pc) {
  return {.type = cudaGraphNodeTypeMemcpy, .run = [=] {
            if (!have(to, {x, y, 0, {width, height, 1}}, call, pc)) return cudaErrorInvalidValue;
            return copy_rows(rows_of(*to, x, y, 0), rows_of(from, pitch), {width, height, 1}, kind,
                             call, pc);
          }};
}
Work copy_from_array(void* to, std::size_t pitch, const cudaArray* from, std::size_t x,
                     std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                     const char* call, std::uint32_t pc) {
  return {.type = cudaGraphNodeTypeMemcpy, .run = [=] {
            if (!have(from, {x, y, 0, {width, height, 1}}, call, pc)) return cudaErrorInvalidValue;
            return copy_rows(rows_of(to, pitch), rows_of(*from, x, y, 0), {width, height, 1}, kind,
                             call, pc);
          }};
}
Work copy_to_line(const cudaArray* to, std::size_t x, std::size_t y, const void* from,
                  std::size_t bytes, cudaMemcpyKind kind, const char* call, std::uint32_t pc) {
  return {.type = cudaGraphNodeTypeMemcpy, .run = [=] {
            if (!have_in_line(to, x, y, bytes, call, pc)) return cudaErrorInvalidValue;
            return copy(rows_of(*to, x, y, 0).begin, from, bytes, kind, call, pc);
          }};
}
Work copy_from_line(void* to, const cudaArray* from, std::size_t x, std::size_t y,
                    std::size_t bytes, cudaMemcpyKind kind, const char* call, std::uint32_t pc) {
  return {.type = cudaGraphNodeTypeMemcpy, .run = [=] {
            if (!have_in_line(from, x, y, bytes, call, pc)) return cudaErrorInvalidValue;
            return copy(to, rows_of(*from, x, y, 0).begin, bytes, kind, call, pc);
          }};
}

}  // namespace

bool is_array(const cudaArray* array) { return arrays().contains(array); }

Work copy_work(const cudaMemcpy3DParms& of, const char* call, std::uint32_t pc) {
  return {
      .type = cudaGraphNodeTypeMemcpy, .run = [=] { return copy_3d(of, call, pc); }, .copy = of};
}

}  // namespace ridgeline::program

using ridgeline::program::arrays;
using ridgeline::program::at_once;
using ridgeline::program::copy_2d;
using ridgeline::program::copy_from_array;
using ridgeline::program::copy_from_line;
using ridgeline::program::copy_rows;
using ridgeline::program::copy_to_array;
using ridgeline::program::copy_to_line;
using ridgeline::program::copy_work;
using ridgeline::program::have;
using ridgeline::program::in_stream;
using ridgeline::program::is_fine;
using ridgeline::program::make;
using ridgeline::program::release;
using ridgeline::program::rows_of;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaMallocArray(cudaArray_t* to, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return make(to, *format, {width, height, 0}, flags, RIDGELINE_CALLER);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* to, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return make(to, *format, extent, flags, RIDGELINE_CALLER);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  if (!is_fine(array, "cudaFreeArray", RIDGELINE_CALLER)) return cudaErrorInvalidValue;
  const std::unique_ptr<cudaArray> freed(array);
  arrays().erase(array);
  return release(array->data, "cudaFreeArray", RIDGELINE_CALLER);
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (!is_fine(array, "cudaArrayGetInfo", RIDGELINE_CALLER)) return cudaErrorInvalidValue;
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* to, cudaArray_const_t array) {
  if (!is_fine(array, "cudaGetChannelDesc", RIDGELINE_CALLER)) return cudaErrorInvalidValue;
  *to = array->format;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return at_once("cudaMemcpy2D", RIDGELINE_CALLER,
                 copy_2d(to, to_pitch, from, from_pitch, width, height, kind, "cudaMemcpy2D",
                         RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpy2DAsync", RIDGELINE_CALLER,
                   copy_2d(to, to_pitch, from, from_pitch, width, height, kind, "cudaMemcpy2DAsync",
                           RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return at_once("cudaMemcpy2DToArray", RIDGELINE_CALLER,
                 copy_to_array(to, x, y, from, pitch, width, height, kind, "cudaMemcpy2DToArray",
                               RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpy2DToArrayAsync", RIDGELINE_CALLER,
                   copy_to_array(to, x, y, from, pitch, width, height, kind,
                                 "cudaMemcpy2DToArrayAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return at_once("cudaMemcpy2DFromArray", RIDGELINE_CALLER,
                 copy_from_array(to, pitch, from, x, y, width, height, kind,
                                 "cudaMemcpy2DFromArray", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpy2DFromArrayAsync", RIDGELINE_CALLER,
                   copy_from_array(to, pitch, from, x, y, width, height, kind,
                                   "cudaMemcpy2DFromArrayAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  const char* const call = "cudaMemcpy2DArrayToArray";
  return at_once(call, pc, {.type = cudaGraphNodeTypeMemcpy, .run = [=] {
                              if (!have(to, {to_x, to_y, 0, {width, height, 1}}, call, pc) ||
                                  !have(from, {x, y, 0, {width, height, 1}}, call, pc))
                                return cudaErrorInvalidValue;
                              return copy_rows(rows_of(*to, to_x, to_y, 0), rows_of(*from, x, y, 0),
                                               {width, height, 1}, kind, call, pc);
                            }});
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return at_once("cudaMemcpyToArray", RIDGELINE_CALLER,
                 copy_to_line(to, x, y, from, bytes, kind, "cudaMemcpyToArray", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(
      stream, "cudaMemcpyToArrayAsync", RIDGELINE_CALLER,
      copy_to_line(to, x, y, from, bytes, kind, "cudaMemcpyToArrayAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return at_once(
      "cudaMemcpyFromArray", RIDGELINE_CALLER,
      copy_from_line(to, from, x, y, bytes, kind, "cudaMemcpyFromArray", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(
      stream, "cudaMemcpyFromArrayAsync", RIDGELINE_CALLER,
      copy_from_line(to, from, x, y, bytes, kind, "cudaMemcpyFromArrayAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* of) {
  return at_once("cudaMemcpy3D", RIDGELINE_CALLER,
                 copy_work(*of, "cudaMemcpy3D", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* of, cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpy3DAsync", RIDGELINE_CALLER,
                   copy_work(*of, "cudaMemcpy3DAsync", RIDGELINE_CALLER));
}

}  // extern "C"
