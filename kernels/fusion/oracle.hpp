#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/fusion/fusion.hpp"
#include "kernels/oracle.hpp"

namespace ridgeline::fusion {

/// The rows of the output that are checked, in f64. oracle.cpp explains the tolerances.
struct Expected {
  std::vector<std::int64_t> rows;  // ascending
  std::vector<double> out, tolerance;
  auto parts() { return std::tie(rows, out, tolerance); }
};

struct Sources {
  kernels::Source x, bias, residual, gamma, beta;
  std::uint64_t mask_seed = 0;
};

/// All rows when the problem is small, else some that `seed` picks.
Expected expect(const Problem& problem, const Sources& sources, Stored stored, std::uint64_t seed);
/// These rows, ascending.
Expected expect_rows(const Problem& problem, const Sources& sources, Stored stored,
                     std::vector<std::int64_t> rows);

/// Where the random inputs of one buffer set start in stream `seed`.
struct RandomInputs {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, x = 0, bias = 0, residual = 0, gamma = 0, beta = 0, mask_seed = 0;
  bool operator==(const RandomInputs&) const = default;
};

Sources sources_of(const Problem& problem, const RandomInputs& inputs);

/// expect() for random inputs. The last results are kept: verifying twice costs no second
/// computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs,
                                              Stored stored);

/// Of the checked rows of `out` (device memory), the difference and the tolerance where their
/// quotient is largest.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* out);

/// Judges the output `out` (device memory) of a variant: on a GPU by the device's oracle, which
/// compares all of it, elsewhere by the CPU's. Throws an internal Error when the device's oracle
/// expects other elements than the CPU's.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, Stored stored, const void* out,
                             DeviceOracle oracle = device_oracle());

}  // namespace ridgeline::fusion
