#include <bit>

#include "kernels/bits.hpp"
#include "kernels/memory/memory.hpp"

namespace ridgeline::memory {

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const float* out,
                             std::uint64_t seed) {
  return kernels::compare_bits(
      device, reinterpret_cast<const std::uint32_t*>(out), problem.elements, seed,
      [&](std::int64_t i) {
        return problem.copies(i) ? std::bit_cast<std::uint32_t>(in(i)) : kernels::poison_bits;
      },
      kernels::bound("memory", in.distribution, device_oracle(), problem, in));
}

}  // namespace ridgeline::memory
