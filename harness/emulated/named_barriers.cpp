#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/calls.hpp"

// Barriers of a part of a block, which have numbers. Source: PTX ISA, "bar, barrier". They are like
// mbarriers, at addresses at which no shared memory lies.
namespace ridgeline::emulated {
namespace {

void* place_of(unsigned number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void*>(std::uint64_t{number} * 16);
}

// What a lane says to Block::barrier() that may have to wait at barrier 0 instead, and what it is
// told then; and the place of those that say how many threads barrier 0 waits for.
constexpr int may_wait_at_0 = 2, waits_there = -1;
constexpr std::uint32_t whole_block = 0xBA000000u;

/// As __syncthreads() at `place`, unless there are threads that arrive at barrier 0 and do not
/// wait.
void wait_at_0(std::uint32_t place, unsigned threads, std::uint32_t pc) {
  Block& block = Block::current();
  if (!block.async.has_part_at_0() &&
      block.barrier(place, pc, Combine::any, may_wait_at_0) != waits_there)
    return;
  block.async.wait(place_of(0), block.async.arrive_at_named(0, threads, pc), false, pc);
}

}  // namespace

std::string AsyncUnit::name_of(std::uint64_t barrier) const {
  return is_named(barrier) ? fmt::format("barrier {}", barrier / 16)
                           : block_.shared.describe(barrier);
}

unsigned AsyncUnit::arrive_at_named(unsigned number, unsigned threads, std::uint32_t pc) {
  if (number >= named_barriers)
    block_.lanes.stop("barrier out of its range", pc, -1,
                      fmt::format("number {}; a block has {} barriers", number, named_barriers));
  if (threads == 0 || threads % 32 != 0)
    block_.lanes.stop("barrier out of its range", pc, -1,
                      fmt::format("{} threads; whole warps are counted", threads));
  used_ = true;
  void* const at = place_of(number);
  const auto [found, is_new] = barriers_.try_emplace(reinterpret_cast<std::uint64_t>(at));
  Barrier& barrier = found->second;
  barriers_[reinterpret_cast<std::uint64_t>(place_of_phase(at, 1))].thread = -1;
  if (is_new || barrier.pending == barrier.arrivals) {  // each phase has a number of its own
    barrier.arrivals = threads;
    barrier.pending = threads;
    barrier.thread = -1;
  }
  if (barrier.arrivals != threads)
    block_.lanes.stop("different numbers of threads at a barrier", pc, -1,
                      fmt::format("barrier {} waits for {} threads, and this one says {}", number,
                                  barrier.arrivals, threads));
  const auto parity = static_cast<unsigned>(barrier.phase % 2);
  // Warps are counted: the first lane of a last one that is not whole brings those that it lacks.
  const int thread = block_.lanes.running().thread,
            lacking = thread % 32 == 0 ? std::max(thread + 32 - block_.lanes.threads(), 0) : 0;
  arrive(at, 1 + static_cast<unsigned>(lacking), 0, pc);
  return parity;
}

void AsyncUnit::arrive_in_part(unsigned number, unsigned threads, std::uint32_t pc) {
  if (number == 0) has_part_at_0_ = true;
  arrive_at_named(number, threads, pc);
}

bool AsyncUnit::wait_in_part() {
  bool any = false;
  for (Lane& lane : block_.lanes.all()) {
    if (!has_part_at_0_ || lane.state != LaneState::at_barrier || lane.predicate != may_wait_at_0)
      continue;
    lane.state = LaneState::ready;
    lane.predicate = waits_there;
    any = true;
  }
  return any;
}

RIDGELINE_RETURNS_BY_JUMP void block_barrier(std::uint32_t place) {
  Block& block = Block::current();
  // Inline PTX that names no number of threads has the barrier's in the lower bits.
  if (place != whole_block && (place & 0xFFFF0000u) == whole_block)
    block.barrier(place, RIDGELINE_CALLER, Combine::any, 0);
  else
    wait_at_0(place, 32 * static_cast<unsigned>(block.lanes.warps()), RIDGELINE_CALLER);
}

void barrier_arrive_named(unsigned number, unsigned threads) {
  Block::current().async.arrive_in_part(number, threads, RIDGELINE_CALLER);
}

void barrier_sync_named(unsigned number, unsigned threads) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  if (number == 0 && static_cast<int>(threads) >= block.lanes.threads())
    return wait_at_0(whole_block, threads, pc);
  block.async.wait(place_of(number), block.async.arrive_at_named(number, threads, pc), false, pc);
}

}  // namespace ridgeline::emulated
