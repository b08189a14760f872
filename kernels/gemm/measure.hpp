#pragma once

#include "kernels/gemm/gemm.hpp"

namespace ridgeline::gemm {

/// How an output c is judged. It differs from the exact sum r = sum a_p b_p by
///   |c - r| <= u_out |r| + s/2 + (g + t) M,    M = sum |a_p| |b_p|
/// with u_out the unit roundoff of the stored type and s its smallest subnormal (the final
/// rounding), and
///   g = 4 sqrt(k) u_f32  for sums kept in f32: the probabilistic bound of Higham and Mary (SIAM J.
///                        Sci. Comput. 41, 2019), whose constant 4 fails with a probability below
///                        1e-3 for one element even if every rounding error were at its limit, and
///                        which also covers tensor cores, which truncate where IEEE rounds;
///   t = 4 u_tf32         for tf32, whose two factors are cut to 10 mantissa bits, at most 2 u_tf32
///                        each; 0 otherwise.
/// The error reported is what remains of |c - r| after the final rounding, relative to M; the
/// tolerance is g + t. For f32 inputs of similar size this notices one missing product up to about
/// k = 25000, since a product is M / k.
struct Measure {
  double final_rounding = 0;  // u_out
  double underflow = 0;       // s/2
  double tolerance = 0;       // g + t
};

Measure measure(const Problem& problem);

/// The type that C has: tf32 is stored as f32.
inline DType stored_as(DType dtype) { return dtype == DType::tf32 ? DType::f32 : dtype; }

}  // namespace ridgeline::gemm
