#include <cmath>

#include "kernels/bits.hpp"
#include "kernels/divergence/divergence.hpp"

namespace ridgeline::divergence {

double Problem::flops() const { return 2.0 * steps * static_cast<double>(elements); }

int paths_of_a_warp(Grouping grouping, const Problem& problem) {
  return grouping == Grouping::by_lane ? problem.ways : 1;
}
int active_lanes(Grouping grouping, const Problem& problem) {
  return kernels::lanes_of_a_warp / paths_of_a_warp(grouping, problem);
}

kernels::Deviation deviation(device::Device& device, const Problem& problem, Grouping grouping,
                             const kernels::RandomFloats& in, const float* out,
                             std::uint64_t seed) {
  const auto expected = [&](std::int64_t i) {
    const float constant = constant_of(way_of(grouping, i, problem.ways));
    float x = in(i);
    for (int step = 0; step < steps; ++step)
      x = std::fma(factor, x, constant);  // one rounding, as IEEE 754 has it
    return x;
  };
  return kernels::compare_bits(
      device, out, problem.elements, seed, expected,
      kernels::bound(grouping == Grouping::by_lane ? "divergence by lane" : "divergence by warp",
                     in.distribution, device_oracle(), problem, grouping, in));
}

}  // namespace ridgeline::divergence
