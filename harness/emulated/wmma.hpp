#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/emulated/language.hpp"
#include "harness/emulated/tensor_cores.hpp"
#include "harness/emulated/tf32.hpp"

// nvcuda::wmma of 16 x 16 sums of f16, bf16 and tf32 factors. CUDA does not say which element lies
// in which lane; here each lane has a piece of a row of a factor, as ldmatrix loads it, and of the
// sums what mma.sync gives it. Source: CUDA C++ Programming Guide, "Warp Matrix Functions".
namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
namespace precision {
struct tf32 {};
}  // namespace precision
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int m, int n, int k, class Element, class Layout = void>
struct fragment;

/// 16-bit types have k = 16, and tf32, in floats, k = 8: every lane has 16 bytes of a factor.
template <class Use, int k, class Element, class Layout>
struct fragment<Use, 16, 16, k, Element, Layout> {
  static constexpr bool narrow = !std::is_same_v<Element, precision::tf32>;
  static_assert(k == (narrow ? 16 : 8), "16 x 16 x 16, and 16 x 16 x 8 of tf32, are modelled");
  static_assert(!narrow || (sizeof(Element) == 2), "f16, bf16 and tf32 are modelled");
  using Stored = std::conditional_t<narrow, Element, float>;
  static constexpr int num_elements = narrow ? 8 : 4;
  Stored x[num_elements];
};
template <int k, class Element>
struct fragment<accumulator, 16, 16, k, Element, void> {
  using Stored = Element;
  static constexpr int num_elements = 8;
  Element x[num_elements];
};
template <int k, class Element>
using Sums = fragment<accumulator, 16, 16, k, Element, void>;

__device__ __forceinline__ int lane_of_warp() {
  const uint3 at = ridgeline::emulated::thread_index(), size = ridgeline::emulated::block_size();
  return static_cast<int>(((at.z * size.y + at.y) * size.x + at.x) % 32);
}

template <class Fragment, class Value>
__device__ __forceinline__ void fill_fragment(Fragment& to, Value value) {
  for (auto& element : to.x)
    element = static_cast<typename Fragment::Stored>(static_cast<float>(value));
}

/// Rounded as a tensor core takes it.
__device__ __forceinline__ float __float_to_tf32(float value) {
  return __builtin_bit_cast(float, ridgeline::emulated::tf32_of(value));
}

template <class Use, int k, class Element, class Layout, class Pointed>
__device__ __forceinline__ void load_matrix_sync(fragment<Use, 16, 16, k, Element, Layout>& to,
                                                 const Pointed* from, unsigned stride) {
  static_assert(sizeof(Pointed) == sizeof(to.x[0]));
  constexpr int pieces = (std::is_same_v<Use, matrix_a> ? k : 16) / to.num_elements;  // of a row
  const int own_lane = lane_of_warp();
  // ldmatrix asks for a column of pieces after the other.
  constexpr int row_count = 32 / pieces;
  const unsigned at_row = static_cast<unsigned>(own_lane % row_count),
                 at_column = static_cast<unsigned>(own_lane / row_count * to.num_elements);
  if constexpr (std::is_same_v<Layout, row_major>) {
    const uint4 piece = *reinterpret_cast<const uint4*>(from + at_row * stride + at_column);
    __builtin_memcpy(static_cast<void*>(to.x), &piece, sizeof piece);
  } else {
    for (unsigned i = 0; i < static_cast<unsigned>(to.num_elements); ++i) {
      const Pointed element = from[(at_column + i) * stride + at_row];
      to.x[i] = element;
    }
  }
  __syncwarp();
}

/// Where sum number `i` of the lane lies.
__device__ __forceinline__ unsigned place_of_sum(int own_lane, int i, unsigned stride,
                                                 layout_t layout) {
  const auto at_row = static_cast<unsigned>(own_lane / 4 + i / 2 % 2 * 8),
             at_column = static_cast<unsigned>(i / 4 * 8 + own_lane % 4 * 2 + i % 2);
  return layout == mem_row_major ? at_row * stride + at_column : at_column * stride + at_row;
}

template <int k, class Element>
__device__ __forceinline__ void load_matrix_sync(Sums<k, Element>& to, const Element* from,
                                                 unsigned stride, layout_t layout) {
  const int own_lane = lane_of_warp();
  for (int i = 0; i < 8; ++i) {
    const Element sum = from[place_of_sum(own_lane, i, stride, layout)];
    to.x[i] = sum;
  }
  __syncwarp();
}

template <int k, class Element>
__device__ __forceinline__ void store_matrix_sync(Element* to, const Sums<k, Element>& from,
                                                  unsigned stride, layout_t layout) {
  const int own_lane = lane_of_warp();
  if constexpr (std::is_same_v<Element, float>) {
    if (layout == mem_row_major) {
      for (int i = 0; i < 8; i += 2)
        *reinterpret_cast<float2*>(to + place_of_sum(own_lane, i, stride, layout)) =
            make_float2(from.x[i], from.x[i + 1]);
      return;
    }
  }
  for (int i = 0; i < 8; ++i) {
    const Element sum = from.x[i];
    to[place_of_sum(own_lane, i, stride, layout)] = sum;
  }
}

template <class Element, int k, class LayoutA, class LayoutB, class Sum, class SumBefore>
__device__ __forceinline__ void mma_sync(Sums<k, Sum>& d,
                                         const fragment<matrix_a, 16, 16, k, Element, LayoutA>& a,
                                         const fragment<matrix_b, 16, 16, k, Element, LayoutB>& b,
                                         const Sums<k, SumBefore>& c) {
  namespace emulated = ridgeline::emulated;
  emulated::Pieces mine{};
  for (int i = 0; i < a.num_elements; ++i) {
    mine.left[i] = emulated::widened(a.x[i]);
    mine.right[i] = emulated::widened(b.x[i]);
  }
  for (int i = 0; i < 8; ++i) mine.sums[i] = static_cast<float>(c.x[i]);
  emulated::multiply_pieces(mine, k);
  for (int i = 0; i < 8; ++i) d.x[i] = static_cast<Sum>(mine.sums[i]);
}

}  // namespace nvcuda::wmma
