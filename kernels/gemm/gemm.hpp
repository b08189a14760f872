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
/// type `dtype`; C has too, except that tf32 is stored as f32. Sums are kept in f32. Any extent may
/// be 0; with k = 0, C is all zeros.
struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  DType dtype = DType::f32;
  bool operator==(const Problem&) const = default;

  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Every element of A and B read once, of C written once.
  double bytes() const {
    const double elements =
        static_cast<double>(m) * k + static_cast<double>(k) * n + static_cast<double>(m) * n;
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
  bool vendor = false;                                 // a library: never a reference
  std::int64_t multiple = 1;                           // n and k are, or it does not support them
  /// "3xf16": a product stands for three of f16 on tensor cores, whose roof it then has.
  std::string_view products = {};
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
