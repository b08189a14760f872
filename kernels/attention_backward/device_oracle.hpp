#pragma once

#include <cstdint>

#include "kernels/attention_backward/attention_backward.hpp"
#include "kernels/elements.hpp"
#include "kernels/worst.hpp"

// The oracle of devices, oracle.cu: what it computes and compares, all in device memory and
// enqueued on the stream.
namespace ridgeline::attention_backward {

struct Inputs {
  kernels::Elements q, k, v, d_o;
};

/// Rows of `heads` heads from `head` on (of queries, or of keys): of each the `count` first, or
/// those that `picked` (device memory, ascending) names.
struct Rows {
  std::int64_t head = 0, heads = 0, count = 0;
  const std::int64_t* picked = nullptr;

  RIDGELINE_HOST_DEVICE std::int64_t operator[](std::int64_t i) const {
    return picked == nullptr ? i : picked[i];
  }
  std::int64_t all() const { return heads * count; }
};

/// Of rows: outputs, all() x dim, and a tolerance each.
struct ExpectedRows {
  double *values = nullptr, *tolerances = nullptr;
};

/// What all keys of a query amount to.
struct RowStatistics {
  double logarithm, d;  // L, D
  double w, d_size;     // sums of (dO O)^2 and of |dO O|
  float plain_largest, plain_sum, plain_d;
};

/// What a probability counts for in m, see oracle.cpp.
RIDGELINE_HOST_DEVICE inline double size_of_probability(double p) {
  return p < 0x1p-106 ? 0x1p-106 : p;
}

/// What DeviceOracle points to.
struct OracleCalls {
  /// Of all rows of all heads, with O as it is stored, and L.
  void (*forward)(const Problem&, const Inputs&, RowStatistics*, void* o, float* logarithms,
                  device::Stream&);
  void (*expect_dq)(const Problem&, const Inputs&, const RowStatistics*, const Rows&,
                    const ExpectedRows&, device::Stream&);
  /// Rows are of keys.
  void (*expect_dk_dv)(const Problem&, const Inputs&, const RowStatistics*, const Rows&,
                       const ExpectedRows& dk, const ExpectedRows& dv, device::Stream&);
  /// Worst elements of these rows of an output.
  void (*compare)(const Problem&, const Rows&, const ExpectedRows&, const void* output,
                  kernels::Worst*, device::Stream&);
  /// Of `count` elements of an output: wrong is what is no number.
  void (*find_poison)(const Problem&, std::int64_t count, const void* output, kernels::Worst*,
                      device::Stream&);
};

}  // namespace ridgeline::attention_backward
