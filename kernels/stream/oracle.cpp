#include <algorithm>
#include <bit>

#include "kernels/bits.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/sums.hpp"

namespace ridgeline::stream {
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const void* out, std::uint64_t seed) {
  const auto oracle = [&](const char* name) {
    return kernels::bound(name, a.distribution, device_oracle(), problem, a, b);
  };
  if (problem.sums())
    return kernels::compare_sums(
        device, out, problem.partial_sums(), problem.elements, seed,
        [&](std::int64_t i) {
          return static_cast<std::uint32_t>(problem.times()) * std::bit_cast<std::uint32_t>(a(i));
        },
        oracle("stream read"));
  const bool triad = problem.operation == Operation::triad;
  return kernels::compare_bits(
      device, static_cast<const float*>(out), problem.elements, seed,
      [&](std::int64_t i) { return triad ? a(i) + 2.0f * b(i) : a(i); },
      oracle(triad ? "stream triad" : "stream copy"));
}

}  // namespace ridgeline::stream
