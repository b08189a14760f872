#include "harness/emulated/tensor_cores.hpp"

#include <bit>
#include <cstring>

#include "harness/emulated/block.hpp"

namespace ridgeline::emulated {
namespace {

constexpr std::uint32_t whole_warp = 0xFFFFFFFFu;

// Sums are made by vectors where the machine has them, and come out the same everywhere: in the
// order of k, each product and each sum rounded by itself.
#ifdef __x86_64__
#define RIDGELINE_VECTORS [[gnu::target_clones("avx2", "default")]]
#else
#define RIDGELINE_VECTORS
#endif

/// The factors of a product: a word of 32 bits has two elements of 16 bits, or one of tf32. Those
/// that come first in their words, and those behind them.
constexpr int words_of_row = 8;
struct LeftFactor {
  alignas(32) float elements[2][32][4];  // as lanes hold them, to save taking them apart
};
struct RightFactor {
  alignas(32) float elements[2][words_of_row][8];
};

/// As tensor cores read a float for tf32: without its 13 lowest bits.
RIDGELINE_VECTORS void widen_tf32(const std::uint32_t* from, float* to, float*, int count) {
  for (int i = 0; i < count; ++i) to[i] = std::bit_cast<float>(from[i] & 0xFFFFE000u);
}

// What from_bf16() and from_f16() say.
RIDGELINE_VECTORS void widen_bf16(const std::uint32_t* from, float* first, float* second,
                                  int count) {
  for (int i = 0; i < count; ++i) {
    first[i] = std::bit_cast<float>(from[i] << 16);
    second[i] = std::bit_cast<float>(from[i] & 0xFFFF0000u);
  }
}
[[gnu::always_inline]] inline float widened_f16(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7FFFu, sign = (bits & 0x8000u) << 16;
  // Shifted to a float's place the exponent is 112 too small; for numbers below 2^-14, the product
  // restores it, too.
  const auto finite =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  return std::bit_cast<float>(sign |
                              (magnitude >= 0x7C00 ? 0x7F800000u | magnitude << 13 : finite));
}
RIDGELINE_VECTORS void widen_f16(const std::uint32_t* from, float* first, float* second,
                                 int count) {
  for (int i = 0; i < count; ++i) {
    first[i] = widened_f16(from[i] & 0xFFFFu);
    second[i] = widened_f16(from[i] >> 16);
  }
}

/// c += a b, of words with so many elements.
RIDGELINE_VECTORS void add_product(const LeftFactor& a, const RightFactor& b, float (&c)[16][8],
                                   int elements) {
  using Row = float __attribute__((vector_size(32)));
  for (int row = 0; row < 8; row += 2) {
    // Of several rows, so that one sum need not wait for another: these two and those 8 behind.
    Row sums[2][2] = {}, before, of_b;
    const auto add = [&](int element, int word) {
      std::memcpy(&of_b, b.elements[element][word], sizeof of_b);
      for (int half = 0; half < 2; ++half)
        for (int i = 0; i < 2; ++i)
          sums[half][i] +=
              a.elements[element][4 * (row + i) + word % 4][word / 4 * 2 + half] * of_b;
    };
    for (int word = 0; word < words_of_row; ++word) {
      add(0, word);
      if (elements == 2) add(1, word);
    }
    for (int half = 0; half < 2; ++half)
      for (int i = 0; i < 2; ++i) {
        float* const of_c = c[8 * half + row + i];
        std::memcpy(&before, of_c, sizeof before);
        before += sums[half][i];
        std::memcpy(of_c, &before, sizeof before);
      }
  }
}

/// What a lane has of a product.
struct Operands {
  Matrices left;
  std::uint32_t right[2];
  Sums sums;
};

void multiply_together(Factor type, Operands* const* all) {
  alignas(32) std::uint32_t left[32][4];
  alignas(32) std::uint32_t right[words_of_row][8];
  alignas(32) float c[16][8];
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const Operands& of = *all[lane];
    const std::size_t row = lane / 4, column = lane % 4;
    std::memcpy(left[lane], of.left.parts, sizeof left[lane]);
    right[column][row] = of.right[0];
    right[column + 4][row] = of.right[1];
    std::memcpy(&c[row][2 * column], of.sums.parts, 2 * sizeof(float));
    std::memcpy(&c[row + 8][2 * column], of.sums.parts + 2, 2 * sizeof(float));
  }
  const auto widen = type == Factor::tf32   ? widen_tf32
                     : type == Factor::bf16 ? widen_bf16
                                            : widen_f16;
  LeftFactor a;
  RightFactor b;
  widen(left[0], a.elements[0][0], a.elements[1][0], 32 * 4);
  widen(right[0], b.elements[0][0], b.elements[1][0], words_of_row * 8);
  add_product(a, b, c, type == Factor::tf32 ? 1 : 2);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    Sums& sums = all[lane]->sums;
    std::memcpy(sums.parts, &c[lane / 4][lane % 4 * 2], 2 * sizeof(float));
    std::memcpy(sums.parts + 2, &c[lane / 4 + 8][lane % 4 * 2], 2 * sizeof(float));
  }
}

