#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/facts.hpp"
#include "kernels/cuda/cublaslt_functions.hpp"
#include "kernels/gemm/fastest.hpp"
#include "kernels/gemm/gemm.hpp"

// Vendor variant: cuBLASLt, opened at run time. f32 is computed without TF32. The handle is made
// and an algorithm is chosen at the first launch of a problem, which is the verified one and is
// never timed: of the eight that the heuristic proposes first, the one that is fastest on the
// operands of that launch. Further launches only enqueue, so they can be captured into a graph.
// e4m3_fast is asked for with fast accumulation, e4m3 without: one sums in tensor cores, the other
// adds their sums in f32. One CUDA device per process.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr std::size_t workspace_bytes = 32 << 20;  // what NVIDIA recommends for Hopper

const kernels::cublaslt::Functions& cublas() { return kernels::cublaslt::functions(); }

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

template <class Value>
void set(const Plan& plan, cublasLtMatmulDescAttributes_t attribute, const Value& value,
         const Problem& problem) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  check(cublas().operation_set(plan.operation, attribute, bytes.data(), bytes.size()),
        "describing the product", problem);
}

cudaDataType_t type_of(DType dtype) {
  if (is_e4m3(dtype)) return CUDA_R_8F_E4M3;
  if (dtype == DType::bf16) return CUDA_R_16BF;
  return dtype == DType::f16 ? CUDA_R_16F : CUDA_R_32F;
}

// cuBLASLt knows columns first: a row-major m x k matrix is a k x m matrix to it, so C' = B' A'
// takes the operands in exchanged order and needs no transposition. Of e4m3 it is one that is k x n
// to it, whose transposed one is multiplied.
Plan describe_product(const Problem& problem) {
  const auto [m, n, k, dtype] = problem;
  const cublasComputeType_t compute =
      dtype == DType::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  Plan plan;
  check(cublas().operation_create(&plan.operation, compute, CUDA_R_32F), "describing the product",
        problem);
  check(cublas().layout_create(&plan.a, type_of(dtype), k, m, k), "describing A", problem);
  const bool by_columns = is_e4m3(dtype);
  check(cublas().layout_create(&plan.b, type_of(dtype), by_columns ? k : n, by_columns ? n : k,
                               by_columns ? k : n),
        "describing B", problem);
  check(cublas().layout_create(&plan.c, type_of(stored_as(dtype)), n, m, n), "describing C",
        problem);
  if (is_e4m3(dtype)) {
    set(plan, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T, problem);
    const std::int8_t fast = dtype == DType::e4m3_fast ? 1 : 0;
    set(plan, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast, problem);
  }
  return plan;
}

constexpr int most_algorithms = 8;
using Proposals = std::array<cublasLtMatmulHeuristicResult_t, most_algorithms>;

/// Those that the heuristic proposes, which likes the first one best. Returns how many.
int propose(const Problem& problem, const Plan& plan, Proposals& proposals) {
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
  int found = 0;
  const cublasStatus_t status =
      cublas().heuristic(handle(problem), plan.operation, plan.b, plan.a, plan.c, plan.c,
                         preference, most_algorithms, proposals.data(), &found);
  cublas().preference_destroy(preference);
  check(status, "choosing an algorithm", problem);
  if (found == 0)
    throw Error(ErrorKind::dependency, "cuBLASLt has no algorithm for " + describe(problem));
  return found;
}

cublasStatus_t multiply(const Problem& problem, const Plan& plan,
                        const cublasLtMatmulAlgo_t& algorithm, const Operands& operands,
                        device::Stream& stream) {
  if (is_e4m3(problem.dtype)) {  // A's scale is that of cuBLASLt's B
    set(plan, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.scale_b, problem);
    set(plan, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.scale_a, problem);
  }
  const float one = 1, zero = 0;
  return cublas().matmul(handle(problem), plan.operation, &one, operands.b, plan.b, operands.a,
                         plan.a, &zero, operands.c, plan.c, operands.c, plan.c, &algorithm,
                         operands.workspace, workspace_bytes,
                         static_cast<cudaStream_t>(stream.native));
}

