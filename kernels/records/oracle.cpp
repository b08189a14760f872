#include "kernels/bits.hpp"
#include "kernels/records/records.hpp"

namespace ridgeline::records {

device::Support one_or_all(const Problem& problem, const device::Facts&) {
  if (problem.used == 1 || problem.used == fields) return device::Support::yes();
  return device::Support::unsupported("one field is used, or all eight");
}

kernels::Deviation deviation(device::Device& device, const Problem& problem, Layout layout,
                             const kernels::RandomFloats& in, const float* out,
                             std::uint64_t seed) {
  const auto expected = [&](std::int64_t i) {
    const auto field = [&](int f) {
      return in(layout == Layout::array_of_structs ? in_structs(i, f)
                                                   : in_arrays(i, f, problem.elements));
    };
    float sum = field(0);
    for (int f = 1; f < problem.used; ++f) sum += field(f);
    return sum;
  };
  return kernels::compare_bits(
      device, out, problem.elements, seed, expected,
      kernels::bound(
          layout == Layout::array_of_structs ? "records as structs" : "records as arrays",
          in.distribution, device_oracle(), problem, layout, in));
}

}  // namespace ridgeline::records
