#pragma once

#include "harness/device/stream.hpp"

// Kernels for tests of the words of the kernel language: each launches one warp, unless it says
// otherwise.
namespace ridgeline::emulated::test {

/// What votes, matches and reductions give a lane.
struct WarpWords {
  unsigned matches, all_match, all_differ, sum, least, greatest, both, either, one;
  int all_matched, all_differed, signed_sum, signed_least, signed_greatest;
};
/// Lane l has l / 8 to match, and l to reduce; signed ones reduce l - 16.
void use_warp_words(device::Stream& stream, WarpWords* to);

/// to[0..]: popc, popcll, clz, clzll, ffs, ffsll, brev, funnelshift_l, funnelshift_r, byte_perm,
/// mul24, umulhi, mulhi.
inline constexpr int bit_words = 13;
void use_bit_words(device::Stream& stream, unsigned bits, unsigned other, unsigned* to);

/// Each lane of 32 updates each word once: subtract 2, increment below 20, decrement below 20, add
/// 1 in the block's scope, add 1 in the system's, exchange if 0.
inline constexpr int atomic_words = 6;
void use_atomic_words(device::Stream& stream, unsigned* words);

/// Each lane adds 1 and 2 to the halves of a pair of each type; words: fp16 pair, bf16 pair, one
/// fp16 in a word.
void add_packed(device::Stream& stream, unsigned* words);

/// to[lane]: whether the clock has grown.
void use_clock(device::Stream& stream, int* to);

enum class Unmodelled { active_mask, wide_atomic };
void use_unmodelled(device::Stream& stream, Unmodelled what, float* words);

/// Copies `bytes` a lane as one element of that type, and shuffles types of at most 8 bytes to the
/// neighbour lane.
enum class Element {
  half,
  half2,
  bf16,
  bf162,
  float2,
  float4,
  double2,
  int4,
  uint4,
  longlong2,
  char4
};
int bytes_of(Element element);
void copy_elements(device::Stream& stream, Element element, const void* from, void* to);
void swap_elements(device::Stream& stream, Element element, const void* from, void* to);
/// A warp reverses its pairs of halves by way of a shared array of them.
void reverse_pairs(device::Stream& stream, const void* from, void* to);
/// Copies a struct of 3, 6, 10 or 12 bytes per lane, which is made of numbers of 1, 2, 2 and 4
/// bytes.
void copy_objects(device::Stream& stream, int bytes, const void* from, void* to);

}  // namespace ridgeline::emulated::test
