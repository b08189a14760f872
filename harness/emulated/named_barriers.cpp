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

// What a lane says to Block::barrier() that may have to wait at a barrier with a number instead,
// and what it is told then.
constexpr int may_wait_there = 2, waits_there = -1;
// The place in the source of all that wait for the whole block at the barrier of a number, which is
// added. __syncthreads(), of which each place is another one, is barrier 0.
constexpr std::uint32_t whole_block = 0xBA000000u;

constexpr unsigned named_barriers = AsyncUnit::named_barriers;

unsigned number_of(std::uint32_t place) {
  return place - whole_block < named_barriers ? place - whole_block : 0;
}

unsigned threads_of_warps(const Lanes& lanes) { return 32 * static_cast<unsigned>(lanes.warps()); }

/// As __syncthreads() at `place`, unless there are threads that come there by a call that says how
/// many meet.
void wait_for_block(std::uint32_t place, std::uint32_t pc) {
  Block& block = Block::current();
  const unsigned number = number_of(place);
  if (!block.async.has_part_at(number) &&
      block.barrier(place, pc, Combine::any, may_wait_there) != waits_there)
    return;
  block.async.wait(place_of(number),
                   block.async.arrive_at_named(number, threads_of_warps(block.lanes), pc), false,
                   pc);
}

void check_number(Lanes& lanes, unsigned number, std::uint32_t pc) {
  if (number >= named_barriers)
    lanes.stop("barrier out of its range", pc, -1,
               fmt::format("number {}; a block has {} barriers", number, named_barriers));
}

}  // namespace

std::string AsyncUnit::name_of(std::uint64_t barrier) const {
  return is_named(barrier) ? fmt::format("barrier {}", barrier / 16)
                           : block_.shared.describe(barrier);
}

unsigned AsyncUnit::arrive_at_named(unsigned number, unsigned threads, std::uint32_t pc) {
  check_number(block_.lanes, number, pc);
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

unsigned AsyncUnit::arrive_in_part(unsigned number, unsigned threads, std::uint32_t pc) {
  check_number(block_.lanes, number, pc);
  parts_ |= 1u << number;
  return arrive_at_named(number, threads, pc);
}

bool AsyncUnit::wait_in_part() {
  bool any = false;
  for (Lane& lane : block_.lanes.all()) {
    if (parts_ == 0 || lane.state != LaneState::at_barrier || lane.predicate != may_wait_there ||
        !has_part_at(number_of(lane.mask)))
      continue;
    lane.state = LaneState::ready;
    lane.predicate = waits_there;
    any = true;
  }
  return any;
}

RIDGELINE_RETURNS_BY_JUMP void block_barrier(std::uint32_t place) {
  wait_for_block(place, RIDGELINE_CALLER);
}

void barrier_arrive_named(unsigned number, unsigned threads) {
  Block::current().async.arrive_in_part(number, threads, RIDGELINE_CALLER);
}

void barrier_sync_named(unsigned number) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  check_number(Block::current().lanes, number, pc);
  wait_for_block(whole_block + number, pc);
}

void barrier_sync_named(unsigned number, unsigned threads) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  Block& block = Block::current();
  const bool of_all = threads == threads_of_warps(block.lanes);
  if (of_all && number == 0) return wait_for_block(whole_block, pc);
  const unsigned parity = of_all ? block.async.arrive_in_part(number, threads, pc)
                                 : block.async.arrive_at_named(number, threads, pc);
  block.async.wait(place_of(number), parity, false, pc);
}

}  // namespace ridgeline::emulated
