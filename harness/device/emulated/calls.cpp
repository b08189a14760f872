#include "harness/device/emulated/calls.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "harness/base/half.hpp"
#include "harness/device/emulated/machine.hpp"

// In every function that a kernel calls: where it returns to.
#define RIDGELINE_CALLER static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)))

namespace ridgeline::device::emulated {
namespace {

uint3 of(const dim3& size) { return {size.x, size.y, size.z}; }

template <class T>
std::uint64_t update_as(void* at, std::uint64_t bits, std::uint64_t compared, Update kind) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto number = [](std::uint64_t value) { return std::bit_cast<T>(static_cast<Bits>(value)); };
  const T operand = number(bits);
  std::atomic_ref<Bits> word(*static_cast<Bits*>(at));
  Bits before = word.load(std::memory_order_relaxed);
  const auto after = [&](Bits old_bits) -> Bits {
    const T old = number(old_bits);
    switch (kind) {
      case Update::add:
        if constexpr (std::is_integral_v<T>)
          return static_cast<Bits>(old_bits + static_cast<Bits>(bits));
        else
          return std::bit_cast<Bits>(old + operand);
      case Update::minimum:
        return std::bit_cast<Bits>(std::min(old, operand));
      case Update::maximum:
        return std::bit_cast<Bits>(std::max(old, operand));
      case Update::exchange:
        return static_cast<Bits>(bits);
      case Update::compare_and_swap:
        return old_bits == static_cast<Bits>(compared) ? static_cast<Bits>(bits) : old_bits;
      case Update::bit_and:
        return old_bits & static_cast<Bits>(bits);
      case Update::bit_or:
        return old_bits | static_cast<Bits>(bits);
      case Update::bit_xor:
        return old_bits ^ static_cast<Bits>(bits);
    }
    return old_bits;
  };
  while (!word.compare_exchange_weak(before, after(before), std::memory_order_relaxed)) {
  }
  return before;
}

}  // namespace

uint3 thread_index() { return Block::current().lane().index; }
uint3 block_index() { return Block::current().index(); }
uint3 block_size() { return of(Block::current().config().block); }
uint3 grid_size() { return of(Block::current().config().grid); }
void* dynamic_shared() { return Block::current().dynamic_shared(); }

void block_barrier(std::uint32_t place) { Block::current().barrier(place, RIDGELINE_CALLER, Combine::any, 0); }
int block_barrier(std::uint32_t place, Combine combine, int predicate) {
  return Block::current().barrier(place, RIDGELINE_CALLER, combine, predicate);
}

void warp_barrier(std::uint32_t mask) {
  int nothing = 0;
  Block::current().collective(mask, RIDGELINE_CALLER, Act::warp_barrier, nothing, [](int* const*) {});
}

std::uint64_t shuffle(std::uint32_t mask, std::uint64_t bits, int lane, int width, Shuffle kind) {
  struct Operands {
    std::uint64_t in, out;
    int lane;
  } mine{bits, bits, lane};
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  block.collective(mask, pc, Act::collective, mine, [&](Operands* const* all) {
    for (int i = 0; i < 32; ++i) {
      if (all[i] == nullptr) continue;
      const int first = i & ~(width - 1), last = first + width - 1, asked = all[i]->lane;
      int from = i;
      switch (kind) {
        case Shuffle::index:
          from = first + (asked & (width - 1));
          break;
        case Shuffle::up:
          from = i - asked < first ? i : i - asked;
          break;
        case Shuffle::down:
          from = i + asked > last ? i : i + asked;
          break;
        case Shuffle::exclusive_or:
          from = (i ^ asked) > last ? i : i ^ asked;
          break;
      }
      if (all[from] == nullptr)
        block.stop("shuffle from a lane that does not take part", pc, from, "its value is undefined");
      all[i]->out = all[from]->in;
    }
  });
  return mine.out;
}

std::uint32_t ballot(std::uint32_t mask, int predicate) {
  struct Operands {
    int predicate;
    std::uint32_t out;
  } mine{predicate, 0};
  Block::current().collective(mask, RIDGELINE_CALLER, Act::collective, mine, [](Operands* const* all) {
    std::uint32_t holds = 0;
    for (int i = 0; i < 32; ++i)
      if (all[i] != nullptr && all[i]->predicate != 0) holds |= 1u << i;
    for (int i = 0; i < 32; ++i)
      if (all[i] != nullptr) all[i]->out = holds;
  });
  return mine.out;
}

