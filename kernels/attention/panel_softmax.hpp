#pragma once

#include <cstdint>

// Softmax of a panel: a keys x columns array in which each column belongs to a query, so that all
// steps are vertical. Like gemm/register_tile.hpp, this header is included after a target pragma
// and includes no library code.

namespace ridgeline::attention {

struct PanelSoftmax {
  int columns;
  /// One step of the online softmax (Milakov and Gimelshein, arXiv:1805.02867) over scores that are
  /// multiples of log 2. largest and sum are the state of each column (-inf and 0 at first). Sets
  /// p = 2^(score - new largest), and factor to what earlier results must be multiplied with. p may
  /// be scores. Each column needs one score above -inf.
  void (*update)(const float* scores, float* p, std::int64_t keys, float* largest, float* sum,
                 float* factor);
  /// Multiplies each of `rows` rows of a panel by the factors of its columns.
  void (*scale)(const float* from, float* to, std::int64_t rows, const float* factor);
};

extern const PanelSoftmax softmax_avx512, softmax_avx2, softmax_baseline;

/// The softmax for panels of as many columns as gemm's widest tile has.
const PanelSoftmax& widest_softmax();

namespace {

template <int lanes>
struct Vectors {
  using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
  using Ints [[gnu::vector_size(lanes * sizeof(float))]] = std::int32_t;
};

/// 2^x for x <= 0, to about 2 units in the last place; 0 below 2^-126; NaN stays NaN. x = i + f
/// with |f| <= 1/2; 2^f by its Taylor series, whose eighth term is below 2^-27.
template <int lanes>
[[gnu::always_inline]] inline void exp2_in_place(typename Vectors<lanes>::Floats& x) {
  using Floats = typename Vectors<lanes>::Floats;
  using Ints = typename Vectors<lanes>::Ints;
  const Floats inside = x < -126.0f ? Floats{} - 126.0f : x;
  constexpr float to_integer = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer, found in
                                             // the low bits
  const Floats shifted = inside + to_integer;
  const Ints i = (Ints)shifted - 0x4B400000;
  const Floats f = inside - (shifted - to_integer);
  Floats sum = f * 1.52527338e-5f + 1.54035304e-4f;
  sum = sum * f + 1.33335581e-3f;
  sum = sum * f + 9.61812911e-3f;
  sum = sum * f + 5.55041087e-2f;
  sum = sum * f + 2.40226507e-1f;
  sum = sum * f + 6.93147181e-1f;
  sum = sum * f + 1.0f;
  const Floats power = (Floats)((i + 127) << 23);
  x = x < -126.0f ? Floats{} : sum * power;
}

template <int lanes, int vectors>
void update(const float* scores, float* p, std::int64_t keys, float* largest, float* sum,
            float* factor) {
  using Floats = typename Vectors<lanes>::Floats;
  constexpr int columns = lanes * vectors;
#pragma GCC unroll 4
  for (std::int64_t v = 0; v < vectors; ++v) {
    Floats before, most, total, score;
    __builtin_memcpy(&before, largest + v * lanes, sizeof before);
    __builtin_memcpy(&total, sum + v * lanes, sizeof total);
    most = before;
    for (std::int64_t j = 0; j < keys; ++j) {
      __builtin_memcpy(&score, scores + j * columns + v * lanes, sizeof score);
      most = score > most ? score : most;
    }
    Floats shrink = before - most;
    exp2_in_place<lanes>(shrink);
    total *= shrink;
    for (std::int64_t j = 0; j < keys; ++j) {
      __builtin_memcpy(&score, scores + j * columns + v * lanes, sizeof score);
      score -= most;
      exp2_in_place<lanes>(score);
      total += score;
      __builtin_memcpy(p + j * columns + v * lanes, &score, sizeof score);
    }
    __builtin_memcpy(largest + v * lanes, &most, sizeof most);
    __builtin_memcpy(sum + v * lanes, &total, sizeof total);
    __builtin_memcpy(factor + v * lanes, &shrink, sizeof shrink);
  }
}

template <int lanes, int vectors>
void scale(const float* from, float* to, std::int64_t rows, const float* factor) {
  using Floats = typename Vectors<lanes>::Floats;
  for (std::int64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < vectors; ++v) {
      Floats value, by;
      __builtin_memcpy(&value, from + (row * vectors + v) * lanes, sizeof value);
      __builtin_memcpy(&by, factor + v * lanes, sizeof by);
      value *= by;
      __builtin_memcpy(to + (row * vectors + v) * lanes, &value, sizeof value);
    }
  }
}

template <int lanes, int vectors>
constexpr PanelSoftmax make_softmax() {
  return {lanes * vectors, update<lanes, vectors>, scale<lanes, vectors>};
}

}  // namespace
}  // namespace ridgeline::attention
