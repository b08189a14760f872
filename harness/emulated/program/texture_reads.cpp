#include "harness/emulated/program/texture_reads.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>

#include <fmt/core.h>

#include "harness/base/half.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/program/texture_objects.hpp"

// Textures and surfaces of a program on the emulated device: what lanes read.
namespace ridgeline::program {
namespace {

using emulated::Act;
using emulated::Block;

[[noreturn]] void stop(const char* check, std::uint32_t pc, const std::string& detail) {
  Block::current().lanes.stop(check, pc, -1, detail);
}

const Image& image_for(std::uint64_t object, const char* kind, std::uint32_t pc) {
  const Image* const image = image_of(object);
  if (image == nullptr)
    stop("no such object", pc, fmt::format("no {} object is there with number {}", kind, object));
  return *image;
}

using Numbers = std::array<std::uint32_t, 4>;

/// Loads a texel, as a lane's load of global memory, and widens its numbers to 32 bits.
Numbers load(const Image& image, const std::byte* at, std::uint32_t pc) {
  const std::size_t bytes = image.texel_bytes();
  Block::current().check_and_log(reinterpret_cast<std::uint64_t>(at), pc, Act::read,
                                 static_cast<int>(bytes));
  const auto width = static_cast<std::size_t>(image.format.x) / 8;  // of one number
  const bool as_fraction = image.how.readMode == cudaReadModeNormalizedFloat && width < 4;
  Numbers to{};
  for (std::size_t i = 0; i * width < bytes; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at + i * width, width);
    const auto shift = static_cast<int>(32 - 8 * width);
    if (image.format.f == cudaChannelFormatKindFloat) {
      to[i] = width == 2 ? std::bit_cast<std::uint32_t>(from_f16(static_cast<std::uint16_t>(bits)))
                         : bits;
    } else if (image.format.f == cudaChannelFormatKindSigned) {
      const auto value = static_cast<std::int32_t>(bits << shift) >> shift;
      const auto most = static_cast<float>((1u << (8 * width - 1)) - 1);
      to[i] = as_fraction
                  ? std::bit_cast<std::uint32_t>(std::max(static_cast<float>(value) / most, -1.0f))
                  : static_cast<std::uint32_t>(value);
    } else {
      const auto most = static_cast<float>((std::uint64_t{1} << 8 * width) - 1);
      to[i] = as_fraction ? std::bit_cast<std::uint32_t>(static_cast<float>(bits) / most) : bits;
    }
  }
  return to;
}

/// The one or two texels of an axis that count, -1 for one beside it, with their weights.
struct Along {
  std::int64_t at[2] = {};
  float weight[2] = {1, 0};
  int count = 1;
};

std::int64_t within(std::int64_t at, std::int64_t size, cudaTextureAddressMode mode) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case cudaAddressModeWrap:
      return (at % size + size) % size;
    case cudaAddressModeMirror: {
      const std::int64_t twice = (at % (2 * size) + 2 * size) % (2 * size);
      return twice < size ? twice : 2 * size - 1 - twice;
    }
    case cudaAddressModeBorder:
      return -1;
    default:
      return std::clamp(at, std::int64_t{0}, size - 1);
  }
}

Along along(const Image& image, int axis, float coordinate, std::size_t texels) {
  const auto size = static_cast<std::int64_t>(std::max(texels, std::size_t{1}));
  cudaTextureAddressMode mode = image.how.addressMode[axis];
  // Only fractions wrap around.
  if (image.how.normalizedCoords == 0 && mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
  const float scaled =
      image.how.normalizedCoords != 0 ? coordinate * static_cast<float>(size) : coordinate;
  constexpr float far = 1 << 30;
  const float x = scaled == scaled ? std::clamp(scaled, -far, far) : 0.0f;
  if (image.how.filterMode == cudaFilterModePoint)
    return {.at = {within(static_cast<std::int64_t>(std::floor(x)), size, mode), 0}};
  const float from_centre = x - 0.5f, first = std::floor(from_centre);
  const float second = std::round((from_centre - first) * 256.0f) / 256.0f;
  const auto at = static_cast<std::int64_t>(first);
  return {.at = {within(at, size, mode), within(at + 1, size, mode)},
          .weight = {1.0f - second, second},
          .count = 2};
}

Texel packed(const Numbers& of) {
  return {of[0] | std::uint64_t{of[1]} << 32, of[2] | std::uint64_t{of[3]} << 32};
}

}  // namespace

