#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/device.hpp"
#include "harness/device/support.hpp"
#include "kernels/budget.hpp"
#include "kernels/oracle.hpp"
#include "kernels/variant.hpp"

namespace ridgeline::gemm {

/// C = A * B, all row-major and dense: A is m x k, B is k x n, C is m x n. A and B have element type `dtype`; C has
/// too, except that tf32 is stored as f32. Sums are kept in f32. Any extent may be 0; with k = 0, C is all zeros.
struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::f32;
  bool operator==(const Problem&) const = default;

  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  /// Every element of A and B read once, of C written once.
  double bytes() const {
    const double elements = static_cast<double>(m) * k + static_cast<double>(k) * n + static_cast<double>(m) * n;
    return elements * static_cast<double>(size_of(dtype));
  }
};

/// Where one execution reads and writes; device memory, each matrix aligned to 256 bytes.
struct Operands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  void* workspace = nullptr;  // Variant::workspace(problem) bytes, shared by all buffer sets
};

struct Variant {
  std::string_view idea;  // what this rung changes over the previous one
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  std::size_t (*workspace)(const Problem&) = nullptr;  // bytes; null means none
  kernels::Budget budget = {};                         // CUDA
};

/// All variants, written by CMake from the files in cpu/ and cuda/.
kernels::Table<Variant> variants();

/// The part of the product that is checked, in f64.
struct Expected {
  std::vector<std::int64_t> rows;  // of C, ascending; with the first and the last
  std::vector<double> c;           // rows.size() x n
  std::vector<double> magnitude;   // rows.size() x n: sum over p of |a_ip| |b_pj|, the scale of rounding errors
};

/// Expected rows for inputs `a` and `b`: all when the problem is small, else a few that `seed` picks.
Expected expect(const Problem& problem, const kernels::Source& a, const kernels::Source& b, std::uint64_t seed);

/// expect() for the random inputs that start at elements `a_first` and `b_first` of stream `seed`. The last results are
/// kept, so that verifying twice, or another variant on the same inputs, costs no second computation.
std::shared_ptr<const Expected> expect_random(const Problem& problem, device::Distribution distribution,
                                              std::uint64_t seed, std::uint64_t a_first, std::uint64_t b_first);

/// Compares the checked rows of `c` (device memory). oracle.cpp explains the measure and the tolerance.
kernels::Deviation deviation(device::Device& device, const Problem& problem, const Expected& expected, const void* c);

}  // namespace ridgeline::gemm
