#pragma once

#include "harness/device/random.hpp"
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
///
/// Of e4m3, tensor cores bring 32 products and the sum so far to the largest exponent among them
/// and cut each off below 2^-13 of it (DeepSeek-V3, arXiv 2412.19437, section 3.5.2): toward zero,
/// since sums of such a model have the errors of an H200's; cut toward minus infinity they would
/// have 30 times as large ones at k = 8192.
/// Let products have random signs and a deviation of 1, so that M = 2 k / pi for normal factors,
/// and let s_t be the sum after step t of k/32. A cut loses less than 2^-13 |s_t|, as often up as
/// down, so that the error of a sum has a variance of at most
///   sum over t of (32 + 1) / 3 * (2^-13 s_t)^2,    and sum s_t^2 = (k/32) k Z^2 / 2,
/// with Z^2 = 2 * integral of W(x)^2 from 0 to 1 for a Wiener process W, 1 in the mean. Relative to
/// M that is a deviation of 0.65 * 2^-13 Z, whatever k is. Both tails count: the error is normal
/// for a given Z, and Z exceeds z with a probability of about exp(-pi^2 z^2 / 16) (Cameron and
/// Martin), so that the error exceeds x with exp(-x / (0.59 * 2^-13)). A power of two that is not
/// above |s_t| is 0.74 |s_t| in the quadratic mean, which makes it exp(-x / (0.43 * 2^-13)). So
///   g = 12 * 2^-13   for e4m3_fast: one of 2^28 such sums exceeds it with a probability of 2e-4.
/// 300000 sums of a model that cuts in this way, as the emulated device does, have between 0.19 (k
/// = 512) and 0.34 (k = 32768) in place of 0.43; on an H200 the largest errors at k = 8192 were 3
/// to 5
/// * 2^-13, cuBLASLt's as ours. It is a bound for random signs: products of one sign are lost whole
/// once the sum is 2^13 of them (below).
/// e4m3 adds n = k / 128 sums that are cut alike, in f32. Let each have such a tail; then a sum of
/// them exceeds x with a probability of at most 2 exp(-u x / b) (1 - u^2)^-n for any u below 1,
/// with b = 0.43 * 2^-13 in units of the M of one (Chernoff), least where x = 2 n u b / (1 - u^2).
/// So
///   g = 2 u b / (1 - u^2)   for e4m3, with
///   n (2 u^2 / (1 - u^2) + log(1 - u^2)) = 12 / 0.43 + log 2,
/// which is as rare as above, falls with sqrt(n), and is never more than g of e4m3_fast. Of 1.6
/// million sums of k = 256 on an H200, cuBLASLt's and ours with the same bits, the largest error
/// was 1.65 * 2^-13, which b = 0.19 * 2^-13 explains; g is 6.6 * 2^-13 there.
///
/// Of positive inputs, what tensor cores cut off never cancels. Let s be the sum of products whose
/// mean is 1. Each product, and twice in a step the sum, loses less than e s, with e = 2^-13 for
/// e4m3 in steps of 32 and e = 2^-23 for the others in steps of 4 at least (Fasi, Higham, Mikaitis
/// and Pranesh, PeerJ Comput. Sci. 7:e330, 2021: V100 to A100; later ones keep more bits). So s
/// grows by at least 1 - c e s for a product, with c = 34/32 or 3/2, and of k products it is at
/// least (1 - exp(-x)) / (c e), x = c e k. The tolerance grows by what is lost then, relative to M:
///   1 - (1 - exp(-x)) / x    which is about x / 2 for few products,
/// with k = 128 for e4m3, and not at all for f32, whose roundings do cancel (and whose products of
/// f16 are added as f32 after every 32 of k at most). A cut takes half as much in the mean, and a
/// power of two below s is 0.72 s in the mean, so that sums lose about a third of this.
/// The error reported is what remains of |c - r| after the final rounding, relative to M; the
/// tolerance is g + t. For f32 inputs of similar size this notices one missing product up to about
/// k = 25000, since a product is M / k; for e4m3_fast 128 missing ones up to 16384 at least.
struct Measure {
  double final_rounding = 0;  // u_out
  double underflow = 0;       // s/2
  double tolerance = 0;       // g + t
};

Measure measure(const Problem& problem, device::Distribution inputs);

}  // namespace ridgeline::gemm
