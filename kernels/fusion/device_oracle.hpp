#pragma once

#include <cstdint>

#include "kernels/elements.hpp"
#include "kernels/fusion/fusion.hpp"
#include "kernels/worst.hpp"

// The oracle of devices, oracle.cu: it computes an expected output and compares at once, all in
// device memory and enqueued on the stream.
namespace ridgeline::fusion {

struct Inputs {
  kernels::Elements x, bias, residual, gamma, beta;
  std::uint64_t mask_seed = 0;
};

/// What is rounded on the way: the unit roundoff of a stored result, 0 where none is rounded, of
/// r, of what comes before it, and of the output; that of f32; and half the smallest subnormal
/// number of the element type.
struct Roundings {
  double residual = 0, before = 0, out = 0, sums = 0, underflow = 0;
};

/// For a variant that writes `stored` results.
Roundings roundings(DType dtype, Stored stored);

/// Of `count` rows, count x cols each, as Expected has them on the host.
struct ExpectedRows {
  std::int64_t count = 0;
  const std::int64_t* picked = nullptr;  // which rows they are
  double *out = nullptr, *tolerances = nullptr;
};

/// What DeviceOracle points to.
struct OracleCalls {
  void (*expect)(const Problem&, const Inputs&, const Roundings&, const ExpectedRows&,
                 device::Stream&);
  /// Worst elements of the whole output: as many as for rows x worst_threads elements.
  void (*compare)(const Problem&, const Inputs&, const Roundings&, const void* out, kernels::Worst*,
                  device::Stream&);
};

}  // namespace ridgeline::fusion
