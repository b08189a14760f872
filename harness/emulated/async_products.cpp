#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/core.h>

#include "harness/base/e4m3.hpp"
#include "harness/base/half.hpp"
#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/block.hpp"

// Products of warpgroups. Each warp has the 16 rows of its place in the warpgroup. Source: PTX ISA,
// "Asynchronous Warpgroup Level Matrix Instructions" and "Matrix Descriptor Format".
namespace ridgeline::emulated {
namespace {

constexpr std::uint32_t whole_warp = 0xFFFFFFFFu;
constexpr int rows_of_warp = 16;
constexpr std::uint32_t not_a_sum = 0xFFFFFFFFu;  // NaN: what a lane finds where sums are under way

struct Descriptor {
  std::uint32_t start;
  std::uint64_t leading, stride;
  unsigned base, swizzle_bytes;

  explicit Descriptor(std::uint64_t bits)
      : start(static_cast<std::uint32_t>(bits & 0xFFFF) << 4),
        leading((bits >> 16 & 0x3FFF) << 4),
        stride((bits >> 32 & 0x3FFF) << 4),
        base(static_cast<unsigned>(bits >> 49 & 7)),
        swizzle_bytes(bits >> 62 == 0 ? 0 : 256u >> (bits >> 62)) {}

  /// Where piece `half` (16 bytes) of a row lies.
  std::uint32_t piece(int row, int half) const {
    const auto at = static_cast<std::uint64_t>(row);
    const auto of_row = static_cast<std::uint64_t>(half);
    if (swizzle_bytes == 0)
      return static_cast<std::uint32_t>(start + at / 8 * stride + at % 8 * 16 + of_row * leading);
    return static_cast<std::uint32_t>(
        swizzled(start + at / 8 * stride + at % 8 * swizzle_bytes + of_row * 16, swizzle_bytes));
  }
  /// Of a transposed factor, where piece `eight` (columns from 8 `eight` on) of row `k` of K lies.
  std::uint32_t transposed_piece(int k, int eight) const {
    const auto row = static_cast<std::uint64_t>(k);
    const std::uint64_t byte = static_cast<std::uint64_t>(eight) * 16;
    const std::uint64_t span = std::max(swizzle_bytes, 1u);  // check_factors() refuses 0
    return static_cast<std::uint32_t>(
        swizzled(start + byte / span * leading + row / 8 * stride + row % 8 * span + byte % span,
                 swizzle_bytes));
  }
};

// Of 16-bit elements, which alone may be transposed.
constexpr int rows_of_k = 16;

/// Where piece `i` of the right factor's 2 `columns` pieces lies.
std::uint32_t right_piece(const Descriptor& right, const Product& product, int i) {
  return product.transposed ? right.transposed_piece(i % rows_of_k, i / rows_of_k)
                            : right.piece(i / 2, i % 2);
}

constexpr int most_depth = 32;  // elements of a row of a factor: 32 bytes
int depth_of(Factor type) {
  return type == Factor::tf32 ? 8 : type == Factor::e4m3 ? most_depth : 16;
}

/// sum + sign * a b, as tensor cores add products of e4m3: they bring the sum and all products,
/// which are exact, to the largest exponent among them, cut what is below 2^-13 of it, and add up.
/// By vectors where the machine has them, which come to the same.
#ifdef __x86_64__
[[gnu::target_clones("avx2", "default")]]
#endif
float add_e4m3(const float* a, const float* b, float sign, float sum) {
  constexpr std::int32_t exponent_bits = 0x7F800000;
  float products[most_depth];
  std::int32_t largest = std::bit_cast<std::int32_t>(sum) & exponent_bits;
  for (int k = 0; k < most_depth; ++k) {
    products[k] = sign * a[k] * b[k];
    largest = std::max(largest, std::bit_cast<std::int32_t>(products[k]) & exponent_bits);
  }
  if (largest == 0) return 0;
  if (largest == exponent_bits) return sum + std::bit_cast<float>(not_a_sum);  // NaN among them
  const auto steps =                                                           // in 1
      std::bit_cast<float>(((2u * 127u + 13u) << 23) - static_cast<std::uint32_t>(largest));
  auto total = static_cast<std::int32_t>(sum * steps);
  for (const float product : products) total += static_cast<std::int32_t>(product * steps);
  return static_cast<float>(total) / steps;
}

/// Where piece `i` of the 32 that a warp reads of the left factor lies.
std::uint32_t left_piece(const Descriptor& left, const Product& product, int warp, int i) {
  const int first = warp % 4 * rows_of_warp;
  return product.left_transposed ? left.transposed_piece(i % rows_of_k, first / 8 + i / rows_of_k)
                                 : left.piece(first + i / 2, i % 2);
}

/// What of a transposed factor's piece `i` belongs where: columns (rows, of a left one) in turn.
void spread(const float (&of_columns)[8], int i, float (*to)[most_depth]) {
  for (int column = 0; column < 8; ++column)
    to[i / rows_of_k * 8 + column][i % rows_of_k] = of_columns[column];
}

/// 16 bytes of a row as numbers; returns how many.
int widen(const std::byte* bytes, Factor type, float* to, int at) {
  if (type == Factor::e4m3) {
    for (int i = 0; i < 16; ++i) to[at + i] = from_e4m3(std::to_integer<std::uint8_t>(bytes[i]));
    return 16;
  }
  if (type == Factor::tf32) {
    for (int i = 0; i < 4; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + std::ptrdiff_t{4} * i, 4);
      to[at + i] = std::bit_cast<float>(word & 0xFFFFE000u);
    }
    return 4;
  }
  for (int i = 0; i < 8; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes + std::ptrdiff_t{2} * i, 2);
    to[at + i] = type == Factor::bf16 ? from_bf16(half) : from_f16(half);
  }
  return 8;
}

