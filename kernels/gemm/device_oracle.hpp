#pragma once

#include <cstdint>

#include "kernels/elements.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/measure.hpp"
#include "kernels/worst.hpp"

// The oracle of devices, oracle.cu: what it computes and compares, all in device memory and
// enqueued on the stream.
namespace ridgeline::gemm {

struct Inputs {
  kernels::Elements a, b;
};

/// Rows of C: all `count`, or those that `picked` (device memory) names.
struct Rows {
  std::int64_t count = 0;
  const std::int64_t* picked = nullptr;

  RIDGELINE_HOST_DEVICE std::int64_t operator[](std::int64_t i) const {
    return picked == nullptr ? i : picked[i];
  }
};

/// Of some rows, count x n each, as Expected has them on the host.
struct ExpectedRows {
  double* c = nullptr;
  float* magnitude = nullptr;
};

/// An output and how it was rounded.
struct Output {
  const void* c = nullptr;
  DType stored = DType::f32;
  Measure measure;
};

/// A product that a reference variant computed of the same inputs, and what bounds both outputs'
/// errors: the Euclidean norms of the rows of A and of the columns of B.
struct Reference {
  Output output;
  const double *a_norms = nullptr, *b_norms = nullptr;
};

/// What DeviceOracle points to.
struct OracleCalls {
  /// `count` elements of an input, as f32.
  void (*write)(const kernels::Elements&, std::int64_t count, float* to, device::Stream&);
  void (*expect)(const Problem&, const Inputs&, const Rows&, const ExpectedRows&, device::Stream&);
  /// Worst elements of these rows in the output's measure.
  void (*compare)(const Problem&, const Rows&, const ExpectedRows&, const Output&, kernels::Worst*,
                  device::Stream&);
  /// m norms of rows of A, n of columns of B.
  void (*norms)(const Problem&, const Inputs&, double* a_norms, double* b_norms, device::Stream&);
  /// Worst elements of the whole output against a reference's.
  void (*compare_outputs)(const Problem&, const Output&, const Reference&, kernels::Worst*,
                          device::Stream&);
};

}  // namespace ridgeline::gemm
