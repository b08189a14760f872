#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/attention/attention.hpp"
#include "kernels/judging.hpp"
#include "kernels/oracle.hpp"

namespace ridgeline::attention {

/// The part of the output that is checked.
struct Expected {
  std::vector<std::int64_t> rows;  // of O as a (batch * heads * seq) x dim matrix, ascending; with
                                   // the first and the last
  std::vector<double> o;           // rows.size() x dim, computed in f64
  std::vector<double> tolerances;  // of each row; oracle.cpp says how they are found
  auto parts() { return std::tie(rows, o, tolerances); }
};

/// Expected rows for inputs q, k and v: all when the problem is small, else a few of a few heads
/// that `seed` picks.
Expected expect(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                const kernels::Source& v, std::uint64_t seed);

/// Queries `picked` (ascending) of one head: rows head * seq + picked[i] of O.
Expected expect_head(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                     const kernels::Source& v, std::int64_t head,
                     const std::vector<std::int64_t>& picked);

/// Where the random inputs of one buffer set start in stream `seed`.
struct RandomInputs {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, q_first = 0, k_first = 0, v_first = 0;
  bool operator==(const RandomInputs&) const = default;
};

/// expect() for random inputs. The last results are kept, so that verifying twice, or another
/// variant on the same inputs, costs no second computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs);

/// Of the checked rows of `o` (device memory), the largest difference from the expected one and the
/// tolerance of the row where their quotient is largest: all rows are right when this one is.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* o);

/// Bounds for a comparison with a reference's output are made of all scores, in f64: what is
/// allowed takes about a second on an H100.
inline constexpr kernels::Effort default_effort{.by_variant = 2.5e12};

/// Judges the output `o` (device memory) of `tested`: on a GPU by the device's oracle, which
/// compares all of it (kernels/judging.hpp), elsewhere by the CPU's. Throws an internal Error when
/// the device's oracle expects other elements than the CPU's.
kernels::Deviation deviation(device::Device& device, const Problem& problem, const Variant& tested,
                             const RandomInputs& inputs, const void* o,
                             const kernels::Effort& effort = default_effort,
                             DeviceOracle oracle = device_oracle());

}  // namespace ridgeline::attention
