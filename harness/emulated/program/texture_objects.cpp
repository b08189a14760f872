#include "harness/emulated/program/texture_objects.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/arrays.hpp"
#include "harness/emulated/program/session.hpp"

// Textures and surfaces of a program on the emulated device: their objects.
namespace ridgeline::program {
namespace {

/// Objects are numbers from 1 on; what was destroyed is null.
std::vector<std::unique_ptr<Image>>& images() {
  static std::vector<std::unique_ptr<Image>> all;
  return all;
}

/// Whether texels are of 1, 2 or 4 numbers, each of as many bits as the first.
bool is_modelled(const cudaChannelFormatDesc& format) {
  const auto is_as_x = [&](int bits) { return bits == 0 || bits == format.x; };
  const bool is_narrow = format.x == 8;
  return (is_narrow || format.x == 16 || format.x == 32) && is_as_x(format.y) &&
         is_as_x(format.z) && is_as_x(format.w) &&
         !(is_narrow && format.f == cudaChannelFormatKindFloat) &&
         std::has_single_bit(bytes_of_texel(format));
}

cudaError_t create(unsigned long long* to, const cudaResourceDesc& resource,
                   const cudaTextureDesc* how, const char* call, std::uint32_t pc) {
  auto image = std::make_unique<Image>();
  image->resource = resource;
  if (how != nullptr) image->how = *how;
  const auto refuse = [&](const char* why) {
    Session::here().host_mistake(call, pc, why);
    return Session::here().fail(cudaErrorInvalidValue);
  };
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* const array = resource.res.array.array;
      if (!is_array(array))
        return refuse("the array is none that is there: it was freed before, or never made");
      image->data = array->data;
      image->format = array->format;
      image->width = array->extent.width;
      image->height = array->extent.height;
      image->depth = array->extent.depth;
      image->is_layered = (array->flags & cudaArrayLayered) != 0;
      image->pitch = image->width * image->texel_bytes();
      break;
    }
    case cudaResourceTypeLinear:
      image->data = static_cast<std::byte*>(resource.res.linear.devPtr);
      image->format = resource.res.linear.desc;
      image->width = resource.res.linear.sizeInBytes / std::max(image->texel_bytes(), 1ul);
      image->is_linear = true;
      break;
    case cudaResourceTypePitch2D:
      image->data = static_cast<std::byte*>(resource.res.pitch2D.devPtr);
      image->format = resource.res.pitch2D.desc;
      image->width = resource.res.pitch2D.width;
      image->height = resource.res.pitch2D.height;
      image->pitch = resource.res.pitch2D.pitchInBytes;
      if (image->pitch % 32 != 0) return refuse("the pitch is no multiple of 32 bytes");
      break;
    default:
      return refuse("levels of detail (mipmapped arrays) are not modelled");
  }
  if (!emulated::is_global(reinterpret_cast<std::uint64_t>(image->data)))
    return refuse("the memory is not the device's");
  if (!is_modelled(image->format))
    return refuse(
        "a texel has 1, 2 or 4 numbers, all of 8, 16 or 32 bits, and floats have 16 or 32");
  if (image->how.filterMode == cudaFilterModeLinear &&
      image->how.readMode == cudaReadModeElementType &&
      image->format.f != cudaChannelFormatKindFloat)
    return refuse("linear filtering needs texels of floats, or integers read as fractions");
  images().push_back(std::move(image));
  *to = images().size();
  return cudaSuccess;
}

cudaError_t destroy(std::uint64_t object) {
  if (image_of(object) == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  images()[object - 1].reset();
  return cudaSuccess;
}

}  // namespace

std::size_t bytes_of_texel(const cudaChannelFormatDesc& format) {
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

const Image* image_of(std::uint64_t object) {
  return object - 1 < images().size() ? images()[object - 1].get() : nullptr;
}

}  // namespace ridgeline::program

using ridgeline::program::Session;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* to, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc*) {
  return ridgeline::program::create(to, *resource, how, "cudaCreateTextureObject",
                                    RIDGELINE_CALLER);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return ridgeline::program::destroy(object);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* to, cudaTextureObject_t object) {
  const auto* const image = ridgeline::program::image_of(object);
  if (image == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  *to = image->resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* to, cudaTextureObject_t object) {
  const auto* const image = ridgeline::program::image_of(object);
  if (image == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  *to = image->how;
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* to, const cudaResourceDesc* resource) {
  if (resource->resType != cudaResourceTypeArray)
    return Session::here().fail(cudaErrorInvalidValue);
  return ridgeline::program::create(to, *resource, nullptr, "cudaCreateSurfaceObject",
                                    RIDGELINE_CALLER);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return ridgeline::program::destroy(object);
}

}  // extern "C"
