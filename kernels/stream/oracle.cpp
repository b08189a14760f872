#include <algorithm>
#include <bit>

#include "kernels/bits.hpp"
#include "kernels/stream/stream.hpp"

namespace ridgeline::stream {
namespace {

std::uint32_t sum_of_bits(const kernels::RandomFloats& values, std::int64_t count) {
  std::uint32_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += std::bit_cast<std::uint32_t>(values(i));
  return sum;
}

kernels::Deviation sum_deviation(device::Device& device, const Problem& problem,
                                 const kernels::RandomFloats& a, const void* out) {
  std::vector<std::uint32_t> partial(static_cast<std::size_t>(problem.partial_sums()));
  device.download(partial.data(), out, partial.size() * sizeof(std::uint32_t));
  std::uint32_t sum = 0;
  for (const std::uint32_t part : partial) sum += part;
  const std::uint32_t passes = static_cast<std::uint32_t>(problem.passes);
  return {sum == passes * sum_of_bits(a, problem.elements) ? 0.0 : 1.0, 0.0};
}

}  // namespace

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const void* out, std::uint64_t seed) {
  if (problem.operation == Operation::read) return sum_deviation(device, problem, a, out);
  const bool triad = problem.operation == Operation::triad;
  return kernels::compare_bits(device, static_cast<const float*>(out), problem.elements, seed,
                               [&](std::int64_t i) { return triad ? a(i) + 2.0f * b(i) : a(i); });
}

}  // namespace ridgeline::stream
