#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/oracle.hpp"
#include "kernels/rows/rows.hpp"

namespace ridgeline::rows {

/// The parts of the output that are checked, in f64. oracle.cpp explains the tolerances.
struct Expected {
  std::vector<std::int64_t> rows;  // ascending
  std::vector<double> out, tolerance;
  std::vector<std::int64_t> places;  // in each side, ascending; of norms forward they are the rows
  std::vector<double> side, side_tolerance;  // of all places of the first side, then of the second
  auto parts() { return std::tie(rows, out, tolerance, places, side, side_tolerance); }
};

struct Sources {
  kernels::Source x, dy, gamma, beta, rstd, mean;
};

/// All rows and columns when the problem is small, else some that `seed` picks.
Expected expect(const Problem& problem, const Sources& sources, std::uint64_t seed);
/// These rows and, backward, the sides of these columns; both ascending.
Expected expect_parts(const Problem& problem, const Sources& sources,
                      std::vector<std::int64_t> rows, std::vector<std::int64_t> columns);

/// Where the random inputs of one buffer set start in stream `seed`. rstd and mean are random, too:
/// backward takes any.
struct RandomInputs {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, x = 0, dy = 0, gamma = 0, beta = 0, rstd = 0, mean = 0;
  bool operator==(const RandomInputs&) const = default;
};

Sources sources_of(const Problem& problem, const RandomInputs& inputs);

/// Of the checked parts of `out` (device memory), the difference and the tolerance where their
/// quotient is largest.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* out);

/// Judges the output `out` (device memory) of a variant: on a GPU by the device's oracle, which
/// compares all of it, elsewhere by the CPU's. Throws an internal Error when the device's oracle
/// expects other elements than the CPU's.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, const void* out,
                             DeviceOracle oracle = device_oracle());

}  // namespace ridgeline::rows