std::uint64_t mixed(std::uint64_t sequence, std::uint64_t value) {
  return (std::rotl(sequence, 5) ^ value) * 0x9E3779B97F4A7C15u + 1;
}

}  // namespace

std::uint32_t AsyncUnit::window_of(const void* shared, std::uint32_t pc) const {
  const auto address = reinterpret_cast<std::uint64_t>(shared);
  const std::uint64_t window = block_.shared.window_of(address);
  if (window >> 20 != 0)
    block_.lanes.stop("not in shared memory", pc, -1, block_.shared.describe(address));
  return static_cast<std::uint32_t>(window);
}

std::byte* AsyncUnit::pointer_of(std::uint32_t window) const {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the emulated device
  return reinterpret_cast<std::byte*>(block_.shared.address_of(window));
}

/// Calls `each(address)` for the 16-byte pieces that the warp reads.
template <class Each>
void AsyncUnit::each_chunk(const Started& started, int warp, Each&& each) const {
  const Product& product = started.product;
  const Descriptor left(product.left), right(product.right);
  for (int i = 0; i < 2 * rows_of_warp && !started.left; ++i)
    each(block_.shared.address_of(left_piece(left, product, warp, i)));
  for (int i = 0; i < 2 * product.columns; ++i)
    each(block_.shared.address_of(right_piece(right, product, i)));
}

void AsyncUnit::check_factors(const Started& started, int warp, std::uint32_t pc) {
  const Product& product = started.product;
  for (const bool is_left : {true, false}) {
    if (is_left && started.left) continue;
    const Descriptor factor(is_left ? product.left : product.right);
    const char* const which = is_left ? "left" : "right";
    if (factor.base != 0)
      block_.lanes.stop("unsupported", pc, -1, "wgmma with a base offset in a descriptor");
    const unsigned pattern = factor.swizzle_bytes * 8;
    if (pattern != 0 && factor.start % pattern / factor.swizzle_bytes != 0)
      block_.lanes.stop(
          "misaligned", pc, -1,
          fmt::format("the {} factor's swizzled rows do not begin at a multiple of {} bytes", which,
                      pattern));
    const SharedMemory::Place place =
        block_.shared.place_of(block_.shared.address_of(factor.start));
    const bool transposed = is_left ? product.left_transposed : product.transposed;
    if (transposed && factor.swizzle_bytes == 0)
      block_.lanes.stop("unsupported", pc, -1, "wgmma with a transposed factor without swizzle");
    const int first = is_left ? warp % 4 * rows_of_warp : 0;
    for (int i = 0; i < 2 * (is_left ? rows_of_warp : product.columns); ++i) {
      const std::uint64_t at = block_.shared.address_of(
          is_left ? left_piece(factor, product, warp, i) : right_piece(factor, product, i));
      if (!place.is_shared || at < place.begin || at + 16 > place.end)
        block_.lanes.stop("out of bounds (shared)", pc, -1,
                          fmt::format("row {} of the {} factor, at {}",
                                      transposed ? i % rows_of_k : first + i / 2, which,
                                      block_.shared.describe(at)));
    }
  }
}

int AsyncUnit::warp_of_group(std::uint32_t pc) {
  const int warp = block_.lanes.running().thread / 32;
  used_ = true;
  if (warp / 4 * 128 + 128 > block_.lanes.threads())
    block_.lanes.stop("no warpgroup", pc, -1,
                      "a warpgroup is four whole warps, the first one a multiple of four");
  return warp;
}

