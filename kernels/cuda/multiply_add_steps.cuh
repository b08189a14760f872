#pragma once

#include <cstdint>

#include "kernels/exact_steps.hpp"

namespace ridgeline::kernels::on_cuda {

/// What becomes of x by the steps of kernels/exact_steps.hpp, one after the other, in f64: every
/// result is exact.
__device__ inline double take_steps(double x, std::int64_t rounds) {
  double first = first_constant, second = second_constant;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (int pair = 0; pair < pairs_of_round; ++pair) {
      x = first - x;
      x = second - x;
    }
    const double swapped = first;
    first = second;
    second = swapped;
  }
  return x;
}

}  // namespace ridgeline::kernels::on_cuda
