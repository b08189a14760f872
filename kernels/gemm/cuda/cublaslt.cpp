#include <map>
#include <string>
#include <tuple>

#include <cublasLt.h>

#include "harness/base/error.hpp"
#include "harness/device/library.hpp"
#include "kernels/gemm/gemm.hpp"

// Vendor variant: cuBLASLt, opened at run time. f32 is computed without TF32. The handle is made
// and the first algorithm that the heuristic proposes is chosen at the first launch of a problem,
// which is the verified one and is never timed; further launches only enqueue, so they can be
// captured into a graph. One CUDA device per process.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr std::size_t workspace_bytes = 32 << 20;  // what NVIDIA recommends for Hopper

/// What is called of cuBLASLt, with the types that its header declares.
struct Functions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmulDescCreate) operation_create;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmul) matmul;
  std::string missing;  // why they cannot be called; empty when they can
};

template <class Function>
void find(const device::Library& library, const char* name, Function*& function,
          std::string& missing) {
  function = library.function<Function>(name);
  if (function == nullptr && missing.empty())
    missing = library.loaded() ? "libcublasLt.so lacks " + std::string(name) : library.reason();
}

Functions load() {
  const device::Library library{"libcublasLt.so.13", "libcublasLt.so.12"};
  Functions table{};
  find(library, "cublasLtCreate", table.create, table.missing);
  find(library, "cublasLtMatmulDescCreate", table.operation_create, table.missing);
  find(library, "cublasLtMatrixLayoutCreate", table.layout_create, table.missing);
  find(library, "cublasLtMatmulPreferenceCreate", table.preference_create, table.missing);
  find(library, "cublasLtMatmulPreferenceSetAttribute", table.preference_set, table.missing);
  find(library, "cublasLtMatmulPreferenceDestroy", table.preference_destroy, table.missing);
  find(library, "cublasLtMatmulAlgoGetHeuristic", table.heuristic, table.missing);
  find(library, "cublasLtMatmul", table.matmul, table.missing);
  return table;
}

const Functions& cublas() {
  static const Functions functions = load();
  return functions;
}

std::string describe(const Problem& problem) {
  return "m=" + std::to_string(problem.m) + ", n=" + std::to_string(problem.n) +
         ", k=" + std::to_string(problem.k) + ", " + std::string(to_string(problem.dtype));
}

void check(cublasStatus_t status, const char* action, const Problem& problem) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorKind::dependency, "cuBLASLt: " + std::string(action) + " for " +
                                         describe(problem) + " failed with status " +
                                         std::to_string(static_cast<int>(status)));
}

/// What cublasLtMatmul is called with for one problem; lives as long as the process.
struct Plan {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
};

cublasLtHandle_t handle(const Problem& problem) {
  static cublasLtHandle_t handle = nullptr;
  if (handle == nullptr) check(cublas().create(&handle), "opening the library", problem);
  return handle;
}

// cuBLASLt knows columns first: a row-major m x k matrix is a k x m matrix to it, so C' = B' A'
// takes the operands in exchanged order and needs no transposition.
Plan make_plan(const Problem& problem) {
  const auto [m, n, k, dtype] = problem;
  const cudaDataType_t type = dtype == DType::bf16  ? CUDA_R_16BF
                              : dtype == DType::f16 ? CUDA_R_16F
                                                    : CUDA_R_32F;
  const cublasComputeType_t compute =
      dtype == DType::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  Plan plan;
  check(cublas().operation_create(&plan.operation, compute, CUDA_R_32F), "describing the product",
        problem);
  check(cublas().layout_create(&plan.a, type, k, m, k), "describing A", problem);
  check(cublas().layout_create(&plan.b, type, n, k, n), "describing B", problem);
  check(cublas().layout_create(&plan.c, type, n, m, n), "describing C", problem);

  cublasLtMatmulPreference_t preference = nullptr;
  check(cublas().preference_create(&preference), "making preferences", problem);
  // Sums stay in f32 also where k is split: partial sums are not rounded to the type of C.
  const std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  check(cublas().preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
                                sizeof reductions),
        "preferring sums in f32", problem);
  check(cublas().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                &workspace_bytes, sizeof workspace_bytes),
        "allowing a workspace", problem);
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t status = cublas().heuristic(handle(problem), plan.operation, plan.b, plan.a,
                                                   plan.c, plan.c, preference, 1, &result, &found);
  cublas().preference_destroy(preference);
  check(status, "choosing an algorithm", problem);
  if (found == 0)
    throw Error(ErrorKind::dependency, "cuBLASLt has no algorithm for " + describe(problem));
  plan.algorithm = result.algo;
  return plan;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, DType>;
  static std::map<Key, Plan> plans;  // one per problem that this process measures
  const Key key{problem.m, problem.n, problem.k, problem.dtype};
  auto found = plans.find(key);
  if (found == plans.end()) found = plans.emplace(key, make_plan(problem)).first;
  const Plan& plan = found->second;
  const float one = 1, zero = 0;
  check(cublas().matmul(handle(problem), plan.operation, &one, operands.b, plan.b, operands.a,
                        plan.a, &zero, operands.c, plan.c, operands.c, plan.c, &plan.algorithm,
                        operands.workspace, workspace_bytes,
                        static_cast<cudaStream_t>(stream.native)),
        "multiplying", problem);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  if (problem.dtype != DType::f32 && problem.dtype != DType::tf32 && problem.dtype != DType::f16 &&
      problem.dtype != DType::bf16)
    return device::Support::unsupported("cuBLASLt is asked for f32, tf32, f16 and bf16 only");
  if (problem.m == 0 || problem.n == 0 || problem.k == 0)
    return device::Support::unsupported("cuBLASLt takes no empty matrices");
  if (!cublas().missing.empty()) return device::Support::unavailable(cublas().missing);
  return device::Support::yes();
}

}  // namespace

Variant cublaslt() {
  return {"vendor library cuBLASLt",
          {DType::f32, DType::tf32, DType::bf16, DType::f16},
          supports,
          launch,
          [](const Problem&) { return workspace_bytes; },
          {},
          /*vendor=*/true};
}

}  // namespace ridgeline::gemm::on_cuda
