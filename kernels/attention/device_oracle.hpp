#pragma once

#include <cstdint>

#include "kernels/attention/attention.hpp"
#include "kernels/elements.hpp"
#include "kernels/worst.hpp"

// The oracle of devices, oracle.cu: what it computes and compares, all in device memory and
// enqueued on the stream.
namespace ridgeline::attention {

struct Inputs {
  kernels::Elements q, k, v;
};

/// Queries of `heads` heads from `head` on: of each `count` in a row from `first` on, or those
/// that `picked` (device memory, ascending) names.
struct Queries {
  std::int64_t head = 0, heads = 0, first = 0, count = 0;
  const std::int64_t* picked = nullptr;

  RIDGELINE_HOST_DEVICE std::int64_t rows() const { return heads * count; }
  RIDGELINE_HOST_DEVICE std::int64_t operator[](std::int64_t i) const {
    return picked == nullptr ? first + i : picked[i];
  }
};

/// Of the queries' rows: outputs, rows() x dim, and a tolerance each, as Expected has them on the
/// host.
struct ExpectedRows {
  double *o = nullptr, *tolerances = nullptr;
};

/// How sensitive rows are, whatever a variant's steps are; oracle.cpp has the words.
struct RowSensitivity {
  double score = 0;   // max over keys of sum |q k| / sqrt(dim)
  double spread = 0;  // sum over keys of p^2
  double moved = 0;   // sum over keys of (score p)^2
};

/// Unit roundoffs, of the elements and of the sums, and by how much a small element may be off
/// because it is no normal number.
struct Roundings {
  double elements = 0, sums = 0, underflow = 0;
};
Roundings roundings(DType dtype);

/// What DeviceOracle points to.
struct OracleCalls {
  /// `count` elements of an input, as f32.
  void (*write)(const kernels::Elements&, std::int64_t count, float* to, device::Stream&);
  /// Bytes of device memory that one call of expect() or sensitivity() for so many rows uses.
  std::size_t (*scratch)(const Problem&, std::int64_t rows);
  void (*expect)(const Problem&, const Inputs&, const Queries&, const Roundings&, void* scratch,
                 const ExpectedRows&, device::Stream&);
  /// Worst elements of these rows of the output `o`.
  void (*compare)(const Problem&, const Queries&, const ExpectedRows&, const void* o,
                  kernels::Worst*, device::Stream&);
  void (*sensitivity)(const Problem&, const Inputs&, const Queries&, void* scratch, RowSensitivity*,
                      device::Stream&);
  /// By how much each row (all heads x seq) of an output with these roundings may differ from the
  /// reference's, an output in f32. `largest_values`: all_heads() of scratch.
  void (*tolerances)(const Problem&, const Inputs&, const RowSensitivity*, const Roundings&,
                     const float* reference, double* largest_values, double* tolerances,
                     device::Stream&);
  /// Worst elements of the whole output against the reference's.
  void (*compare_outputs)(const Problem&, const void* o, const float* reference,
                          const double* tolerances, kernels::Worst*, device::Stream&);
};

}  // namespace ridgeline::attention
