#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"

// Products of many bf16 or f16 matrices by cuBLASLt, opened at run time, for variants that compute
// more than a product. The algorithm is the first that the heuristic proposes; it is chosen at the
// first call for some products, and further calls only enqueue. One CUDA device per process.
namespace ridgeline::kernels::cublaslt {

/// C = factor * A B of `batch` row-major matrices: A is m x k, B k x n (or n x k and transposed), C
/// m x n. `lda`, `ldb` and `ldc` are the elements from row to row; matrices of a batch follow each
/// other without a gap. Sums are f32. No size is 0.
struct Products {
  std::int64_t batch = 0, m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  bool b_transposed = false;
  DType dtype = DType::bf16;
  auto operator<=>(const Products&) const = default;
};

inline constexpr std::size_t workspace_bytes = 32 << 20;  // what NVIDIA recommends for Hopper

/// Why cuBLASLt cannot be called ("libcublasLt.so.13 not found"); empty when it can.
const std::string& missing();

/// `workspace` has workspace_bytes. Throws a dependency Error when cuBLASLt refuses.
void multiply(const Products& products, float factor, const void* a, const void* b, void* c,
              void* workspace, device::Stream& stream);

}  // namespace ridgeline::kernels::cublaslt
