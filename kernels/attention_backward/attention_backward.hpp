#pragma once

#include <algorithm>
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

/// The gradients of attention, from what its forward pass leaves behind.
namespace ridgeline::attention_backward {

/// `causal`: query i sees keys 0..i only.
enum class Mask { full, causal };
std::string_view to_string(Mask mask);

/// Of O = P V with P = softmax(Q K' / sqrt(dim)), for each batch and head, given the gradient dO of
/// O, O itself and the natural logarithm L of each query's sum of exponentials of its scores:
///   P = exp(Q K' / sqrt(dim) - L)      D = sums of the rows of dO * O, element by element
///   dV = P' dO      dS = P * (dO V' - D)      dQ = dS K / sqrt(dim)      dK = dS' Q / sqrt(dim)
/// Q, O, dO and dQ are dense batch x heads x seq x dim arrays of `dtype`, and so are K, V, dK and
/// dV, which may have fewer heads: a divisor of `heads`, of which each serves as many heads of Q in
/// a row, and whose gradients are sums over them. L is batch x heads x seq of f32. Sums are kept in
/// f32. Batch, heads and seq may be 0.
struct Problem {
  std::int64_t batch = 0, heads = 0, seq = 0, dim = 0;
  Mask mask = Mask::full;
  DType dtype = DType::f32;
  std::int64_t kv_heads = 0;  // 0: as many as Q has
  bool operator==(const Problem&) const = default;

  std::int64_t all_heads() const { return batch * heads; }
  /// Heads of Q that a head of K and V serves.
  RIDGELINE_HOST_DEVICE std::int64_t group() const {
    return kv_heads == 0 || heads < kv_heads ? 1 : heads / kv_heads;
  }
  std::int64_t rows() const { return all_heads() * seq; }  // of L
  std::int64_t kv_rows() const { return rows() / group(); }
  std::int64_t elements() const { return rows() * dim; }        // of Q, as of O, dO and dQ
  std::int64_t kv_elements() const { return kv_rows() * dim; }  // of K, as of V, dK and dV
  /// Five products, by convention: 10 * batch * heads * seq^2 * dim, 2.5 times those of the forward
  /// pass, and half of it when causal, whatever a variant computes.
  double flops() const {
    const double full = 10.0 * static_cast<double>(elements()) * static_cast<double>(seq);
    return mask == Mask::causal ? full / 2 : full;
  }
  /// Q, K, V, O, dO and L read once; dQ, dK and dV written once.
  double bytes() const {
    return 4.0 * static_cast<double>(elements() + kv_elements()) *
               static_cast<double>(size_of(dtype)) +
           4.0 * static_cast<double>(rows());
  }
};

/// Where one execution reads and writes; device memory, each array aligned to 256 bytes.
struct Operands {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  const void* o = nullptr;
  const void* d_o = nullptr;
  const float* logarithms = nullptr;  // L
  void* dq = nullptr;
  void* dk = nullptr;
  void* dv = nullptr;
  void* workspace = nullptr;  // Variant::workspace(problem) bytes, shared by all buffer sets
};

/// Where the three outputs lie in one buffer, in bytes.
struct OutputPlaces {
  explicit OutputPlaces(const Problem& problem)
      : dk(aligned(problem.elements(), problem.dtype)),
        dv(dk + aligned(problem.kv_elements(), problem.dtype)),
        size(dv + aligned(problem.kv_elements(), problem.dtype)) {}
  static std::size_t aligned(std::int64_t elements, DType dtype) {
    return (static_cast<std::size_t>(elements) * size_of(dtype) + 255) / 256 * 256;
  }
  std::size_t dk, dv, size;
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  std::size_t (*workspace)(const Problem&) = nullptr;  // bytes; null means none
  kernels::Budget budget = {};                         // CUDA
  bool deterministic = false;  // outputs of all executions are equal bit for bit
};

/// All variants, written by CMake from the files in cpu/ and cuda/.
kernels::Table<Variant> variants();
/// Those for GPUs.
kernels::Table<Variant> device_variants();

/// The oracle of devices (device_oracle.hpp); null in a build without CUDA.
struct OracleCalls;
using DeviceOracle = const OracleCalls*;
DeviceOracle device_oracle();

/// What every variant here has in common: one of its `dtypes`, heads of 64 or 128, and heads of K
/// and V that divide those of Q.
device::Support check(const Problem& problem, const std::vector<DType>& dtypes);

}  // namespace ridgeline::attention_backward
