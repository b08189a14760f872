#include "kernels/judging.hpp"

#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/device_oracle.hpp"
#include "kernels/fusion/device_oracle.hpp"
#include "kernels/fusion/oracle.hpp"

// Outputs that the device's oracle judges, where they lie. To compute what is expected takes hardly
// longer than to read it, so nothing is kept.

namespace ridgeline::fusion {
namespace {

Inputs inputs_of(const Problem& problem, const RandomInputs& random) {
  const auto elements = [&](std::uint64_t first) {
    return kernels::random_elements(problem.dtype, random.distribution, random.seed, first);
  };
  return {elements(random.x),     elements(random.bias), elements(random.residual),
          elements(random.gamma), elements(random.beta), random.mask_seed};
}

/// Compares a few rows of what the device's oracle expects with the CPU's, once a process for each
/// type and what is stored, which tolerances depend on.
void judge_once(device::Device& device, const Problem& problem, const RandomInputs& random,
                Stored stored, DeviceOracle oracle) {
  static std::set<std::tuple<DeviceOracle, DType, Stored>> judged;
  const std::tuple what(oracle, problem.dtype, stored);
  if (problem.elements() == 0 || random.distribution == device::Distribution::zeros ||
      judged.contains(what))
    return;
  const Expected right = expect_rows(problem, sources_of(problem, random), stored,
                                     kernels::checked_rows(problem.rows, 3, random.seed));
  const device::Buffer<std::int64_t> rows(device, right.rows);
  const device::Buffer<double> out(device, right.out.size()), tolerances(device, right.out.size());
  oracle->expect(
      problem, inputs_of(problem, random), roundings(problem.dtype, stored),
      {static_cast<std::int64_t>(rows.size()), rows.data(), out.data(), tolerances.data()},
      device.stream());
  device.synchronize();
  const std::vector<double> found = out.download(), tolerated = tolerances.download();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double tolerance = right.tolerance[i];
    // Both are in double precision: far closer to each other than what they tolerate.
    if (!(std::fabs(found[i] - right.out[i]) <= 1e-4 * tolerance) ||
        !(std::fabs(tolerated[i] - tolerance) <= 1e-4 * tolerance)) {
      const auto row = static_cast<std::int64_t>(i) / problem.cols;
      kernels::refuse_oracle("fusion/" + std::string(to_string(problem.dtype)),
                             right.rows[static_cast<std::size_t>(row)] * problem.cols +
                                 static_cast<std::int64_t>(i) % problem.cols);
    }
  }
  judged.insert(what);
}

}  // namespace

Roundings roundings(DType dtype, Stored stored) {
  const double u = dtype == DType::f32 ? 0 : unit_roundoff(dtype);
  return {stored == Stored::none ? 0 : u, stored == Stored::all ? u : 0, u,
          unit_roundoff(DType::f32), dtype == DType::f16 ? 0x1p-25 : 0x1p-134};
}

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, Stored stored, const void* out,
                             DeviceOracle oracle) {
  if (!kernels::judged_on(device))
    return deviation(device, problem, *expect_random(problem, inputs, stored), out);
  require(oracle != nullptr, "a program that opens a GPU has oracles for it");
  judge_once(device, problem, inputs, stored, oracle);
  const kernels::Worst worst = kernels::worst_of(
      device, problem.rows * kernels::worst_threads, [&](kernels::Worst* partials) {
        oracle->compare(problem, inputs_of(problem, inputs), roundings(problem.dtype, stored), out,
                        partials, device.stream());
      });
  return {worst.error, worst.tolerance, Checked::whole};
}

}  // namespace ridgeline::fusion
