#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "kernels/judging.hpp"
#include "kernels/oracle.hpp"

namespace ridgeline::gemm {

/// The part of the product that is checked, in f64.
struct Expected {
  std::vector<std::int64_t> rows;  // of C, ascending; with the first and the last
  std::vector<double> c;           // rows.size() x n
  std::vector<double> magnitude;   // rows.size() x n: sum over p of |a_ip| |b_pj|, the scale of
                                   // rounding errors
  auto parts() { return std::tie(rows, c, magnitude); }
};

/// Expected rows for inputs `a` and `b`: all when the problem is small, else a few that `seed`
/// picks.
Expected expect(const Problem& problem, const kernels::Source& a, const kernels::Source& b,
                std::uint64_t seed);

/// Where the random inputs of one buffer set start in stream `seed`.
struct RandomInputs {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, a_first = 0, b_first = 0;
  bool operator==(const RandomInputs&) const = default;
};

/// The factors of a product, row by row however they are stored; A of e4m3 is multiplied by both
/// scales.
kernels::Source source_of_a(const Problem& problem, const RandomInputs& inputs);
kernels::Source source_of_b(const Problem& problem, const RandomInputs& inputs);

/// expect() for random inputs. The last results are kept, so that verifying twice, or another
/// variant on the same inputs, costs no second computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs);

/// Compares the checked rows of `c` (device memory), made of `inputs`; see measure.hpp.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* c,
                             device::Distribution inputs = device::Distribution::uniform);

/// Judges the output `c` (device memory) of `tested`: on a GPU by the device's oracle, which
/// compares all of it (kernels/judging.hpp), elsewhere by the CPU's. Throws an internal Error when
/// the device's oracle expects other elements than the CPU's.
kernels::Deviation deviation(device::Device& device, const Problem& problem, const Variant& tested,
                             const RandomInputs& inputs, const void* c,
                             const kernels::Effort& effort = {},
                             DeviceOracle oracle = device_oracle());

}  // namespace ridgeline::gemm
