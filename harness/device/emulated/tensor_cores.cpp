#include "harness/device/emulated/tensor_cores.hpp"

#include <bit>
#include <cstring>

#include "harness/device/emulated/block.hpp"

// In every function that a kernel calls: where it returns to.
#define RIDGELINE_CALLER static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)))

namespace ridgeline::device::emulated {
namespace {

constexpr std::uint32_t whole_warp = 0xFFFFFFFFu;

/// As tensor cores read a float for tf32: without its 13 lowest bits.
float from_tf32(std::uint32_t bits) { return std::bit_cast<float>(bits & 0xFFFFE000u); }

// What from_bf16() and from_f16() say, inlined: a product asks 384 times.
inline float widened_bf16(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }
inline float widened_f16(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7FFF;
  // Shifted to a float's place the exponent is 112 too small; for numbers below 2^-14, the product restores it, too.
  const float value = magnitude >= 0x7C00 ? std::bit_cast<float>(0x7F800000u | magnitude << 13)
                                          : std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return (bits & 0x8000) != 0 ? -value : value;
}

}  // namespace

// Source of the layouts: PTX ISA, "ldmatrix", "stmatrix" and "Matrix Fragments for mma.m16n8k16 with floating point
// type".

Matrices load_matrices(const void* row, int count, bool transposed) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  const int mine_is = block.lane().thread % 32;
  // The addresses of the other lanes are not looked at.
  if (mine_is < 8 * count) block.check_and_log(reinterpret_cast<std::uint64_t>(row), pc, Act::read, 16);
  struct Operands {
    const std::uint16_t* row;
    Matrices out;
  } mine{static_cast<const std::uint16_t*>(row), {}};
  block.collective(whole_warp, pc, Act::collective, mine, [count, transposed](Operands* const* all) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int matrix = 0; matrix < count; ++matrix) {
        const auto element = [&](int row_of_matrix, int column) -> std::uint32_t {
          return all[8 * matrix + row_of_matrix]->row[column];
        };
        const int one = lane / 4, two = lane % 4 * 2;
        std::uint32_t& part = all[lane]->out.parts[matrix];
        if (transposed)
          part = element(two, one) | element(two + 1, one) << 16;
        else
          std::memcpy(&part, all[8 * matrix + one]->row + two, sizeof part);
      }
    }
  });
  return mine.out;
}

void store_matrices(void* row, const Matrices& from, int count, bool transposed) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  if (block.lane().thread % 32 < 8 * count)
    block.check_and_log(reinterpret_cast<std::uint64_t>(row), pc, Act::write, 16);
  struct Operands {
    std::uint16_t* row;
    Matrices parts;
  } mine{static_cast<std::uint16_t*>(row), from};
  block.collective(whole_warp, pc, Act::collective, mine, [count, transposed](Operands* const* all) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int matrix = 0; matrix < count; ++matrix) {
        for (int half = 0; half < 2; ++half) {
          const auto value = static_cast<std::uint16_t>(all[lane]->parts.parts[matrix] >> 16 * half);
          const int one = lane / 4, two = lane % 4 * 2 + half;
          all[8 * matrix + (transposed ? two : one)]->row[transposed ? one : two] = value;
        }
      }
    }
  });
}

Sums multiply(Factor type, Sums sums, Matrices left, std::uint32_t right_low, std::uint32_t right_high) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  struct Operands {
    Matrices left;
    std::uint32_t right[2];
    Sums sums;
  } mine{left, {right_low, right_high}, sums};
  Block& block = Block::current();
  block.collective(whole_warp, pc, Act::collective, mine, [&](Operands* const* all) {
    const bool wide = type == Factor::tf32;
    const int held = wide ? 1 : 2;  // elements in a register
    const int depth = wide ? 8 : 16;
    const auto value = [type](std::uint32_t bits, int half) {
      if (type == Factor::tf32) return from_tf32(bits);
      const std::uint32_t of_half = bits >> 16 * half & 0xFFFF;
      return type == Factor::bf16 ? widened_bf16(of_half) : widened_f16(of_half);
    };
    using Row = float __attribute__((vector_size(32)));  // eight sums at once, each in the order of k
    float a[16][16], c[16][8];
    Row b[16];
    for (int lane = 0; lane < 32; ++lane) {
      const Operands& of = *all[lane];
      const int row = lane / 4, pair = lane % 4 * 2, first = lane % 4 * held;
      for (int half = 0; half < held; ++half) {
        for (int part = 0; part < 4; ++part)
          a[row + part % 2 * 8][first + part / 2 * (depth / 2) + half] = value(of.left.parts[part], half);
        for (int part = 0; part < 2; ++part) b[first + part * (depth / 2) + half][row] = value(of.right[part], half);
      }
      for (int half = 0; half < 2; ++half) {
        c[row][pair + half] = of.sums.parts[half];
        c[row + 8][pair + half] = of.sums.parts[2 + half];
      }
    }
    for (int i = 0; i < 16; ++i) {
      Row row{};
      for (int k = 0; k < depth; ++k) row += a[i][k] * b[k];
      for (int j = 0; j < 8; ++j) c[i][j] += row[j];
    }
    for (int lane = 0; lane < 32; ++lane) {
      for (int part = 0; part < 4; ++part)
        all[lane]->sums.parts[part] = c[lane / 4 + part / 2 * 8][lane % 4 * 2 + part % 2];
    }
    block.count_tensor_instruction(pc);
  });
  return mine.sums;
}

void multiply_pieces(Pieces& mine, int depth) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  block.collective(whole_warp, pc, Act::collective, mine, [&](Pieces* const* all) {
    const int elements = depth == 16 ? 8 : 4;  // of a piece
    const int right_rows = depth;              // each of 16 elements
    float a[16][16], b[16][16], c[16][16];
    for (int lane = 0; lane < 32; ++lane) {
      const Pieces& of = *all[lane];
      for (int i = 0; i < elements; ++i) {
        a[lane % 16][lane / 16 * elements + i] = of.left[i];
        b[lane % right_rows][lane / right_rows * elements + i] = of.right[i];
      }
      for (int i = 0; i < 8; ++i) c[lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2] = of.sums[i];
    }
    for (auto& row : c) {
      const float* const left = a[&row - c];
      float sums[16] = {};
      for (int k = 0; k < depth; ++k)
        for (int column = 0; column < 16; ++column) sums[column] += left[k] * b[k][column];
      for (int column = 0; column < 16; ++column) row[column] += sums[column];
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) all[lane]->sums[i] = c[lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2];
    for (int half = 0; half < 2; ++half) block.count_tensor_instruction(pc);  // each of 16 x 8 sums
  });
}

}  // namespace ridgeline::device::emulated
