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

/// As tensor cores read a float for tf32: without its 13 lowest bits.
RIDGELINE_VECTORS void widen_tf32(const std::uint32_t* from, float* to, int count) {
  for (int i = 0; i < count; ++i) to[i] = std::bit_cast<float>(from[i] & 0xFFFFE000u);
}

// What from_bf16() and from_f16() say.
RIDGELINE_VECTORS void widen_bf16(const std::uint16_t* from, float* to, int count) {
  for (int i = 0; i < count; ++i) to[i] = std::bit_cast<float>(std::uint32_t{from[i]} << 16);
}
RIDGELINE_VECTORS void widen_f16(const std::uint16_t* from, float* to, int count) {
  for (int i = 0; i < count; ++i) {
    const std::uint32_t magnitude = from[i] & 0x7FFFu, sign = (from[i] & 0x8000u) << 16;
    // Shifted to a float's place the exponent is 112 too small; for numbers below 2^-14, the
    // product restores it, too.
    const auto finite =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
    to[i] =
        std::bit_cast<float>(sign | (magnitude >= 0x7C00 ? 0x7F800000u | magnitude << 13 : finite));
  }
}

/// c += a b: a has 16 rows of `depth` elements, b `depth` rows of 8, c 16 of 8.
RIDGELINE_VECTORS void add_product(const float* a, const float* b, float* c, int depth) {
  using Row = float __attribute__((vector_size(32)));
  constexpr int together = 4;  // rows, so that one sum need not wait for another
  for (int i = 0; i < 16; i += together) {
    Row sums[together] = {}, before, of_b;
    for (int k = 0; k < depth; ++k) {
      std::memcpy(&of_b, b + std::ptrdiff_t{8} * k, sizeof of_b);
      for (int row = 0; row < together; ++row) sums[row] += a[depth * (i + row) + k] * of_b;
    }
    for (int row = 0; row < together; ++row) {
      float* const of_c = c + std::ptrdiff_t{8} * (i + row);
      std::memcpy(&before, of_c, sizeof before);
      before += sums[row];
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
  // Factors as they are held: 16-bit elements, or one of tf32 in the place of two.
  alignas(32) std::uint32_t left[16][8];
  alignas(32) std::uint32_t right_wide[8][8];
  alignas(32) std::uint16_t right[16][8];
  alignas(32) float a[16 * 16], b[16 * 8], c[16][8];
  const int depth = type == Factor::tf32 ? 8 : 16;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const Operands& of = *all[lane];
    const std::size_t row = lane / 4, column = lane % 4;
    for (std::size_t part = 0; part < 4; ++part)
      left[row + part % 2 * 8][column + part / 2 * 4] = of.left.parts[part];
    for (std::size_t part = 0; part < 2; ++part) {
      right_wide[column + part * 4][row] = of.right[part];
      for (std::size_t half = 0; half < 2; ++half)
        right[2 * column + part * 8 + half][row] =
            static_cast<std::uint16_t>(of.right[part] >> 16 * half);
    }
    std::memcpy(&c[row][2 * column], of.sums.parts, 2 * sizeof(float));
    std::memcpy(&c[row + 8][2 * column], of.sums.parts + 2, 2 * sizeof(float));
  }
  if (type == Factor::tf32) {
    widen_tf32(&left[0][0], a, 16 * depth);
    widen_tf32(&right_wide[0][0], b, 8 * depth);
  } else {
    const auto widen = type == Factor::bf16 ? widen_bf16 : widen_f16;
    std::uint16_t halves[16 * 16];
    std::memcpy(halves, left, sizeof halves);
    widen(halves, a, 16 * depth);
    widen(&right[0][0], b, 8 * depth);
  }
  add_product(a, b, &c[0][0], depth);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::memcpy(all[lane]->sums.parts, &c[lane / 4][lane % 4 * 2], 2 * sizeof(float));
    std::memcpy(all[lane]->sums.parts + 2, &c[lane / 4 + 8][lane % 4 * 2], 2 * sizeof(float));
  }
}

/// A row of a matrix, and what the lane gets.
struct Load {
  const std::uint16_t* row;
  Matrices out;
};

void load_together(Load* const* all, int count, bool transposed) {
  for (int matrix = 0; matrix < count; ++matrix) {
    std::uint16_t rows[8][8];
    for (int row = 0; row < 8; ++row)
      std::memcpy(rows[row], all[8 * matrix + row]->row, sizeof rows[row]);
    for (int lane = 0; lane < 32; ++lane) {
      const int one = lane / 4, two = lane % 4 * 2;
      std::uint32_t& part = all[lane]->out.parts[matrix];
      if (transposed)
        part = rows[two][one] | std::uint32_t{rows[two + 1][one]} << 16;
      else
        std::memcpy(&part, &rows[one][two], sizeof part);
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