/// The fastest of the proposals that work. All write the same product.
cublasLtMatmulAlgo_t fastest_of(const Problem& problem, const Plan& plan,
                                std::span<const cublasLtMatmulHeuristicResult_t> proposals,
                                const Operands& operands, device::Stream& stream) {
  constexpr double impossible = std::numeric_limits<double>::infinity();
  struct Recorded {
    int times = 0;
    std::unique_ptr<device::Batch> batch;
  };
  std::vector<Recorded> recorded(proposals.size());
  const auto ns = [&](std::size_t i, int times) {
    auto& [so_far, batch] = recorded[i];
    if (so_far != times)
      batch = device::cuda::record_graph(
          [&](device::Stream& into) {
            for (int n = 0; n < times; ++n)
              check(multiply(problem, plan, proposals[i].algo, operands, into), "trying", problem);
          },
          stream);
    so_far = times;
    return batch->run_ns() / times;
  };
  std::vector<double> once_ns;
  cublasStatus_t failure = CUBLAS_STATUS_SUCCESS;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    // Not in a graph yet: kernels are loaded, and one that is refused says so.
    const cublasStatus_t status = multiply(problem, plan, proposals[i].algo, operands, stream);
    if (status != CUBLAS_STATUS_SUCCESS) failure = status;
    once_ns.push_back(status == CUBLAS_STATUS_SUCCESS ? ns(i, 1) : impossible);
  }
  if (std::ranges::min(once_ns) == impossible)
    check(failure, "multiplying by any of its algorithms", problem);
  return proposals[fastest(once_ns, ns)].algo;
}

Plan make_plan(const Problem& problem, const Operands& operands, device::Stream& stream) {
  Plan plan = describe_product(problem);
  Proposals proposals{};
  const int found = propose(problem, plan, proposals);
  plan.algorithm = fastest_of(
      problem, plan, std::span(proposals).first(static_cast<std::size_t>(found)), operands, stream);
  return plan;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, DType>;
  static std::map<Key, Plan> plans;  // one per problem that this process measures
  const Key key{problem.m, problem.n, problem.k, problem.dtype};
  auto found = plans.find(key);
  if (found == plans.end()) found = plans.emplace(key, make_plan(problem, operands, stream)).first;
  check(multiply(problem, found->second, found->second.algorithm, operands, stream), "multiplying",
        problem);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.dtype != DType::f32 && problem.dtype != DType::tf32 && problem.dtype != DType::f16 &&
      problem.dtype != DType::bf16 && !is_e4m3(problem.dtype))
    return device::Support::unsupported("cuBLASLt is asked for f32, tf32, f16, bf16 and e4m3 only");
  if (is_e4m3(problem.dtype) && facts.capability < 89)
    return device::Support::unsupported("e4m3 needs compute capability 8.9");
  if (is_e4m3(problem.dtype) && (problem.n % 16 != 0 || problem.k % 16 != 0))
    return device::Support::unsupported(
        "cuBLASLt multiplies e4m3 where n and k are multiples of 16");
  if (problem.m == 0 || problem.n == 0 || problem.k == 0)
    return device::Support::unsupported("cuBLASLt takes no empty matrices");
  if (!cublas().missing.empty()) return device::Support::unavailable(cublas().missing);
  return device::Support::yes();
}

}  // namespace

Variant cublaslt() {
  return {"vendor library cuBLASLt, the best of its first eight algorithms",
          {DType::f32, DType::tf32, DType::bf16, DType::f16, DType::e4m3, DType::e4m3_fast},
          supports,
          launch,
          [](const Problem&) { return workspace_bytes; },
          {},
          /*vendor=*/true};
}

}  // namespace ridgeline::gemm::on_cuda