void AsyncUnit::multiply(const Product& product, float* sums, const std::uint32_t* left,
                         std::uint32_t pc) {
  const int warp = warp_of_group(pc);
  struct Operands {
    Product product;
    float* sums;
    const std::uint32_t* left;
  } mine{product, sums, left};
  block_.lanes.collective(whole_warp, pc, Act::warp_event, mine, [&](Operands* const* all) {
    WarpProducts& of_warp = products_[static_cast<std::size_t>(warp)];
    worked_ = true;
    for (int lane = 0; lane < 32; ++lane)
      if (all[lane]->product.left != product.left || all[lane]->product.right != product.right ||
          all[lane]->product.keeps != product.keeps)
        block_.lanes.stop("divergent warpgroup", pc, 32 * warp + lane,
                          "lanes of a warp have different descriptors, or keep their sums or not");
    if (!of_warp.fenced)
      block_.lanes.stop("missing fence (wgmma)", pc, -1,
                        "no wgmma.fence orders the sums' registers before the first product");
    Started started{product, 0, pc};
    if (all[0]->left != nullptr) {
      const auto held = std::ranges::find_if(
          of_warp.lefts, [&](const Left& of) { return of.of[0] == all[0]->left; });
      started.left = static_cast<std::size_t>(held - of_warp.lefts.begin());
      if (held == of_warp.lefts.end()) of_warp.lefts.emplace_back();
      Left& in_registers = of_warp.lefts[*started.left];
      ++in_registers.under_way;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        in_registers.of[lane] = all[lane]->left;
        std::memcpy(&started.values[lane * registers_of_left], all[lane]->left,
                    registers_of_left * sizeof(std::uint32_t));
      }
    }
    check_factors(started, warp, pc);
    const auto same = std::ranges::find_if(
        of_warp.sums, [&](const Sums& of) { return of.of[0] == all[0]->sums; });
    const auto index = static_cast<std::size_t>(same - of_warp.sums.begin());
    if (same == of_warp.sums.end()) of_warp.sums.emplace_back();
    Sums& held = of_warp.sums[index];
    if (held.under_way++ == 0) {
      held.count = static_cast<std::size_t>(product.columns) / 2;
      held.values.resize(32 * held.count);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        held.of[lane] = all[lane]->sums;
        std::memcpy(&held.values[lane * held.count], held.of[lane], held.count * sizeof(float));
        std::fill_n(reinterpret_cast<std::uint32_t*>(held.of[lane]), held.count, not_a_sum);
      }
    }
    ++hot.products;
    block_.count_tensor_instruction(pc);
    of_warp.sequence = mixed(of_warp.sequence, product.left ^ std::rotl(product.right, 32));
    started.sums = index;
    of_warp.started.under_way.push_back(started);
    of_warp.events.emplace_back(of_warp.started.under_way.back(), false);
  });
}

/// Calls `work(products of the warp, warp)` once all lanes of the running warp, one of a warpgroup,
/// have come.
template <class Work>
void AsyncUnit::by_warp(std::uint32_t pc, const Work& work) {
  const int warp = warp_of_group(pc);
  block_.lanes.together(whole_warp, pc, Act::collective,
                        [&] { work(products_[static_cast<std::size_t>(warp)], warp); });
}

void AsyncUnit::fence_products(std::uint32_t pc) {
  by_warp(pc, [](WarpProducts& mine, int) { mine.fenced = true; });
}

void AsyncUnit::commit_products(std::uint32_t pc) {
  by_warp(pc, [](WarpProducts& mine, int) { mine.started.commit(); });
}

void AsyncUnit::wait_for_products(int groups, std::uint32_t pc) {
  by_warp(pc, [&](WarpProducts& mine, int warp) {
    mine.started.wait(groups, [&](const Started& started) {
      compute(started, warp);
      mine.events.emplace_back(started, true);
    });
  });
  // The reads of the factors end here; the lanes' logs keep the place.
  block_.lanes.together(whole_warp, pc, Act::warp_event, [] {});
}

