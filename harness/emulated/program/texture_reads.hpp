#pragma once

#include <cstdint>

#include <driver_types.h>
#include <surface_types.h>
#include <texture_types.h>

// What the words of texture_words.hpp come down to. Called by lanes alone.
namespace ridgeline::program {

/// Four numbers of 32 bits, x in the lower half of `low`. In registers, so that no access to it is
/// counted.
struct Texel {
  std::uint64_t low = 0, high = 0;
};

/// Which numbers say where a texture is read.
enum class Axes : std::uint8_t { x, xy, xyz, x_of_layer, xy_of_layer };

/// Reads the texture as its description says: each texel that counts is one load of global memory.
/// By "Texture Fetching" of the CUDA C++ Programming Guide: linear filtering weighs in steps of
/// 1/256. What the object or the axes do not fit ends the launch.
Texel read_texture(cudaTextureObject_t object, Axes axes, float x, float y, float z, int layer);
/// tex1Dfetch(): texel `at` of linear memory; zeros beside it.
Texel fetch_texture(cudaTextureObject_t object, int at);

/// Where a surface has `bytes` bytes: x in bytes, y and z in rows and slices or layers. Null where
/// `mode` says that the access is left out.
void* surface_at(cudaSurfaceObject_t object, int x, int y, int z, int bytes,
                 cudaSurfaceBoundaryMode mode);

}  // namespace ridgeline::program
