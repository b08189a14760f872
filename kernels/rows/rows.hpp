#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/random.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/budget.hpp"
#include "kernels/variant.hpp"

/// Operations that need sums over a whole row before they can write its first element.
namespace ridgeline::rows {

/// Of each row of x, with means over its columns and epsilon = 1e-5:
///   softmax              out = exp(x) / sum(exp(x)). -inf gives 0, and a row of nothing else gives
///                        zeros. NaN or +inf in a row makes some of it NaN.
///   rms_norm             out = x rstd gamma, with rstd = 1 / sqrt(mean(x^2) + epsilon)
///   layer_norm           out = (x - mean) rstd gamma + beta, with mean = mean(x) and
///                        rstd = 1 / sqrt(mean((x - mean)^2) + epsilon)
///   rms_norm_backward,   of gradients dy of out, rstd and mean as forward has kept them (mean is 0
///   layer_norm_backward  for RMSNorm, and then neither it nor A or dbeta exist):
///                          h = (x - mean) rstd, c = dy gamma, A = mean(c), B = mean(c h),
///                          dx = rstd (c - A - h B), and, over rows,
///                          dgamma = sum(dy h), dbeta = sum(dy)
/// x, dy, gamma, beta, out and dx have the element type; rstd, mean, dgamma and dbeta are f32, and
/// so is arithmetic.
enum class Operation { softmax, rms_norm, layer_norm, rms_norm_backward, layer_norm_backward };

constexpr std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::softmax:
      return "softmax";
    case Operation::rms_norm:
      return "rms_norm";
    case Operation::layer_norm:
      return "layer_norm";
    case Operation::rms_norm_backward:
      return "rms_norm_backward";
    case Operation::layer_norm_backward:
      break;
  }
  return "layer_norm_backward";
}

inline constexpr double epsilon = 1e-5;

/// Any extent may be 0.
struct Problem {
  Operation operation = Operation::softmax;
  std::int64_t rows = 0, cols = 0;
  DType dtype = DType::f32;

  RIDGELINE_HOST_DEVICE std::int64_t elements() const { return rows * cols; }
  RIDGELINE_HOST_DEVICE bool is_norm() const { return operation != Operation::softmax; }
  RIDGELINE_HOST_DEVICE bool is_layer() const {
    return operation == Operation::layer_norm || operation == Operation::layer_norm_backward;
  }
  RIDGELINE_HOST_DEVICE bool is_backward() const {
    return operation == Operation::rms_norm_backward || operation == Operation::layer_norm_backward;
  }

  /// The results beside the rows: none of softmax; else rstd, or dgamma backward, and for LayerNorm
  /// mean, or dbeta. They lie behind the rows in the same output.
  RIDGELINE_HOST_DEVICE int sides() const { return is_layer() ? 2 : is_norm() ? 1 : 0; }
  RIDGELINE_HOST_DEVICE std::int64_t side_length() const { return is_backward() ? cols : rows; }
  /// Floats from the first side to the second.
  RIDGELINE_HOST_DEVICE std::int64_t side_stride() const { return (side_length() + 63) / 64 * 64; }
  /// Bytes from the beginning of the output to the first side, and of the whole output.
  RIDGELINE_HOST_DEVICE std::int64_t side_offset() const {
    return (elements() * (dtype == DType::f32 ? 4 : 2) + 255) / 256 * 256;
  }
  std::int64_t output_bytes() const { return side_offset() + sides() * side_stride() * 4; }

  /// Per element: subtraction, exponential, addition and product of softmax, and one comparison;
  /// two operations of each sum of a norm and one of each other step above.
  double flops() const;
  /// Each input read once and each output written once.
  double bytes() const;
};

/// Device memory, each array aligned to 256 bytes; x, dy and the rows of the output are row-major
/// and dense.
struct Operands {
  const void *x = nullptr, *dy = nullptr, *gamma = nullptr, *beta = nullptr;
  const float *rstd = nullptr, *mean = nullptr;
  void* out = nullptr;        // output_bytes()
  void* workspace = nullptr;  // Variant::workspace(problem) bytes, shared by all buffer sets

  /// Side 0 or 1 of the output.
  float* side(const Problem& problem, int number) const {
    return reinterpret_cast<float*>(static_cast<std::byte*>(out) + problem.side_offset()) +
           number * problem.side_stride();
  }
};

struct Variant {
  std::string_view idea;
  std::vector<Operation> operations;
  std::vector<DType> dtypes;
  int accesses;  // loads and stores of an element of a row, all arrays together
  int kernels;   // launches
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  std::size_t (*workspace)(const Problem&) = nullptr;  // bytes; null means none
  kernels::Budget budget = {};                         // of its first operation
};

kernels::Table<Variant> variants();

/// The oracle of devices (device_oracle.hpp); null in a build without CUDA.
struct OracleCalls;
using DeviceOracle = const OracleCalls*;
DeviceOracle device_oracle();

}  // namespace ridgeline::rows
