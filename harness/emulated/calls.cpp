#include "harness/emulated/calls.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>

#include "harness/base/half.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/machine.hpp"

namespace ridgeline::emulated {
namespace {

uint3 of(const dim3& size) { return {size.x, size.y, size.z}; }

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
BitsOf<T> updated(BitsOf<T> old_bits, BitsOf<T> bits, BitsOf<T> compared, Update kind) {
  const T old = std::bit_cast<T>(old_bits), operand = std::bit_cast<T>(bits);
  switch (kind) {
    case Update::add:
      if constexpr (std::is_integral_v<T>)
        return static_cast<BitsOf<T>>(old_bits + bits);
      else
        return std::bit_cast<BitsOf<T>>(old + operand);
    case Update::minimum:
      return std::bit_cast<BitsOf<T>>(std::min(old, operand));
    case Update::maximum:
      return std::bit_cast<BitsOf<T>>(std::max(old, operand));
    case Update::exchange:
      return bits;
    case Update::compare_and_swap:
      return old_bits == compared ? bits : old_bits;
    case Update::bit_and:
      return static_cast<BitsOf<T>>(old_bits & bits);
    case Update::bit_or:
      return static_cast<BitsOf<T>>(old_bits | bits);
    case Update::bit_xor:
      return static_cast<BitsOf<T>>(old_bits ^ bits);
    case Update::wrap_up:
      return static_cast<BitsOf<T>>(old_bits >= bits ? 0 : old_bits + 1);
    case Update::wrap_down:
      return static_cast<BitsOf<T>>(old_bits == 0 || old_bits > bits ? bits : old_bits - 1);
  }
  return old_bits;
}

template <class T>
std::uint64_t update_as(void* at, std::uint64_t bits, std::uint64_t compared, Update kind) {
  using Bits = BitsOf<T>;
  std::atomic_ref<Bits> word(*static_cast<Bits*>(at));
  Bits before = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(
      before, updated<T>(before, static_cast<Bits>(bits), static_cast<Bits>(compared), kind),
      std::memory_order_relaxed)) {
  }
  return before;
}

}  // namespace

uint3 thread_index() { return Block::current().lanes.running().index; }
uint3 block_index() { return Block::current().index(); }
uint3 block_size() { return of(Block::current().config().block); }
uint3 grid_size() { return of(Block::current().config().grid); }
void* dynamic_shared() { return Block::current().shared.dynamic(); }

RIDGELINE_RETURNS_BY_JUMP int block_barrier(std::uint32_t place, Combine combine, int predicate) {
  return Block::current().barrier(place, RIDGELINE_CALLER, combine, predicate != 0 ? 1 : 0);
}

RIDGELINE_RETURNS_BY_JUMP void warp_barrier(std::uint32_t mask) {
  Block::current().lanes.together(mask, RIDGELINE_CALLER, Act::warp_barrier, [] {});
}

namespace {

/// What a lane gives to the others of a collective, and gets.
struct Exchanged {
  std::uint64_t in, out = 0;
  int lane = 0;  // whose value it wants
};

/// Calls `each(lane's)` for the lanes that take part.
template <class Each>
void for_all(Exchanged* const* all, const Each& each) {
  for (int i = 0; i < 32; ++i)
    if (all[i] != nullptr) each(*all[i], i);
}

}  // namespace

RIDGELINE_RETURNS_BY_JUMP std::uint64_t shuffle(std::uint32_t mask, std::uint64_t bits, int lane,
                                                int width, Shuffle kind) {
  Exchanged mine{bits, bits, lane};
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  block.lanes.collective(mask, pc, Act::collective, mine, [&](Exchanged* const* all) {
    for (int i = 0; i < 32; ++i) {
      if (all[i] == nullptr) continue;
      // Of a negative number, too, an instruction takes the lower five bits.
      const int first = i & ~(width - 1), last = first + width - 1, asked = all[i]->lane & 31;
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
      if (all[from] != nullptr) {
        all[i]->out = all[from]->in;
        continue;
      }
      // Kernels that step through a part of a warp do so, and leave aside what they get.
      if (kind == Shuffle::index)
        block.lanes.stop("shuffle from a lane that does not take part", pc, from,
                         "its value is undefined");
      block.findings.note("shuffle from a lane that does not take part", pc,
                          block.lanes.running().thread / 32 * 32 + i, from,
                          "what it returns is undefined");
      all[i]->out = ~std::uint64_t{0};  // no number, for all that are
    }
  });
  return mine.out;
}