std::uint64_t update(void* at, std::uint64_t bits, std::uint64_t compared, Update kind, Number number) {
  const bool wide = number >= Number::u64;
  Block::current().check_and_log(reinterpret_cast<std::uint64_t>(at), RIDGELINE_CALLER, Act::atomic, wide ? 8 : 4);
  switch (number) {
    case Number::u32:
      return update_as<std::uint32_t>(at, bits, compared, kind);
    case Number::i32:
      return update_as<std::int32_t>(at, bits, compared, kind);
    case Number::f32:
      return update_as<float>(at, bits, compared, kind);
    case Number::u64:
      return update_as<std::uint64_t>(at, bits, compared, kind);
    case Number::i64:
      return update_as<std::int64_t>(at, bits, compared, kind);
    case Number::f64:
      return update_as<double>(at, bits, compared, kind);
  }
  return 0;
}

void copy_async(void* to_shared, const void* from_global, bool inside) {
  Block::current().copy_async(to_shared, from_global, inside, RIDGELINE_CALLER);
}
void copy_commit() { Block::current().copy_commit(); }
void copy_wait(int groups) { Block::current().copy_wait(groups, RIDGELINE_CALLER); }

Matrices load_matrices(const void* row, bool transposed) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  block.check_and_log(reinterpret_cast<std::uint64_t>(row), pc, Act::read, 16);
  struct Operands {
    const std::uint16_t* row;
    Matrices out;
  } mine{static_cast<const std::uint16_t*>(row), {}};
  block.collective(0xFFFFFFFFu, pc, Act::collective, mine, [transposed](Operands* const* all) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int matrix = 0; matrix < 4; ++matrix) {
        const auto element = [&](int row_of_matrix, int column) -> std::uint32_t {
          return all[8 * matrix + row_of_matrix]->row[column];
        };
        const int one = lane / 4, two = lane % 4 * 2;
        all[lane]->out.parts[matrix] = transposed ? element(two, one) | element(two + 1, one) << 16
                                                  : element(one, two) | element(one, two + 1) << 16;
      }
    }
  });
  return mine.out;
}

Sums multiply(Sums sums, Matrices left, std::uint32_t right_low, std::uint32_t right_high, bool bfloat) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  struct Operands {
    Matrices left;
    std::uint32_t right[2];
    Sums sums;
  } mine{left, {right_low, right_high}, sums};
  Block& block = Block::current();
  block.collective(0xFFFFFFFFu, pc, Act::collective, mine, [&](Operands* const* all) {
    const auto value = [bfloat](std::uint32_t pair, int half) {
      const auto bits = static_cast<std::uint16_t>(pair >> 16 * half);
      return bfloat ? from_bf16(bits) : from_f16(bits);
    };
    float a[16][16], b[8][16], c[16][8];
    for (int lane = 0; lane < 32; ++lane) {
      const Operands& of = *all[lane];
      const int row = lane / 4, column = lane % 4 * 2;
      for (int half = 0; half < 2; ++half) {
        for (int part = 0; part < 4; ++part)
          a[row + part % 2 * 8][column + part / 2 * 8 + half] = value(of.left.parts[part], half);
        for (int part = 0; part < 2; ++part) b[row][column + part * 8 + half] = value(of.right[part], half);
        c[row][column + half] = of.sums.parts[half];
        c[row + 8][column + half] = of.sums.parts[2 + half];
      }
    }
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 8; ++j) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += a[i][k] * b[j][k];
        c[i][j] += sum;
      }
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
  block.collective(0xFFFFFFFFu, pc, Act::collective, mine, [&](Pieces* const* all) {
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
      for (int column = 0; column < 16; ++column) {
        float sum = 0;
        for (int k = 0; k < depth; ++k) sum += left[k] * b[k][column];
        row[column] += sum;
      }
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) all[lane]->sums[i] = c[lane / 4 + i / 2 % 2 * 8][i / 4 * 8 + lane % 4 * 2 + i % 2];
    for (int half = 0; half < 2; ++half) block.count_tensor_instruction(pc);  // each of 16 x 8 sums
  });
}

void unsupported(const char* what) { Block::current().stop("unsupported", RIDGELINE_CALLER, -1, what); }

void launch(const LaunchConfig& config, void* machine, const KernelCall& call) {
  static_cast<Machine*>(machine)->launch(config, call);
}

}  // namespace ridgeline::device::emulated
