#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/emulated/language.hpp"
#include "harness/emulated/tensor_cores.hpp"

// nvcuda::wmma as far as kernels here use it: 16 x 16 sums of row-major factors. CUDA does not say
// which element lies in which lane; here each lane has a piece of a row of a factor, as ldmatrix
// loads it, and of the sums what mma.sync gives it. Source: CUDA C++ Programming Guide, "Warp
// Matrix Functions".
namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
namespace precision {
struct tf32 {};
}  // namespace precision
enum layout_t { mem_row_major };

template <class Use, int m, int n, int k, class Element, class Layout = void>
struct fragment;

/// 16-bit types have k = 16, and tf32, in floats, k = 8: every lane has 16 bytes of a factor.
template <class Use, int k, class Element>
struct fragment<Use, 16, 16, k, Element, row_major> {
  static constexpr bool narrow = !std::is_same_v<Element, precision::tf32>;
  static_assert(k == (narrow ? 16 : 8), "16 x 16 x 16, and 16 x 16 x 8 of tf32, are modelled");
  using Stored = std::conditional_t<narrow, Element, float>;
  static constexpr int num_elements = narrow ? 8 : 4;
  Stored x[num_elements];
};
template <int k>
struct fragment<accumulator, 16, 16, k, float, void> {
  static constexpr int num_elements = 8;
  float x[num_elements];
};

template <class Fragment>
__device__ __forceinline__ void fill_fragment(Fragment& to, float value) {
  for (auto& element : to.x) element = value;
}

template <class Use, int k, class Element, class Pointed>
__device__ __forceinline__ void load_matrix_sync(fragment<Use, 16, 16, k, Element, row_major>& to,
                                                 const Pointed* from, unsigned stride) {
  static_assert(sizeof(Pointed) == sizeof(to.x[0]));
  constexpr int pieces = (std::is_same_v<Use, matrix_a> ? k : 16) / to.num_elements;  // of a row
  const int lane = static_cast<int>(threadIdx.x % 32);
  // ldmatrix asks for a column of pieces after the other.
  constexpr int rows = 32 / pieces;
  const uint4 piece =
      *reinterpret_cast<const uint4*>(from + lane % rows * stride + lane / rows * to.num_elements);
  __builtin_memcpy(static_cast<void*>(to.x), &piece, sizeof piece);
  __syncwarp();
}

template <int k>
__device__ __forceinline__ void store_matrix_sync(
    float* to, const fragment<accumulator, 16, 16, k, float, void>& from, unsigned stride,
    layout_t) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int pair = 0; pair < 4; ++pair)
    *reinterpret_cast<float2*>(to + (lane / 4 + pair % 2 * 8) * stride + pair / 2 * 8 +
                               lane % 4 * 2) = make_float2(from.x[2 * pair], from.x[2 * pair + 1]);
}

template <class Element, int k>
__device__ __forceinline__ void mma_sync(fragment<accumulator, 16, 16, k, float, void>& d,
                                         const fragment<matrix_a, 16, 16, k, Element, row_major>& a,
                                         const fragment<matrix_b, 16, 16, k, Element, row_major>& b,
                                         const fragment<accumulator, 16, 16, k, float, void>& c) {
  namespace emulated = ridgeline::emulated;
  emulated::Pieces mine{};
  for (int i = 0; i < a.num_elements; ++i) {
    mine.left[i] = emulated::widened(a.x[i]);
    mine.right[i] = emulated::widened(b.x[i]);
  }
  for (int i = 0; i < 8; ++i) mine.sums[i] = c.x[i];
  emulated::multiply_pieces(mine, k);
  for (int i = 0; i < 8; ++i) d.x[i] = mine.sums[i];
}

}  // namespace nvcuda::wmma
