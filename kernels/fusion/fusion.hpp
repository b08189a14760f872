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
#include "kernels/traffic.hpp"
#include "kernels/variant.hpp"

/// What stands around the products of a transformer block: element by element and row by row, in
/// one kernel or many.
namespace ridgeline::fusion {

/// Of each row of `x`, row-major and dense like `residual` and `out`:
///   bias       z = x + bias
///   GELU       g = z / (1 + exp(-2 a z (1 + 0.044715 z^2))), with a = sqrt(2 / pi)
///              (the tanh form of Hendrycks and Gimpel)
///   dropout    d = g / (1 - p), or 0 with probability p
///   residual   r = residual + d
///   LayerNorm  out = (r - mean) / sqrt(variance + 1e-5) * gamma + beta
///              (mean and biased variance of the row)
/// All arrays have element type `dtype`; arithmetic is in f32. Any extent may be 0.
struct Problem {
  std::int64_t rows = 0, cols = 0;
  DType dtype = DType::f32;

  std::int64_t elements() const { return rows * cols; }
  /// 19 per element: 1 of bias, 8 of GELU (its exponential and its division count as one), 1 each
  /// of dropout and residual, 8 of LayerNorm. The mask's integer operations are not counted.
  double flops() const { return 19.0 * static_cast<double>(elements()); }
  /// x and residual read, out written, the three parameters read once.
  double bytes() const {
    return static_cast<double>(size_of(dtype)) *
           (3.0 * static_cast<double>(elements()) + 3.0 * static_cast<double>(cols));
  }
};

inline constexpr double gelu_factor = 0.7978845608028654, gelu_cubic = 0.044715, epsilon = 1e-5;

/// Dropout drops 6554 of 65536 random numbers: 10%. Nobody stores the mask: it is made again from
/// its seed.
inline constexpr unsigned dropped_of_65536 = 6554;
inline constexpr float kept_factor = 65536.0f / (65536 - dropped_of_65536);

/// The random numbers of elements 4 group to 4 group + 3 (row x cols + col), 16 bits each.
RIDGELINE_HOST_DEVICE inline std::uint64_t mask_bits(std::uint64_t seed, std::int64_t group) {
  return device::random_bits(seed, static_cast<std::uint64_t>(group));
}
/// What dropout multiplies the element `place` (0 to 3) of a group with.
RIDGELINE_HOST_DEVICE inline float mask_factor(std::uint64_t bits, int place) {
  return static_cast<unsigned>(bits >> (16 * place) & 0xFFFF) < dropped_of_65536 ? 0.0f
                                                                                 : kept_factor;
}

/// Device memory, each array aligned to 256 bytes: x, residual and out of rows x cols elements, the
/// others of cols.
struct Operands {
  const void* x = nullptr;
  const void* bias = nullptr;
  const void* residual = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;  // Variant::workspace(problem) bytes, shared by all buffer sets
  std::uint64_t mask_seed = 0;
};

/// The results that a variant writes to memory, rounded to the element type, before the last one.
enum class Stored { all, residual, none };  // z, g, d and r; r alone; nothing

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  Stored stored;
  int kernels;  // launches; on a CPU, passes over the arrays
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  kernels::Traffic (*traffic)(const Problem&);
  std::size_t (*workspace)(const Problem&) = nullptr;  // bytes; null means none
  kernels::Budget budget = {};                         // CUDA
};

kernels::Table<Variant> variants();

/// The oracle of devices (device_oracle.hpp); null in a build without CUDA.
struct OracleCalls;
using DeviceOracle = const OracleCalls*;
DeviceOracle device_oracle();

}  // namespace ridgeline::fusion
