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

/// Attention of the token that a model makes next: one query a head, against the keys and values of
/// all tokens before it (the cache).
namespace ridgeline::decode {

/// O = softmax(Q K' / sqrt(dim)) V for each batch and head. Q and O are dense batch x heads x dim
/// arrays of `dtype`; K and V are dense batch x kv_heads x keys x dim, where each of kv_heads, a
/// divisor of heads, serves as many heads of Q in a row (grouped queries). Sums are kept in f32.
/// Batch and heads may be 0.
struct Problem {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, keys = 0, dim = 0;
  DType dtype = DType::bf16;
  bool operator==(const Problem&) const = default;

  /// Heads of Q that a head of K and V serves.
  std::int64_t group() const { return kv_heads == 0 ? 1 : heads / kv_heads; }
  std::int64_t all_heads() const { return batch * heads; }
  std::int64_t all_kv_heads() const { return all_heads() / group(); }
  std::int64_t elements() const { return all_heads() * dim; }               // of Q, as of O
  std::int64_t kv_elements() const { return all_kv_heads() * keys * dim; }  // of K, as of V
  /// The two products, by convention; the softmax is not counted.
  double flops() const { return 4.0 * static_cast<double>(elements()) * static_cast<double>(keys); }
  /// Q, K and V read once, O written once: nearly all of it is the cache.
  double bytes() const {
    return 2.0 * static_cast<double>(elements() + kv_elements()) *
           static_cast<double>(size_of(dtype));
  }
};

/// Where one execution reads and writes; device memory, each array aligned to 256 bytes.
struct Operands {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  void* workspace = nullptr;  // Variant::workspace(problem) bytes, shared by all buffer sets
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  std::size_t (*workspace)(const Problem&) = nullptr;  // bytes; null means none
  kernels::Budget budget = {};                         // CUDA
};

/// All variants, written by CMake from the files in cpu/ and cuda/.
kernels::Table<Variant> variants();
/// Those for GPUs.
kernels::Table<Variant> device_variants();

/// The oracle of devices (device_oracle.hpp); null in a build without CUDA.
struct OracleCalls;
using DeviceOracle = const OracleCalls*;
DeviceOracle device_oracle();

/// What every variant here has in common: one of its `dtypes`, heads of 64 or 128, at least one
/// key, and heads of K and V that divide those of Q.
device::Support check(const Problem& problem, const std::vector<DType>& dtypes);

/// Into how many parts a head's cache of `tiles` tiles (at least 1) is cut, so that all `heads`
/// together have as many parts as `blocks`, or nearly: at least 1, at most `tiles`.
std::int64_t parts_of(std::int64_t heads, std::int64_t tiles, std::int64_t blocks);

}  // namespace ridgeline::decode
