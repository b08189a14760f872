#pragma once

#include <cstdint>

// Multiply-adds that are exact, for kernels that measure how fast they go: their results are
// compared bit for bit.
namespace ridgeline::kernels {

/// One multiply-add per step, x = -1 x + b, alternates between two additive constants: each pair of
/// steps adds their difference to x, 2^-10, in the first of each two rounds, and takes it away in
/// the second. For x in [-1, 1) in steps of 2^-23 (2^-10 for f16) every intermediate result is a
/// multiple of that step below 2, hence exact, fused or not, and yet all bits of the operands keep
/// changing.
inline constexpr int pairs_of_round = 256;
inline constexpr double step_factor = -1.0, first_constant = 0.5, second_constant = 0.5 + 0x1p-10;

/// Floating-point operations of a round: a multiply-add counts 2.
inline constexpr double flops_of_round = 2.0 * 2.0 * pairs_of_round;

/// What becomes of x: of the number of rounds it shows only whether that is odd, and the time shows
/// the rest (the tests of arithmetic and occupancy look). A zero that was computed is +0, also
/// where x was -0.
constexpr double after_rounds(double x, std::int64_t rounds) {
  return rounds == 0 ? x : x + (rounds % 2 == 1 ? pairs_of_round * 0x1p-10 : 0.0);
}

}  // namespace ridgeline::kernels
