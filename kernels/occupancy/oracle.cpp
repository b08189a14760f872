#include <bit>

#include "kernels/bits.hpp"
#include "kernels/exact_steps.hpp"
#include "kernels/occupancy/occupancy.hpp"
#include "kernels/sums.hpp"

namespace ridgeline::occupancy {

std::string_view to_string(Limit limit) {
  constexpr std::string_view names[] = {"threads", "block", "registers", "shared"};
  return names[static_cast<std::size_t>(limit)];
}

double Problem::flops() const {
  if (operation == Operation::load) return 0;
  return kernels::flops_of_round * static_cast<double>(rounds) * static_cast<double>(lanes());
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const void* out, std::uint64_t seed) {
  if (problem.operation == Operation::fma)
    return kernels::compare_bits(
        device, static_cast<const float*>(out), problem.lanes(), seed,
        [&](std::int64_t i) {
          return static_cast<float>(kernels::after_rounds(in(i), problem.rounds));
        },
        kernels::bound("occupancy fma", in.distribution, device_oracle(), problem, in));
  return kernels::compare_sums(
      device, out, problem.outputs(), problem.elements, seed,
      [&](std::int64_t i) { return std::bit_cast<std::uint32_t>(in(i)); },
      kernels::bound("occupancy load", in.distribution, device_oracle(), problem, in));
}

double warps_that_ran(const std::vector<std::uint32_t>& census, const Residency& predicted) {
  double blocks = 0, units = 0;
  for (std::size_t unit = 0; unit < census.size() / 2; ++unit) {
    blocks += census[2 * unit + 1];
    units += census[2 * unit + 1] > 0;
  }
  return units == 0 ? 0 : blocks / units * predicted.warps_per_block;
}

}  // namespace ridgeline::occupancy