RIDGELINE_RETURNS_BY_JUMP std::uint32_t ballot(std::uint32_t mask, int predicate) {
  Exchanged mine{predicate != 0};
  Block::current().lanes.collective(
      mask, RIDGELINE_CALLER, Act::collective, mine, [](Exchanged* const* all) {
        std::uint64_t holds = 0;
        for_all(all, [&](const Exchanged& of, int i) { holds |= of.in << i; });
        for_all(all, [&](Exchanged& of, int) { of.out = holds; });
      });
  return static_cast<std::uint32_t>(mine.out);
}

RIDGELINE_RETURNS_BY_JUMP std::uint32_t match(std::uint32_t mask, std::uint64_t bits) {
  Exchanged mine{bits};
  Block::current().lanes.collective(mask, RIDGELINE_CALLER, Act::collective, mine,
                                    [](Exchanged* const* all) {
                                      for_all(all, [&](Exchanged& of, int) {
                                        for_all(all, [&](const Exchanged& other, int i) {
                                          of.out |= std::uint64_t{of.in == other.in} << i;
                                        });
                                      });
                                    });
  return static_cast<std::uint32_t>(mine.out);
}

RIDGELINE_RETURNS_BY_JUMP std::uint32_t reduce(std::uint32_t mask, std::uint32_t bits, Update kind,
                                               Number number) {
  Exchanged mine{bits};
  const auto combine = number == Number::i32 ? updated<std::int32_t> : updated<std::uint32_t>;
  Block::current().lanes.collective(mask, RIDGELINE_CALLER, Act::collective, mine,
                                    [=](Exchanged* const* all) {
                                      std::optional<std::uint32_t> sum;
                                      for_all(all, [&](const Exchanged& of, int) {
                                        const auto value = static_cast<std::uint32_t>(of.in);
                                        sum = sum ? combine(*sum, value, 0, kind) : value;
                                      });
                                      for_all(all, [&](Exchanged& of, int) { of.out = *sum; });
                                    });
  return static_cast<std::uint32_t>(mine.out);
}

std::uint32_t add_halves(void* at, std::uint32_t bits, int bytes, bool bfloat) {
  Block::current().check_and_log(reinterpret_cast<std::uint64_t>(at), RIDGELINE_CALLER, Act::atomic,
                                 bytes);
  // Sums of two such numbers, rounded to float first, are rounded as if once.
  const auto add = [bfloat](std::uint16_t a, std::uint16_t b) {
    return bfloat ? to_bf16(from_bf16(a) + from_bf16(b)) : to_f16(from_f16(a) + from_f16(b));
  };
  std::uint32_t before = 0;
  for (int half = 0; half < bytes / 2; ++half) {
    std::atomic_ref<std::uint16_t> word(static_cast<std::uint16_t*>(at)[half]);
    std::uint16_t old = word.load(std::memory_order_relaxed);
    while (!word.compare_exchange_weak(old, add(old, static_cast<std::uint16_t>(bits >> 16 * half)),
                                       std::memory_order_relaxed)) {
    }
    before |= std::uint32_t{old} << 16 * half;
  }
  return before;
}

/// Tells those atomics apart by which blocks may publish and look.
static void note_atomic(Requests& requests, std::uint32_t pc, Update kind, std::uint64_t bits) {
  using Kind = UnfencedFlags::Kind;
  if (kind == Update::exchange) requests.note_atomic(pc, Kind::exchange);
  if (kind == Update::compare_and_swap) requests.note_atomic(pc, Kind::swap);
  const bool by_zero = kind == Update::add || kind == Update::bit_or || kind == Update::bit_xor;
  if (by_zero && bits == 0) requests.note_atomic(pc, Kind::look);
}

