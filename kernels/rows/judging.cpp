#include "kernels/judging.hpp"

#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/device_oracle.hpp"
#include "kernels/key.hpp"
#include "kernels/oracle_cache.hpp"
#include "kernels/rows/device_oracle.hpp"
#include "kernels/rows/oracle.hpp"

// Outputs that the device's oracle judges, where they lie. To compute what is expected takes hardly
// longer than to read it, so nothing is kept there.

namespace ridgeline::rows {
namespace {

Inputs inputs_of(const Problem& problem, const RandomInputs& random) {
  const auto elements = [&](DType dtype, std::uint64_t first) {
    return kernels::random_elements(dtype, random.distribution, random.seed, first);
  };
  return {elements(problem.dtype, random.x),     elements(problem.dtype, random.dy),
          elements(problem.dtype, random.gamma), elements(problem.dtype, random.beta),
          elements(DType::f32, random.rstd),     elements(DType::f32, random.mean)};
}

/// Compares a few rows and columns of what the device's oracle expects with the CPU's, once a
/// process for each operation and type.
void judge_once(device::Device& device, const Problem& problem, const RandomInputs& random,
                DeviceOracle oracle) {
  static std::set<std::tuple<DeviceOracle, Operation, DType>> judged;
  const std::tuple what(oracle, problem.operation, problem.dtype);
  if (problem.elements() == 0 || random.distribution == device::Distribution::zeros ||
      judged.contains(what))
    return;
  const Expected right = expect_parts(problem, sources_of(problem, random),
                                      kernels::checked_rows(problem.rows, 3, random.seed),
                                      kernels::checked_rows(problem.cols, 3, random.seed));
  const device::Buffer<std::int64_t> rows(device, right.rows), places(device, right.places);
  const device::Buffer<double> out(device, right.out.size()), tolerance(device, right.out.size()),
      side(device, right.side.size()), side_tolerance(device, right.side.size());
  oracle->expect(problem, inputs_of(problem, random),
                 {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(places.size()),
                  rows.data(), places.data(), out.data(), tolerance.data(), side.data(),
                  side_tolerance.data()},
                 device.stream());
  device.synchronize();
  // Both are in double precision: far closer to each other than what they tolerate.
  const auto agree = [&](const device::Buffer<double>& values, const std::vector<double>& others,
                         const std::vector<double>& tolerances) {
    const std::vector<double> found = values.download();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!(std::fabs(found[i] - others[i]) <= 1e-4 * tolerances[i]))
        kernels::refuse_oracle("rows/" + std::string(to_string(problem.operation)) + "/" +
                                   std::string(to_string(problem.dtype)),
                               static_cast<std::int64_t>(i));
  };
  agree(out, right.out, right.tolerance);
  agree(tolerance, right.tolerance, right.tolerance);
  agree(side, right.side, right.side_tolerance);
  agree(side_tolerance, right.side_tolerance, right.side_tolerance);
  judged.insert(what);
}

/// expect() for random inputs. The last results are kept: verifying twice costs no second
/// computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs) {
  static kernels::OracleCache<Expected> cache(8);
  const auto [operation, rows, cols, dtype] = problem;
  const auto [distribution, seed, x, dy, gamma, beta, rstd, mean] = inputs;
  const std::string key = kernels::key_of("rows", operation, rows, cols, dtype, distribution, seed,
                                          x, dy, gamma, beta, rstd, mean);
  return cache.get(key, [&] { return expect(problem, sources_of(problem, inputs), inputs.seed); });
}

}  // namespace

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, const void* out, DeviceOracle oracle) {
  if (!kernels::judged_on(device))
    return deviation(device, problem, *expect_random(problem, inputs), out);
  require(oracle != nullptr, "a program that opens a GPU has oracles for it");
  judge_once(device, problem, inputs, oracle);
  if (problem.cols == 0) return {0, 0, Checked::whole};
  const auto worst_by = [&](auto compare, std::int64_t lines) {
    return kernels::worst_of(device, lines * kernels::worst_threads, [&](kernels::Worst* partials) {
      compare(problem, inputs_of(problem, inputs), out, partials, device.stream());
    });
  };
  kernels::Worst worst = worst_by(oracle->compare_rows, problem.rows);
  if (problem.is_backward()) {
    const kernels::Worst other = worst_by(oracle->compare_columns, problem.cols);
    if (worse(other, worst)) worst = other;
  }
  return {worst.error, worst.tolerance, Checked::whole};
}

}  // namespace ridgeline::rows
