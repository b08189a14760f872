#pragma once

#include <cstddef>
#include <cstdint>

#include <driver_types.h>
#include <texture_types.h>

#include "harness/emulated/program/arrays.hpp"

namespace ridgeline::program {

/// What a texture or surface object stands for.
struct Image {
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  std::byte* data = nullptr;
  cudaChannelFormatDesc format{};
  // In texels. Of a layered array, `depth` counts the layers.
  std::size_t width = 0, height = 0, depth = 0, pitch = 0;
  bool is_linear = false, is_layered = false;

  std::size_t texel_bytes() const { return bytes_of_texel(format); }
};

/// Null when there is none, or it was destroyed.
const Image* image_of(std::uint64_t object);

}  // namespace ridgeline::program
