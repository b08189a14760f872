#include "kernels/cuda/cublaslt_products.hpp"

#include <map>

#include "harness/base/error.hpp"
#include "kernels/cuda/cublaslt_functions.hpp"

namespace ridgeline::kernels::cublaslt {
namespace {

const Functions& cublas() { return functions(); }

std::string describe(const Products& of) {
  return std::to_string(of.batch) + " products of m=" + std::to_string(of.m) +
         ", n=" + std::to_string(of.n) + ", k=" + std::to_string(of.k);
}

void check(cublasStatus_t status, const char* action, const Products& of) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorKind::dependency, "cuBLASLt: " + std::string(action) + " for " + describe(of) +
                                         " failed with status " +
                                         std::to_string(static_cast<int>(status)));
}

cublasLtHandle_t handle(const Products& of) {
  static cublasLtHandle_t handle = nullptr;
  if (handle == nullptr) check(cublas().create(&handle), "opening the library", of);
  return handle;
}

/// What cublasLtMatmul is called with; lives as long as the process.
struct Plan {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
};

/// A layout as cuBLASLt sees it, which knows columns first: rows x columns there are columns x rows
/// here. The matrices of a batch have `here` rows.
cublasLtMatrixLayout_t layout(const Products& of, std::int64_t rows, std::int64_t columns,
                              std::int64_t leading, std::int64_t here) {
  cublasLtMatrixLayout_t made = nullptr;
  const auto count = static_cast<std::int32_t>(of.batch);
  const std::int64_t stride = here * leading;
  check(cublas().layout_create(&made, of.dtype == DType::f16 ? CUDA_R_16F : CUDA_R_16BF,
                               static_cast<std::uint64_t>(rows),
                               static_cast<std::uint64_t>(columns), leading),
        "describing a matrix", of);
  check(cublas().layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
        "describing a batch", of);
  check(cublas().layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                            sizeof stride),
        "describing a batch", of);
  return made;
}

// C' = B' A' takes the operands in exchanged order.
Plan make_plan(const Products& of) {
  Plan plan;
  check(cublas().operation_create(&plan.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "describing the product", of);
  const cublasOperation_t transposed = of.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  check(cublas().operation_set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                               sizeof transposed),
        "describing the product", of);
  plan.a = layout(of, of.k, of.m, of.lda, of.m);
  plan.b =
      of.b_transposed ? layout(of, of.k, of.n, of.ldb, of.n) : layout(of, of.n, of.k, of.ldb, of.k);
  plan.c = layout(of, of.n, of.m, of.ldc, of.m);

  cublasLtMatmulPreference_t preference = nullptr;
  check(cublas().preference_create(&preference), "making preferences", of);
  check(cublas().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                &workspace_bytes, sizeof workspace_bytes),
        "allowing a workspace", of);
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t status = cublas().heuristic(handle(of), plan.operation, plan.b, plan.a,
                                                   plan.c, plan.c, preference, 1, &result, &found);
  cublas().preference_destroy(preference);
  check(status, "choosing an algorithm", of);
  if (found == 0)
    throw Error(ErrorKind::dependency, "cuBLASLt has no algorithm for " + describe(of));
  plan.algorithm = result.algo;
  return plan;
}

}  // namespace

const std::string& missing() { return cublas().missing; }

void multiply(const Products& products, float factor, const void* a, const void* b, void* c,
              void* workspace, device::Stream& stream) {
  static std::map<Products, Plan> plans;
  auto found = plans.find(products);
  if (found == plans.end()) found = plans.emplace(products, make_plan(products)).first;
  const Plan& plan = found->second;
  const float zero = 0;
  check(cublas().matmul(handle(products), plan.operation, &factor, b, plan.b, a, plan.a, &zero, c,
                        plan.c, c, plan.c, &plan.algorithm, workspace, workspace_bytes,
                        static_cast<cudaStream_t>(stream.native)),
        "multiplying", products);
}

}  // namespace ridgeline::kernels::cublaslt