/// Reads the factors in shared memory as they are now. The lanes get their sums with the last
/// product of these.
void AsyncUnit::compute(const Started& started, int warp) {
  const Product& product = started.product;
  const Descriptor left(product.left), right(product.right);
  const int depth = depth_of(product.type);
  float a[rows_of_warp][most_depth], b[256][most_depth];
  float of_columns[8];
  for (int i = 0; i < 2 * rows_of_warp && !started.left; ++i) {
    const std::byte* const piece = pointer_of(left_piece(left, product, warp, i));
    if (!product.left_transposed) {
      widen(piece, product.type, a[i / 2], i % 2 * depth / 2);
      continue;
    }
    widen(piece, product.type, of_columns, 0);
    spread(of_columns, i, a);
  }
  for (int lane = 0; lane < 32 && started.left; ++lane)
    for (int i = 0; i < static_cast<int>(registers_of_left); ++i) {
      const std::uint32_t pair =
          started.values[static_cast<std::size_t>(lane) * registers_of_left + i];
      for (int e = 0; e < 2; ++e) {
        const auto half = static_cast<std::uint16_t>(pair >> 16 * e);
        a[lane / 4 + i % 2 * 8][i / 2 * 8 + lane % 4 * 2 + e] =
            product.type == Factor::bf16 ? from_bf16(half) : from_f16(half);
      }
    }
  for (int i = 0; i < 2 * product.columns; ++i) {
    const std::byte* const piece = pointer_of(right_piece(right, product, i));
    if (!product.transposed) {
      widen(piece, product.type, b[i / 2], i % 2 * depth / 2);
      continue;
    }
    widen(piece, product.type, of_columns, 0);
    spread(of_columns, i, b);
  }
  Sums& held = products_[static_cast<std::size_t>(warp)].sums[started.sums];
  for (std::size_t lane = 0; lane < 32; ++lane) {
    float* const sums = &held.values[lane * held.count];
    for (int i = 0; i < static_cast<int>(held.count); ++i) {
      const float* const of_a = a[static_cast<int>(lane) / 4 + i / 2 % 2 * 8];
      const float* const of_b = b[i / 4 * 8 + static_cast<int>(lane) % 4 * 2 + i % 2];
      if (product.type == Factor::e4m3) {
        sums[i] =
            add_e4m3(of_a, of_b, static_cast<float>(product.sign), product.keeps ? sums[i] : 0);
        continue;
      }
      float sum = 0;
      for (int k = 0; k < depth; ++k) sum += of_a[k] * of_b[k];
      sums[i] = (product.keeps ? sums[i] : 0) + static_cast<float>(product.sign) * sum;
    }
  }
  --hot.products;
  if (started.left) --products_[static_cast<std::size_t>(warp)].lefts[*started.left].under_way;
  if (--held.under_way != 0) return;
  for (std::size_t lane = 0; lane < 32; ++lane)
    std::memcpy(held.of[lane], &held.values[lane * held.count], held.count * sizeof(float));
}

void AsyncUnit::warp_event(int warp) {
  auto& events = products_[static_cast<std::size_t>(warp)].events;
  if (events.empty()) return;
  // A begin has an event of its own; ends of one wait come together.
  const bool is_end = events.front().second;
  do {
    const Started started = events.front().first;
    events.pop_front();
    bool told = false;
    each_chunk(started, warp, [&](std::uint64_t address) {
      const std::size_t offset = block_.shared.offset_of(address);
      if (is_end) return block_.shared.history.end_unit_read(offset, 32 * warp);
      const auto conflict = block_.shared.history.begin_unit(offset, 32 * warp, false);
      if (!conflict || told) return;
      told = true;
      block_.findings.add(conflict->what, started.pc, 32 * warp, conflict->other,
                          block_.shared.describe(address));
    });
  } while (is_end && !events.empty() && events.front().second);
}

void AsyncUnit::touch_private(std::uint64_t address, std::uint32_t pc) {
  const Lane& lane = block_.lanes.running();
  const WarpProducts& of_warp = products_[lane.thread / 32];
  const auto touched = [&](const void* array, std::size_t count, const char* what) {
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(array);
    if (offset < count * sizeof(float))
      block_.findings.add("touched while a product is under way", pc, lane.thread, -1,
                          fmt::format("{} {} of the thread's", what, offset / sizeof(float)));
  };
  for (const Sums& sums : of_warp.sums)
    if (sums.under_way != 0) touched(sums.of[lane.thread % 32], sums.count, "sum");
  for (const Left& left : of_warp.lefts)
    if (left.under_way != 0) touched(left.of[lane.thread % 32], registers_of_left, "left register");
}

void AsyncUnit::set_registers(int count, std::uint32_t pc) {
  constexpr int most_of_sm = 65536;
  warp_of_group(pc);
  if (count < 24 || count > 256 || count % 8 != 0)
    block_.lanes.stop(
        "registers out of range", pc, -1,
        fmt::format("setmaxnreg {}: a multiple of 8 from 24 to 256 is possible", count));
  by_warp(pc, [&](WarpProducts& mine, int) {
    mine.sequence = mixed(mine.sequence, static_cast<std::uint64_t>(count));
    mine.registers = count;
    int sum = 0;
    for (const WarpProducts& of_warp : products_) sum += 32 * of_warp.registers;
    if (sum > most_of_sm)
      block_.lanes.stop("too many registers", pc, -1,
                        fmt::format("the warpgroups ask for {} registers together; an SM has {}",
                                    sum, most_of_sm));
  });
}

}  // namespace ridgeline::emulated
