#pragma once

#include <cstdint>

#include "kernels/elements.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/worst.hpp"

// The oracle of devices, oracle.cu: it computes an expected output and compares at once, all in
// device memory and enqueued on the stream.
namespace ridgeline::rows {

struct Inputs {
  kernels::Elements x, dy, gamma, beta, rstd, mean;
};

/// Of the rows and places that Expected has on the host, as many values each.
struct ExpectedParts {
  std::int64_t rows = 0, places = 0;
  const std::int64_t *row = nullptr, *place = nullptr;  // which they are
  double *out = nullptr, *tolerance = nullptr, *side = nullptr, *side_tolerance = nullptr;
};

/// What DeviceOracle points to.
struct OracleCalls {
  void (*expect)(const Problem&, const Inputs&, const ExpectedParts&, device::Stream&);
  /// Worst elements of all rows, with the sides of norms forward, and of the sides of columns: as
  /// many as for rows (columns) x worst_threads elements.
  void (*compare_rows)(const Problem&, const Inputs&, const void* out, kernels::Worst*,
                       device::Stream&);
  void (*compare_columns)(const Problem&, const Inputs&, const void* out, kernels::Worst*,
                          device::Stream&);
};

}  // namespace ridgeline::rows
