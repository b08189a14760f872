#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "kernels/oracle.hpp"

namespace ridgeline::gemm {

/// The part of the product that is checked, in f64.
struct Expected {
  std::vector<std::int64_t> rows;  // of C, ascending; with the first and the last
  std::vector<double> c;           // rows.size() x n
  std::vector<double> magnitude;   // rows.size() x n: sum over p of |a_ip| |b_pj|, the scale of
                                   // rounding errors
};

/// Expected rows for inputs `a` and `b`: all when the problem is small, else a few that `seed`
/// picks.
Expected expect(const Problem& problem, const kernels::Source& a, const kernels::Source& b,
                std::uint64_t seed);

/// expect() for the random inputs that start at elements `a_first` and `b_first` of stream `seed`.
/// The last results are kept, so that verifying twice, or another variant on the same inputs, costs
/// no second computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem,
                                              device::Distribution distribution, std::uint64_t seed,
                                              std::uint64_t a_first, std::uint64_t b_first);

/// Compares the checked rows of `c` (device memory). oracle.cpp explains the measure and the
/// tolerance.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const void* c);

}  // namespace ridgeline::gemm
