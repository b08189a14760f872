#include <algorithm>

#include <omp.h>

#include "kernels/arithmetic/arithmetic.hpp"
#include "kernels/simd/vectors.hpp"
#include "kernels/slice.hpp"

// Every thread keeps as many vectors as its registers hold and advances each by one multiply-add in
// turn, so that none waits for its own last result. Bound by the multiply-add units.
namespace ridgeline::arithmetic::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/arithmetic/cpu/fma.inl"
#include "kernels/simd/each_isa.inl"

template <class Element>
void run(const Problem& problem, const Operands& operands,
         void (*multiply_add)(Element*, std::int64_t, std::int64_t, float)) {
  auto* const out = static_cast<Element*>(operands.out);
  // Known to the compiler, it would become a subtraction.
  const volatile float multiplier = static_cast<float>(kernels::step_factor);
#pragma omp parallel
  {
    const kernels::Slice part =
        kernels::slice(problem.lanes, omp_get_thread_num(), omp_get_num_threads(), 64);
    std::copy(operands.in + part.begin, operands.in + part.end, out + part.begin);
    multiply_add(out + part.begin, part.size(), problem.rounds, multiplier);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  if (problem.dtype == DType::f32) {
    run<float>(problem, operands, RIDGELINE_LOOP(multiply_add_f32));
  } else {
    run<double>(problem, operands, RIDGELINE_LOOP(multiply_add_f64));
  }
}

device::Support supports(const Problem& problem, const device::Facts&) {
  if (problem.dtype == DType::f32 || problem.dtype == DType::f64) return device::Support::yes();
  return device::Support::unsupported("a CPU multiplies and adds f32 and f64");
}

}  // namespace

Variant fma() {
  return {"as many independent vectors as the registers hold, the widest there are",
          {DType::f32, DType::f64},
          supports,
          launch};
}

}  // namespace ridgeline::arithmetic::on_cpu
