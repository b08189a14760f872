#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/random.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/traffic.hpp"
#include "kernels/variant.hpp"

/// The same work on 1, 2, 4, ... 32 paths through the code, which the lanes of a warp take together
/// or apart.
namespace ridgeline::divergence {

inline constexpr int most_ways = 32;

/// out[i] = in[i] taken `steps` times through x -> (1 - 2^-12) x + 2^-4 (way + 1), where `way` (0
/// to ways - 1) is the path that element i takes. Each step is a multiply-add, rounded once, so
/// that results agree bit for bit. `ways` is a power of two up to 32.
struct Problem {
  std::int64_t elements = 0;
  int ways = 1;

  double flops() const;
  /// Each element read and written.
  double bytes() const { return 8.0 * static_cast<double>(elements); }
};

inline constexpr int steps = 512;
inline constexpr float factor = 1.0f - 0x1p-12f;
RIDGELINE_HOST_DEVICE constexpr float constant_of(int way) {
  return 0x1p-4f * static_cast<float>(way + 1);
}

/// Arrays of `elements` in device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  float* out = nullptr;
};

/// Which elements share a path: neighbours take different ones in turn, or 32 neighbours, a warp's,
/// take the same.
enum class Grouping { by_lane, by_warp };
constexpr int way_of(Grouping grouping, std::int64_t element, int ways) {
  return static_cast<int>(
      (grouping == Grouping::by_lane ? element : element / kernels::lanes_of_a_warp) % ways);
}

struct Variant {
  std::string_view idea;
  Grouping grouping;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  kernels::Traffic (*traffic)(const Problem&);
};

kernels::Table<Variant> variants();

/// Paths of a warp, one after the other, and lanes that are active in each.
int paths_of_a_warp(Grouping grouping, const Problem& problem);
int active_lanes(Grouping grouping, const Problem& problem);

/// Asks the device's oracle about the output for inputs `in`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, Grouping grouping, const kernels::RandomFloats& in,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked.
kernels::Deviation deviation(device::Device& device, const Problem& problem, Grouping grouping,
                             const kernels::RandomFloats& in, const float* out, std::uint64_t seed);

}  // namespace ridgeline::divergence
