#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/base/dtype.hpp"
#include "harness/device/facts.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"

// Attention by cuDNN, forward and backward, for the vendor variants of the families that need it.
// The library is opened at run time. A plan is made at the first call for a shape; further calls
// only enqueue and can be captured into a graph, which then needs the plan that this process keeps.
// One CUDA device per process.
namespace ridgeline::kernels::cudnn {

/// O = softmax(Q K' / sqrt(dim)) V of dense arrays: Q and O are batch x heads x queries x dim, K
/// and V batch x kv_heads x keys x dim, where kv_heads divides heads. `causal`: query i sees keys
/// 0..i. Elements are bf16 or f16, sums f32. No size is 0.
struct Shape {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, dim = 0;
  bool causal = false;
  DType dtype = DType::bf16;
  auto operator<=>(const Shape&) const = default;
};

/// Device memory, each array aligned to 256 bytes.
struct Forward {
  const void *q = nullptr, *k = nullptr, *v = nullptr;
  void* o = nullptr;
  /// batch x heads x queries: log(sum of exp(score)), which the gradients need; null for none.
  float* stats = nullptr;
  void* workspace = nullptr;  // workspace_bytes(shape)
};

/// The gradients dq, dk and dv of sum(o * d_o), each of the layout of its array.
struct Backward {
  const void *q = nullptr, *k = nullptr, *v = nullptr, *o = nullptr, *d_o = nullptr;
  const float* stats = nullptr;  // as forward() wrote them
  void *dq = nullptr, *dk = nullptr, *dv = nullptr;
  void* workspace = nullptr;  // gradient_workspace_bytes(shape)
};

/// `unavailable` without the library, or when this program was built without its headers;
/// `unsupported` for types and GPUs that it does not know. Not every shape is asked for.
device::Support support(DType dtype, const device::Facts& facts);

/// Bounds for what plans ask for, which is known only when they are made.
std::size_t workspace_bytes(const Shape& shape);
std::size_t gradient_workspace_bytes(const Shape& shape);

/// Both throw a dependency Error when cuDNN is missing or has no plan for the shape, or one that
/// needs more workspace than the bound, with what cuDNN says. Of one query and one key, cuDNN 9.19
/// knows no gradients.
void forward(const Shape& shape, const Forward& arrays, device::Stream& stream);
void backward(const Shape& shape, const Backward& arrays, device::Stream& stream);

}  // namespace ridgeline::kernels::cudnn