Texel read_texture(cudaTextureObject_t object, Axes axes, float x, float y, float z, int layer) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  const Image& image = image_for(object, "texture", pc);
  const bool of_layer = axes == Axes::x_of_layer || axes == Axes::xy_of_layer;
  if (image.is_linear)
    stop("wrong kind of texture", pc, "a texture of linear memory is read by tex1Dfetch()");
  const bool has_y = axes == Axes::xy || axes == Axes::xyz || axes == Axes::xy_of_layer;
  if (of_layer != image.is_layered || has_y != (image.height != 0) ||
      (axes == Axes::xyz) != (image.depth != 0 && !image.is_layered))
    stop("wrong kind of texture", pc,
         fmt::format("it is made of {} x {} x {} texels{}", image.width, image.height, image.depth,
                     image.is_layered ? " in layers" : ""));
  const Along on_x = along(image, 0, x, image.width), on_y = along(image, 1, y, image.height);
  Along on_z = along(image, 2, z, image.depth);
  if (axes != Axes::xyz)
    on_z = {.at = {of_layer ? std::clamp<std::int64_t>(layer, 0,
                                                       static_cast<std::int64_t>(image.depth) - 1)
                            : 0}};
  const auto texel = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    if (i < 0 || j < 0 || k < 0) {
      Numbers border{};
      for (std::size_t c = 0; c < 4; ++c)
        border[c] = std::bit_cast<std::uint32_t>(image.how.borderColor[c]);
      return border;
    }
    const auto row = static_cast<std::size_t>(k) * std::max(image.height, std::size_t{1}) +
                     static_cast<std::size_t>(j);
    return load(image,
                image.data + row * image.pitch + static_cast<std::size_t>(i) * image.texel_bytes(),
                pc);
  };
  if (image.how.filterMode == cudaFilterModePoint)
    return packed(texel(on_x.at[0], on_y.at[0], on_z.at[0]));
  float sums[4] = {};
  for (int k = 0; k < on_z.count; ++k)
    for (int j = 0; j < (has_y ? on_y.count : 1); ++j)
      for (int i = 0; i < on_x.count; ++i) {
        const float weight = on_x.weight[i] * (has_y ? on_y.weight[j] : 1.0f) * on_z.weight[k];
        const Numbers of = texel(on_x.at[i], has_y ? on_y.at[j] : 0, on_z.at[k]);
        for (std::size_t c = 0; c < 4; ++c) sums[c] += weight * std::bit_cast<float>(of[c]);
      }
  Numbers to;
  for (std::size_t c = 0; c < 4; ++c) to[c] = std::bit_cast<std::uint32_t>(sums[c]);
  return packed(to);
}

Texel fetch_texture(cudaTextureObject_t object, int at) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  const Image& image = image_for(object, "texture", pc);
  if (!image.is_linear)
    stop("wrong kind of texture", pc, "tex1Dfetch() reads textures of linear memory alone");
  const auto place = static_cast<std::uint64_t>(static_cast<std::int64_t>(at));
  if (place >= image.width) return {};
  return packed(load(image, image.data + place * image.texel_bytes(), pc));
}

void* surface_at(cudaSurfaceObject_t object, int x, int y, int z, int bytes,
                 cudaSurfaceBoundaryMode mode) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  const Image& image = image_for(object, "surface", pc);
  const auto limit = [](std::size_t texels) {
    return static_cast<std::int64_t>(std::max(texels, std::size_t{1})) - 1;
  };
  const std::int64_t last_x = static_cast<std::int64_t>(image.pitch) - bytes,
                     last_y = limit(image.height), last_z = limit(image.depth);
  std::int64_t at_x = x, at_y = y, at_z = z;
  if (x < 0 || at_x > last_x || y < 0 || at_y > last_y || z < 0 || at_z > last_z) {
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode == cudaBoundaryModeTrap)
      stop("out of bounds (surface)", pc,
           fmt::format("{} bytes at byte {} of a row of {}, row {} of {}, slice {} of {}", bytes, x,
                       image.pitch, y, last_y + 1, z, last_z + 1));
    at_x = std::clamp(at_x, std::int64_t{0}, last_x);
    at_y = std::clamp(at_y, std::int64_t{0}, last_y);
    at_z = std::clamp(at_z, std::int64_t{0}, last_z);
  }
  return image.data + static_cast<std::size_t>(at_z * (last_y + 1) + at_y) * image.pitch + at_x;
}

}  // namespace ridgeline::program
