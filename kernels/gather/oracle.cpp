#include <limits>

#include "kernels/bits.hpp"
#include "kernels/gather/gather.hpp"

namespace ridgeline::gather {

device::Support fits_index(const Problem& problem, const device::Facts&) {
  if (problem.elements - 1 <= std::numeric_limits<std::int32_t>::max())
    return device::Support::yes();
  return device::Support::unsupported("an index of 32 bits reaches 2^31 elements");
}

std::vector<std::int32_t> make_index(const Problem& problem, std::uint64_t seed) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(problem.elements));
  const kernels::Permutation permutation(index.size(), seed);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < index.size(); ++i)
    index[i] = static_cast<std::int32_t>(problem.order == Order::sequential ? i : permutation(i));
  return index;
}

void write_index(device::Device& device, const Problem& problem, std::uint64_t seed,
                 const std::vector<std::int32_t*>& places) {
  if (kernels::judged_on(device)) {
    for (std::int32_t* const index : places)
      device_oracle().write_index(problem, seed, index, device.stream());
    return;
  }
  const std::vector<std::int32_t> host = make_index(problem, seed);
  for (std::int32_t* const index : places)
    device.upload(index, host.data(), host.size() * sizeof(std::int32_t));
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, std::uint64_t index_seed,
                             const float* out, std::uint64_t seed) {
  const kernels::Permutation permutation(static_cast<std::uint64_t>(problem.elements), index_seed);
  const auto expected = [&](std::int64_t i) {
    return in(problem.order == Order::sequential
                  ? i
                  : static_cast<std::int64_t>(permutation(static_cast<std::uint64_t>(i))));
  };
  const DeviceOracle oracle = device_oracle();
  return kernels::compare_bits(
      device, out, problem.elements, seed, expected,
      kernels::bound(problem.order == Order::random ? "gather at random" : "gather in order",
                     in.distribution, oracle.answer, problem, in, index_seed));
}

}  // namespace ridgeline::gather
