#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/budget.hpp"
#include "kernels/variant.hpp"

namespace ridgeline::attention {

/// `causal`: query i sees keys 0..i only.
enum class Mask { full, causal };
std::string_view to_string(Mask mask);

/// O = softmax(Q K' / sqrt(dim)) V for each batch and head. Q and O are dense
/// batch x heads x seq x dim arrays of `dtype`, and so are K and V, which may have fewer heads: a
/// divisor of `heads`, of which each serves as many heads of Q in a row (grouped queries). Sums are
/// kept in f32. Batch, heads and seq may be 0.
struct Problem {
  std::int64_t batch = 0, heads = 0, seq = 0, dim = 0;
  Mask mask = Mask::full;
  DType dtype = DType::f32;
  std::int64_t kv_heads = 0;  // 0: as many as Q has
  bool operator==(const Problem&) const = default;

  std::int64_t all_heads() const { return batch * heads; }
  /// Heads of Q that a head of K and V serves.
  std::int64_t group() const {
    return kv_heads == 0 ? 1 : std::max<std::int64_t>(1, heads / kv_heads);
  }
  std::int64_t elements() const { return all_heads() * seq * dim; }  // of Q, as of O
  std::int64_t kv_elements() const { return elements() / group(); }  // of K, as of V
  /// The two products, by convention: 4 * batch * heads * seq^2 * dim, and half of it when causal,
  /// whatever a variant computes. The softmax is not counted.
  double flops() const {
    const double full = 4.0 * static_cast<double>(elements()) * static_cast<double>(seq);
    return mask == Mask::causal ? full / 2 : full;
  }
  /// Q, K and V read once, O written once.
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
  bool groups_queries = false;  // computes problems whose K and V have fewer heads
  /// Its suite has cases with inputs that grow, fall or have outliers, because they change its
  /// steps, or because another variant's that do are compared with it.
  bool other_inputs = false;
};

/// All variants, written by CMake from the files in cpu/ and cuda/.
kernels::Table<Variant> variants();
/// Those for GPUs.
kernels::Table<Variant> device_variants();

/// The oracle of devices (device_oracle.hpp); null in a build without CUDA.
struct OracleCalls;
using DeviceOracle = const OracleCalls*;
DeviceOracle device_oracle();

/// What every variant here has in common: one of its `dtypes`, and heads of 64 or 128; and as many
/// heads of K and V as of Q, unless it groups queries.
device::Support check(const Problem& problem, const std::vector<DType>& dtypes,
                      bool groups_queries = false);

}  // namespace ridgeline::attention
