#include "harness/device/facts.hpp"
#include "kernels/bits.hpp"
#include "kernels/warpgroup/warpgroup.hpp"

namespace ridgeline::warpgroup {

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const float* d, std::uint64_t seed) {
  const int deep = depth(problem.dtype), grid = steps(problem.dtype);
  const auto expected = [&](std::int64_t i) {
    const std::int64_t group = i / columns / rows, row = i / columns % rows, column = i % columns;
    double sum = static_cast<double>(column) / 64;
    for (int k = 0; k < deep; ++k)
      sum += kernels::on_grid(a((group * rows + row) * deep + k), grid) *
             kernels::on_grid(b((group * columns + column) * deep + k), grid);
    return static_cast<float>(sum);
  };
  return kernels::compare_bits(device, d, problem.outputs(), seed, expected,
                               kernels::bound("warpgroup " + std::string(to_string(problem.dtype)),
                                              a.distribution, device_oracle(), problem, a, b));
}

Problem problem_for(DType dtype, const device::Facts& facts) {
  return {dtype, std::int64_t{2} * facts.units, 2048};
}

}  // namespace ridgeline::warpgroup
