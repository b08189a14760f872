#include "kernels/bits.hpp"
#include "kernels/transpose/transpose.hpp"

namespace ridgeline::transpose {

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const float* out,
                             std::uint64_t seed) {
  return kernels::compare_bits(
      device, out, problem.elements(), seed,
      [&](std::int64_t i) { return in(i % problem.rows * problem.cols + i / problem.rows); },
      kernels::bound("transpose", in.distribution, device_oracle(), problem, in));
}

}  // namespace ridgeline::transpose