std::uint64_t update(void* at, std::uint64_t bits, std::uint64_t compared, Update kind,
                     Number number, Scope scope) {
  const int bytes = number == Number::u16 ? 2 : number >= Number::u64 ? 8 : 4;
  Block& block = Block::current();
  block.others.spin_point(reinterpret_cast<std::uint64_t>(at), RIDGELINE_CALLER, bytes);
  block.check_and_log(reinterpret_cast<std::uint64_t>(at), RIDGELINE_CALLER,
                      scope == Scope::block ? Act::block_atomic : Act::atomic, bytes);
  note_atomic(block.requests, RIDGELINE_CALLER, kind, bits);
  constexpr std::uint64_t (*by_number[])(void*, std::uint64_t, std::uint64_t, Update) = {
      update_as<std::uint32_t>, update_as<std::int32_t>, update_as<float>,
      update_as<std::uint64_t>, update_as<std::int64_t>, update_as<double>,
      update_as<std::uint16_t>};
  return by_number[static_cast<std::size_t>(number)](at, bits, compared, kind);
}

void next_atomic_is_of_block() { hot.block_scope = hot.next != nullptr; }

namespace {
void begin_copy_of_lane(void* to, const void* from, int bytes, bool inside, std::uint32_t pc) {
  Block& block = Block::current();
  if (inside) block.check_and_log(reinterpret_cast<std::uint64_t>(from), pc, Act::copy_read, bytes);
  block.check_and_log(reinterpret_cast<std::uint64_t>(to), pc, Act::copy_begin, bytes);
  block.copies.begin(to, inside ? from : nullptr, bytes, pc);
}
}  // namespace

void copy_async(void* to_shared, const void* from_global, bool inside) {
  begin_copy_of_lane(to_shared, from_global, 16, inside, RIDGELINE_CALLER);
}
void copy_async_4(void* to_shared, const void* from_global, bool inside) {
  begin_copy_of_lane(to_shared, from_global, 4, inside, RIDGELINE_CALLER);
}
void copy_commit() { Block::current().copies.commit(); }
void copy_wait(int groups) { Block::current().copies.wait(groups, RIDGELINE_CALLER); }

int cluster_rank() { return Block::current().others.cluster_rank(); }
int cluster_size() { return Block::current().others.cluster_size(); }
void cluster_arrive() { Block::current().others.cluster_arrive(false, RIDGELINE_CALLER); }
void cluster_arrive_relaxed() { Block::current().others.cluster_arrive(true, RIDGELINE_CALLER); }
void cluster_wait() { Block::current().others.cluster_wait(RIDGELINE_CALLER); }
void* in_block_of_cluster(void* in_shared, int rank) {
  return Block::current().others.in_block(in_shared, rank, RIDGELINE_CALLER);
}

void fence(Scope scope) {
  Block& block = Block::current();
  if (scope == Scope::block) return block.lanes.log_fence(RIDGELINE_CALLER, Act::block_fence);
  // Logs are looked at once all lanes of a warp have come so far. Another block may read before
  // that what the fence lets it read.
  for (const Entry& entry : Lanes::logged())
    if (is_store(entry.act)) block.memory.note_written(entry.address & address_mask, entry.bytes);
  block.lanes.log_fence(RIDGELINE_CALLER, Act::fence);
}

void previous_kernel_wait() { hot.early = false; }

std::uint64_t ticks() {
  static std::atomic<std::uint64_t> count{0};
  const std::uint64_t step = Block::current().others.read_clock();
  return count.fetch_add(step, std::memory_order_relaxed) + step;
}

void unsupported(const char* what) {
  Block::current().lanes.stop("unsupported", RIDGELINE_CALLER, -1, what);
}

void mistaken(const char* check, const char* what) {
  Block::current().lanes.stop(check, RIDGELINE_CALLER, -1, what);
}

int units_of(const void* machine) { return static_cast<const Machine*>(machine)->limits().units; }

void launch(const device::LaunchConfig& config, void* machine, const KernelCall& call) {
  static_cast<Machine*>(machine)->launch(config, call);
}

}  // namespace ridgeline::emulated