/// A row of a matrix, and what the lane gets.
struct Load {
  const std::uint16_t* row;
  Matrices out;
};

void load_together(Load* const* all, int count, bool transposed) {
  for (int lane = 0; lane < 32; ++lane) {
    Matrices& out = all[lane]->out;
    const int one = lane / 4, two = lane % 4 * 2;
    for (int matrix = 0; matrix < count; ++matrix) {
      Load* const* const of = all + std::ptrdiff_t{8} * matrix;
      if (transposed)
        out.parts[matrix] = of[two]->row[one] | std::uint32_t{of[two + 1]->row[one]} << 16;
      else
        std::memcpy(&out.parts[matrix], of[one]->row + two, sizeof out.parts[matrix]);
    }
  }
}

}  // namespace

// Source of the layouts: PTX ISA, "ldmatrix", "stmatrix" and "Matrix Fragments for mma.m16n8k16
// with floating point type".

RIDGELINE_RETURNS_BY_JUMP Matrices load_matrices(const void* row, int count, bool transposed) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  const int mine_is = block.lanes.running().thread % 32;
  // The addresses of the other lanes are not looked at.
  if (mine_is < 8 * count)
    block.check_and_log(reinterpret_cast<std::uint64_t>(row), pc, Act::read, 16);
  Load mine{static_cast<const std::uint16_t*>(row), {}};
  block.lanes.collective(whole_warp, pc, Act::collective, mine,
                         [=](Load* const* all) { load_together(all, count, transposed); });
  return mine.out;
}

RIDGELINE_RETURNS_BY_JUMP void store_matrices(void* row, const Matrices& from, int count,
                                              bool transposed) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  if (block.lanes.running().thread % 32 < 8 * count)
    block.check_and_log(reinterpret_cast<std::uint64_t>(row), pc, Act::write, 16);
  struct Operands {
    std::uint16_t* row;
    Matrices parts;
  } mine{static_cast<std::uint16_t*>(row), from};
  block.lanes.collective(
      whole_warp, pc, Act::collective, mine, [count, transposed](Operands* const* all) {
        for (int lane = 0; lane < 32; ++lane) {
          for (int matrix = 0; matrix < count; ++matrix) {
            for (int half = 0; half < 2; ++half) {
              const auto value =
                  static_cast<std::uint16_t>(all[lane]->parts.parts[matrix] >> 16 * half);
              const int one = lane / 4, two = lane % 4 * 2 + half;
              all[8 * matrix + (transposed ? two : one)]->row[transposed ? one : two] = value;
            }
          }
        }
      });
}

RIDGELINE_RETURNS_BY_JUMP Sums multiply(Factor type, Sums sums, Matrices left,
                                        std::uint32_t right_low, std::uint32_t right_high) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Operands mine{left, {right_low, right_high}, sums};
  Block& block = Block::current();
  block.lanes.collective(whole_warp, pc, Act::collective, mine,
                         [&block, type, pc](Operands* const* all) {
                           multiply_together(type, all);
                           block.count_tensor_instruction(pc);
                         });
  return mine.sums;
}

RIDGELINE_RETURNS_BY_JUMP void multiply_pieces(Pieces& mine, int depth) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  block.lanes.collective(whole_warp, pc, Act::collective, mine, [&](Pieces* const* all) {
    const int elements = depth == 16 ? 8 : 4;  // of a piece
    const int right_rows = depth;              // each of 16 elements
    float a[16][16], b[16][16], c[16][16];
    for (int lane = 0; lane < 32; ++lane) {
      const Pieces& of = *all[lane];
      for (int i = 0; i < elements; ++i) {
        a[lane % 16][lane / 16 * elements + i] = of.left[i];
        b[lane % right_rows][lane / right_rows * elements + i] = of.right[i];
      }
      for (int i = 0; i < 8; ++i)
        c[lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2] = of.sums[i];
    }
    for (auto& row : c) {
      const float* const left = a[&row - c];
      float sums[16] = {};
      for (int k = 0; k < depth; ++k)
        for (int column = 0; column < 16; ++column) sums[column] += left[k] * b[k][column];
      for (int column = 0; column < 16; ++column) row[column] += sums[column];
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i)
        all[lane]->sums[i] = c[lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2];
    for (int half = 0; half < 2; ++half) block.count_tensor_instruction(pc);  // each of 16 x 8 sums
  });
}

}  // namespace ridgeline::emulated
