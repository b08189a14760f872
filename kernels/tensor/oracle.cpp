#include "harness/device/facts.hpp"
#include "kernels/bits.hpp"
#include "kernels/tensor/tensor.hpp"

namespace ridgeline::tensor {

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const float* d, std::uint64_t seed) {
  const auto expected = [&](std::int64_t i) {
    const std::int64_t tile = i / tile_elements, group = tile / tiles_per_group;
    const std::int64_t row = i % tile_elements / edge, col = i % edge;
    double sum = static_cast<double>(tile % tiles_per_group) / 8;
    for (std::int64_t k = 0; k < edge; ++k)
      sum += kernels::on_grid(a(group * tile_elements + row * edge + k)) *
             kernels::on_grid(b(group * tile_elements + k * edge + col));
    return static_cast<float>(sum);
  };
  return kernels::compare_bits(device, d, problem.outputs(), seed, expected,
                               kernels::bound("tensor " + std::string(to_string(problem.dtype)),
                                              a.distribution, device_oracle(), problem, a, b));
}

Problem problem_for(DType dtype, const device::Facts& facts) {
  constexpr int warps_per_unit = 16;
  return {dtype, std::int64_t{facts.units} * warps_per_unit, 4096};
}

}  // namespace ridgeline::tensor
