#pragma once

#include <cstddef>

#include <driver_types.h>

/// What CUDA's runtime hands out as cudaArray_t: rows of texels in global memory, without gaps.
// NOLINTNEXTLINE(readability-identifier-naming): CUDA's name
struct cudaArray {
  std::byte* data = nullptr;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  // in texels; a height or depth of 0 where there is none
  unsigned flags = 0;
};

namespace ridgeline::program {

/// Whether it was made, and not freed since.
bool is_array(const cudaArray* array);

std::size_t bytes_of_texel(const cudaChannelFormatDesc& format);

}  // namespace ridgeline::program
