#include "kernels/exact_steps.hpp"
#include "kernels/occupancy/cuda/plan.cuh"

// Every thread advances `independent` chains in turn. A chain's next multiply-add waits for its
// last: bound by latency (4 cycles) while warps x chains on a quarter of an SM are fewer than 4 or
// 8, then by the multiply-add units.
namespace ridgeline::occupancy::on_cuda {
namespace {

using Kernel = void (*)(const float*, float*, std::int64_t, float, float, float, unsigned,
                        unsigned*);

template <int independent, int held_registers>
__device__ __forceinline__ void advance(const float* in, float* out, std::int64_t rounds, float by,
                                        float first, float second, unsigned zero,
                                        unsigned* census) {
  enter(census);
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Ballast<held_registers> held;
  float x[independent];
#pragma unroll
  for (int chain = 0; chain < independent; ++chain) x[chain] = in[chain * threads + thread];
#pragma unroll 1
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma unroll 16
    for (int pair = 0; pair < kernels::pairs_of_round; ++pair) {
#pragma unroll
      for (int chain = 0; chain < independent; ++chain) x[chain] = fmaf(by, x[chain], first);
#pragma unroll
      for (int chain = 0; chain < independent; ++chain) x[chain] = fmaf(by, x[chain], second);
    }
    const float swapped = first;
    first = second;
    second = swapped;
  }
  const unsigned nothing = held.dropped(__float_as_uint(x[0]), zero);
#pragma unroll
  for (int chain = 0; chain < independent; ++chain)
    out[chain * threads + thread] = __uint_as_float(__float_as_uint(x[chain]) + nothing);
  leave(census);
}

template <int independent>
__global__ void __launch_bounds__(1024, 2)
    advance_limited_by_grid(const float* in, float* out, std::int64_t rounds, float by, float first,
                            float second, unsigned zero, unsigned* census) {
  advance<independent, 0>(in, out, rounds, by, first, second, zero, census);
}

/// Registers that the kernel needs without ballast.
constexpr int registers_of(int independent) {
  return independent == 1   ? 10
         : independent == 2 ? 11
         : independent == 4 ? 13
         : independent == 8 ? 21
                            : 29;
}
template <int warps, int independent>
constexpr int ballast = registers_for(warps) - registers_of(independent);

template <int independent, int warps>
__global__ void __launch_bounds__(small_block * 32, warps / small_block)
    advance_limited_by_registers(const float* in, float* out, std::int64_t rounds, float by,
                                 float first, float second, unsigned zero, unsigned* census) {
  advance<independent, ballast<warps, independent>>(in, out, rounds, by, first, second, zero,
                                                    census);
}

template <int independent>
Kernel of_warps(const Problem& problem) {
  if (problem.limit != Limit::registers) return advance_limited_by_grid<independent>;
  if (problem.parallel == 8) return advance_limited_by_registers<independent, 8>;
  return problem.parallel == 16 ? advance_limited_by_registers<independent, 16>
                                : advance_limited_by_registers<independent, 32>;
}

Kernel kernel_for(const Problem& problem) {
  switch (problem.independent) {
    case 1:
      return of_warps<1>(problem);
    case 2:
      return of_warps<2>(problem);
    case 4:
      return of_warps<4>(problem);
    case 8:
      return of_warps<8>(problem);
    default:
      return of_warps<16>(problem);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  start(problem, stream, kernel_for(problem), operands.in, static_cast<float*>(operands.out),
        problem.rounds, static_cast<float>(kernels::step_factor),
        static_cast<float>(kernels::first_constant), static_cast<float>(kernels::second_constant),
        0u, operands.census);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.operation != Operation::fma)
    return device::Support::unsupported("multiplies and adds");
  return supports_any(problem, facts);
}

Residency predict(const Problem& problem, const device::Facts& facts) {
  return predict_for(problem, facts, kernel_for(problem));
}

}  // namespace

Variant fma() {
  return {"each thread has so many chains, whose multiply-adds wait for one another",
          Operation::fma, supports, launch, predict};
}

}  // namespace ridgeline::occupancy::on_cuda
