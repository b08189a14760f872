#pragma once

#include <cstdint>

#include "harness/device/random.hpp"

namespace ridgeline::kernels {

/// Elements [begin, end).
struct Slice {
  std::int64_t begin = 0, end = 0;
  RIDGELINE_HOST_DEVICE std::int64_t size() const { return end - begin; }
};

/// Part `part` of `parts` nearly equal parts of `count` elements, cut at multiples of `grain`
/// elements; the last part takes the rest.
RIDGELINE_HOST_DEVICE inline Slice slice(std::int64_t count, int part, int parts,
                                         std::int64_t grain) {
  const std::int64_t grains = count / grain;
  return {grains * part / parts * grain,
          part + 1 == parts ? count : grains * (part + 1) / parts * grain};
}

}  // namespace ridgeline::kernels
