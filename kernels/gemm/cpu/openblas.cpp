#include <algorithm>

#include "kernels/gemm/cpu_support.hpp"
#include "kernels/gemm/gemm.hpp"

// Vendor variant: OpenBLAS's sgemm, with as many threads as the other variants use.

#ifdef RIDGELINE_HAVE_OPENBLAS
#include <limits>

#include <cblas.h>
#include <omp.h>
#endif

namespace ridgeline::gemm::on_cpu {
namespace {

#ifdef RIDGELINE_HAVE_OPENBLAS

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (std::max({problem.m, problem.n, problem.k}) > std::numeric_limits<blasint>::max())
    return device::Support::unsupported("OpenBLAS counts rows and columns in 32 bits");
  return f32_only(problem, facts);
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto m = static_cast<blasint>(problem.m), n = static_cast<blasint>(problem.n),
             k = static_cast<blasint>(problem.k);
  if (m == 0 || n == 0) return;  // a leading dimension of 0 is refused
  openblas_set_num_threads(omp_get_max_threads());
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f,
              static_cast<const float*>(operands.a), std::max(k, 1),
              static_cast<const float*>(operands.b), n, 0.0f, static_cast<float*>(operands.c), n);
}

#else

device::Support supports(const Problem&, const device::Facts&) {
  return device::Support::unavailable("OpenBLAS was not found when this program was built");
}
void launch(const Problem&, const Operands&, device::Stream&) {
  throw Error(ErrorKind::internal, "the OpenBLAS variant was launched although it is unavailable");
}

#endif

}  // namespace

Variant openblas() {
  return {"vendor library OpenBLAS", {DType::f32}, supports, launch, nullptr, {}, /*vendor=*/true};
}

}  // namespace ridgeline::gemm::on_cpu
