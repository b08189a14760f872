#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/decode/decode.hpp"
#include "kernels/judging.hpp"
#include "kernels/oracle.hpp"

namespace ridgeline::decode {

/// The part of the output that is checked.
struct Expected {
  std::vector<std::int64_t> heads;  // of all_heads(), ascending; with the first and the last
  std::vector<double> o;            // heads.size() x dim, computed in f64
  std::vector<double> tolerances;   // of each head; kernels/attention/oracle.cpp derives them
  auto parts() { return std::tie(heads, o, tolerances); }
};

/// Expected heads for inputs q, k and v: all when the problem is small, else a few that `seed`
/// picks.
Expected expect(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                const kernels::Source& v, std::uint64_t seed);

/// These heads (ascending).
Expected expect_heads(const Problem& problem, const kernels::Source& q, const kernels::Source& k,
                      const kernels::Source& v, const std::vector<std::int64_t>& heads);

/// Where the random inputs of one buffer set start in stream `seed`.
struct RandomInputs {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, q_first = 0, k_first = 0, v_first = 0;
  bool operator==(const RandomInputs&) const = default;
};

/// expect() for random inputs. The last results are kept, so that verifying twice, or another
/// variant on the same inputs, costs no second computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem, const RandomInputs& inputs);

/// Of the checked heads of `o` (device memory), the largest difference from the expected one and
/// the tolerance of the head where their quotient is largest: all are right when this one is.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* o);

/// Judges the output `o` (device memory): on a GPU by the device's oracle, which compares all of
/// it, elsewhere by the CPU's. Throws an internal Error when the device's oracle expects other
/// elements than the CPU's.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, const void* o,
                             DeviceOracle oracle = device_oracle());

}  // namespace ridgeline::decode
