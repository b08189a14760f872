#include "kernels/judging.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/decode/device_oracle.hpp"
#include "kernels/decode/oracle.hpp"
#include "kernels/device_oracle.hpp"

// Outputs that the device's oracle judges, where they lie. A head costs no more than reading its
// cache a few times, so all are expected, whatever the problem's size.

namespace ridgeline::decode {
namespace {

constexpr std::size_t most_scratch = std::size_t{256} << 20;
constexpr std::int64_t most_heads = 65535;  // blocks along a second dimension of a grid

/// All heads as the oracle expects them, in the device's memory.
struct Computed {
  device::Buffer<double> o, tolerances;
  std::size_t bytes() const { return o.bytes() + tolerances.bytes(); }
};

Computed compute(device::Device& device, const Problem& problem, const RandomInputs& random,
                 DeviceOracle oracle) {
  const auto elements = [&](std::uint64_t first) {
    return kernels::random_elements(problem.dtype, random.distribution, random.seed, first);
  };
  const Inputs inputs{elements(random.q_first), elements(random.k_first), elements(random.v_first)};
  Computed computed{{device, static_cast<std::size_t>(problem.elements())},
                    {device, static_cast<std::size_t>(problem.all_heads())}};
  const auto at_once = std::clamp<std::int64_t>(
      std::min<std::int64_t>(static_cast<std::int64_t>(most_scratch / oracle->scratch(problem, 1)),
                             most_heads),
      1, std::max<std::int64_t>(problem.all_heads(), 1));
  const auto scratch = kernels::Kept::of(device).scratch(device, oracle->scratch(problem, at_once));
  for (std::int64_t head = 0; head < problem.all_heads(); head += at_once)
    oracle->expect(problem, inputs, {head, std::min(at_once, problem.all_heads() - head)},
                   roundings(problem.dtype), scratch->data(),
                   {computed.o.data() + head * problem.dim, computed.tolerances.data() + head},
                   device.stream());
  device.synchronize();  // the scratch is needed until then
  return computed;
}

/// Compares the first and the last head of what the device's oracle expects with the CPU's, once a
/// process for each type, and for groups of queries and without.
void judge_once(device::Device& device, const Problem& problem, const RandomInputs& random,
                const Computed& computed, DeviceOracle oracle) {
  static std::set<std::tuple<DeviceOracle, DType, bool>> judged;
  const DType dtype = problem.dtype;
  const std::tuple what(oracle, dtype, problem.group() == 1);
  if (problem.elements() == 0 || random.distribution == device::Distribution::zeros ||
      judged.contains(what))
    return;
  const auto source = [&](std::uint64_t first) {
    return kernels::random_source(dtype, random.distribution, random.seed, first);
  };
  const std::int64_t dim = problem.dim;
  const Expected right =
      expect_heads(problem, source(random.q_first), source(random.k_first), source(random.v_first),
                   kernels::checked_rows(problem.all_heads(), 2, random.seed));
  std::vector<double> o(static_cast<std::size_t>(dim));
  for (std::size_t i = 0; i < right.heads.size(); ++i) {
    const std::int64_t head = right.heads[i];
    double tolerance = 0;
    device.download(o.data(), computed.o.data() + head * dim, o.size() * sizeof(double));
    device.download(&tolerance, computed.tolerances.data() + head, sizeof tolerance);
    for (std::size_t d = 0; d < o.size(); ++d) {
      // Elements are in double precision. Tolerances contain how far plain steps are off, which
      // depends on their order.
      const double allowed = right.tolerances[i];
      if (!(std::fabs(o[d] - right.o[i * o.size() + d]) <= 1e-4 * allowed) ||
          !(std::fabs(tolerance - allowed) <= 0.2 * allowed))
        kernels::refuse_oracle("decode/" + std::string(to_string(dtype)),
                               head * dim + static_cast<std::int64_t>(d));
    }
  }
  judged.insert(what);
}

}  // namespace

Roundings roundings(DType dtype) { return {unit_roundoff(dtype), unit_roundoff(DType::f32)}; }

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, const void* o, DeviceOracle oracle) {
  if (!kernels::judged_on(device))
    return deviation(device, problem, *expect_random(problem, inputs), o);
  require(oracle != nullptr, "a program that opens a GPU has oracles for it");
  if (problem.elements() == 0) return {0, 0, Checked::whole};
  const std::string key =
      kernels::key_of("decode", problem.batch, problem.heads, problem.kv_heads, problem.keys,
                      problem.dim, problem.dtype, inputs.distribution, inputs.seed, inputs.q_first,
                      inputs.k_first, inputs.v_first);
  const auto computed = kernels::Kept::of(device).get<Computed>(key, [&] {
    Computed fresh = compute(device, problem, inputs, oracle);
    judge_once(device, problem, inputs, fresh, oracle);
    return fresh;
  });
  const kernels::Worst worst =
      kernels::worst_of(device, problem.elements(), [&](kernels::Worst* partials) {
        oracle->compare(problem, {computed->o.data(), computed->tolerances.data()}, o, partials,
                        device.stream());
      });
  return {worst.error, worst.tolerance, Checked::whole};
}

}  // namespace ridgeline::decode
