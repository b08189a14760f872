#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/budget.hpp"
#include "kernels/variant.hpp"

namespace ridgeline::gemm {

/// C = A * B, all row-major and dense: A is m x k, B is k x n, C is m x n. A and B have element
/// type `dtype`; C has stored_as(dtype). Sums are kept in f32. Any extent may be 0; with k = 0, C
/// is all zeros. Of e4m3 and e4m3_fast, C = scale_a * scale_b * A * B in bf16, with factors in
/// device memory, and B is stored column by column, as n x k: tensor cores take no other order
/// along k of 8-bit elements. With e4m3 the sums of at most 128 products are made by tensor cores
/// and added in f32; with e4m3_fast tensor cores sum all.
struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::f32;
  bool operator==(const Problem&) const = default;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Every element of A and B read once, of C written once.
  double bytes() const;
};

/// The type that C has.
constexpr DType stored_as(DType dtype) {
  if (is_e4m3(dtype)) return DType::bf16;
  return dtype == DType::tf32 ? DType::f32 : dtype;
}

inline double Problem::bytes() const {
  const double factors = static_cast<double>(m) * k + static_cast<double>(k) * n;
  return factors * static_cast<double>(size_of(dtype)) +
         static_cast<double>(m) * n * static_cast<double>(size_of(stored_as(dtype)));
}

/// What A and B of e4m3 are multiplied by: with it, elements of A * B are of the size that those of
/// normal factors have. Not powers of two and not alike, so that one that is forgotten shows.
inline constexpr float e4m3_scale_a = 0.75f / 128, e4m3_scale_b = 1.375f / 128;
constexpr float scale_of(DType dtype) { return is_e4m3(dtype) ? e4m3_scale_a * e4m3_scale_b : 1; }

/// Where one execution reads and writes; device memory, each matrix aligned to 256 bytes.
struct Operands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  void* workspace = nullptr;  // Variant::workspace(problem) bytes, shared by all buffer sets
  const float *scale_a = nullptr, *scale_b = nullptr;  // of e4m3; aligned to 16 bytes
};

struct Variant {
  std::string_view idea;  // what this rung changes over the previous one
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  std::size_t (*workspace)(const Problem&) = nullptr;  // bytes; null means none
  kernels::Budget budget = {};                         // CUDA
  bool vendor = false;                                 // a library: never a reference
  std::int64_t multiple = 1;                           // n and k are, or it does not support them
  /// "3xf16": a product stands for three of f16 on tensor cores, whose roof it then has.
  std::string_view products = {};
  std::int64_t multiple_of_k = 0;  // where k's is another than n's
};

/// All variants, written by CMake from the files in cpu/ and cuda/.
kernels::Table<Variant> variants();
/// Those for GPUs.
kernels::Table<Variant> device_variants();

/// The oracle of devices (device_oracle.hpp); null in a build without CUDA.
struct OracleCalls;
using DeviceOracle = const OracleCalls*;
DeviceOracle device_oracle();

}  // namespace ridgeline::gemm
