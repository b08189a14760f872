#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/block.hpp"

// mbarriers, and the fences between threads and the unit. Source: PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier".
namespace ridgeline::emulated {
namespace {

// An event is a number with its kind below: the address of a barrier, which is a multiple of 8, or
// the index of a copy.
enum class Kind : std::uint8_t {
  init,
  arrive,
  wait,
  fence,
  begin_copy,
  end_store,
  arrive_elsewhere
};
constexpr std::uint64_t kinds = 8;

// Rounds in which nothing but tests of barriers goes on in a block.
constexpr int most_idle_polls = 10'000;

std::uint64_t event_of(const void* barrier, Kind kind) {
  return reinterpret_cast<std::uint64_t>(barrier) | static_cast<std::uint64_t>(kind);
}

}  // namespace

void AsyncUnit::begin_block() {
  hot.products = 0;  // also after a launch that was stopped
  passed_.reset();
  if (!std::exchange(used_, false)) return;
  barriers_.clear();
  copies_.clear();
  stores_.clear();
  for (WarpProducts& of_warp : products_) of_warp = {};
  for (KnownBlocks& of_warp : known_) of_warp.clear();
  idle_polls_ = 0;
  parts_ = 0;
}

AsyncUnit::Barrier& AsyncUnit::barrier_at(void* barrier, std::uint32_t pc) {
  const auto found = barriers_.find(reinterpret_cast<std::uint64_t>(barrier));
  if (found == barriers_.end())
    Block::current().lanes.stop("mbarrier without initialisation", pc, -1,
                                block_.shared.describe(reinterpret_cast<std::uint64_t>(barrier)));
  return found->second;
}

void AsyncUnit::init(void* barrier, unsigned arrivals, std::uint32_t pc) {
  constexpr unsigned most = (1u << 20) - 1;
  check_shared(barrier, 8, 8, pc);
  const auto address = reinterpret_cast<std::uint64_t>(barrier);
  if (arrivals == 0 || arrivals > most)
    block_.lanes.stop("mbarrier out of its range", pc, -1,
                      fmt::format("{} arrivals; 1 to {} are possible", arrivals, most));
  const auto& [made, is_new] = barriers_.try_emplace(address);
  if (!is_new)
    block_.lanes.stop("mbarrier initialised again", pc, made->second.thread,
                      block_.shared.describe(address) + " is one already: invalidate it first");
  used_ = true;
  made->second = {
      .arrivals = arrivals, .pending = arrivals, .thread = block_.lanes.running().thread};
  block_.lanes.log(event_of(barrier, Kind::init), pc, Act::event, 8);
}

void AsyncUnit::invalidate(void* barrier, std::uint32_t pc) {
  barrier_at(barrier, pc);
  block_.lanes.log(event_of(barrier, Kind::init), pc, Act::event, 8);
  barriers_.erase(reinterpret_cast<std::uint64_t>(barrier));
}

void AsyncUnit::complete_phase(Barrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.arrivals;
}

/// By the running lane of the block whose barrier it is, or of another one.
void AsyncUnit::count_arrival(Barrier& barrier, const void* at, unsigned arrivals,
                              std::uint64_t bytes, std::uint32_t pc) {
  if (barrier.pending < arrivals)
    Block::current().lanes.stop(
        "too many arrivals at an mbarrier", pc, -1,
        fmt::format("{}: {} of {} are outstanding in this phase, which is "
                    "number {} and has parity {}",
                    name_of(reinterpret_cast<std::uint64_t>(at)), barrier.pending, barrier.arrivals,
                    barrier.phase, barrier.phase % 2));
  barrier.bytes += static_cast<std::int64_t>(bytes);
  barrier.pending -= arrivals;
  if (arrivals != 0) complete_phase(barrier);
}

void AsyncUnit::arrive(void* at, unsigned arrivals, std::uint64_t bytes, std::uint32_t pc) {
  void* const place = place_of_phase(at, barrier_at(at, pc).phase);
  block_.lanes.log(event_of(place, Kind::arrive), pc, Act::event, 8);
  count_arrival(barrier_at(at, pc), at, arrivals, bytes, pc);  // the lane may have waited
}

void AsyncUnit::arrive_at(void* at, int rank, std::uint32_t pc) {
  AsyncUnit& unit =
      block_.others.in_cluster() ? block_.others.running_block(rank, pc).async : *this;
  if (&unit == this) return arrive(at, 1, 0, pc);
  void* const there = moved_to(unit, at);
  unit.barrier_at(there, pc);
  block_.lanes.log(event_of(there, Kind::arrive_elsewhere), pc, Act::event, 8);
  unit.count_arrival(unit.barrier_at(there, pc), there, 1, 0, pc);
}

void AsyncUnit::complete_at(void* at, int rank, unsigned bytes, std::uint32_t pc) {
  AsyncUnit& unit =
      block_.others.in_cluster() ? block_.others.running_block(rank, pc).async : *this;
  const bool here = &unit == this;
  void* const there = here ? at : moved_to(unit, at);
  unit.barrier_at(there, pc);
  block_.lanes.log(event_of(there, here ? Kind::arrive : Kind::arrive_elsewhere), pc, Act::event,
                   8);
  Barrier& barrier = unit.barrier_at(there, pc);  // the lane may have waited
  barrier.bytes -= bytes;
  complete_phase(barrier);
}

bool AsyncUnit::wait(void* at, unsigned parity, bool test, std::uint32_t pc) {
  barrier_at(at, pc);
  Lane& lane = block_.lanes.running();
  lane.pc = pc;
  lane.operands = at;
  lane.mask = parity & 1;
  lane.operation = test ? 1 : 0;
  block_.lanes.park(LaneState::at_mbarrier);
  if (block_.lanes.running().predicate == 0) return false;
  block_.lanes.log(event_of(place_of_phase(at, parity), Kind::wait), pc, Act::event, 8);
  return true;
}

void AsyncUnit::fence(bool barriers_alone, std::uint32_t pc) {
  for (auto& [address, barrier] : barriers_)
    if (barrier.thread == block_.lanes.running().thread) barrier.fenced = true;
  if (!barriers_alone) block_.lanes.log(event_of(nullptr, Kind::fence), pc, Act::event, 8);
}

std::size_t AsyncUnit::add_copy(Copy copy) {
  const std::uint32_t pc = copy.pc;
  used_ = worked_ = true;
  copies_.push_back(std::move(copy));
  const std::size_t index = copies_.size() - 1;
  block_.lanes.log(index * kinds | static_cast<std::uint64_t>(Kind::begin_copy), pc, Act::event, 8);
  return index;
}

void AsyncUnit::wait_for_stores(int groups, std::uint32_t pc) {
  stores_[block_.lanes.running().thread].wait(groups, [&](std::size_t copy) {
    deliver(copies_[copy]);
    block_.lanes.log(copy * kinds | static_cast<std::uint64_t>(Kind::end_store), pc, Act::event, 8);
  });
}

void AsyncUnit::event(std::uint64_t event, int thread, std::uint32_t pc) {
  const auto kind = static_cast<Kind>(event % kinds);
  const std::uint64_t number = event - event % kinds;
  if (kind == Kind::fence) return block_.shared.history.fence(thread);
  if (kind == Kind::begin_copy) return begin_copy(copies_[number / kinds]);
  if (kind == Kind::end_store) return end_store(copies_[number / kinds]);
  if (kind == Kind::arrive_elsewhere) return arrival_elsewhere(number, thread, pc);
  const Act act = kind == Kind::init ? Act::write : Act::atomic;
  if (is_named(number)) {
    // Threads meet there, and no memory is touched.
  } else if (const auto conflict =
                 block_.shared.history.access(block_.shared.offset_of(number), 8, act, thread))
    block_.findings.add(conflict->what, pc, thread, conflict->other,
                        block_.shared.describe(number) + ", an mbarrier");
  const auto barrier = barriers_.find(number);
  if (barrier == barriers_.end()) return;  // it has been invalidated since
  KnownBlocks &mine = known_[static_cast<std::size_t>(thread / 32)], &its = barrier->second.others;
  if (kind == Kind::arrive) {
    block_.shared.history.release(thread / 32, barrier->second.known);
    barrier->second.lanes[thread / 32] |= 1u << thread % 32;
    for (const auto& [rank, known] : mine) SharedHistory::learn(its[rank], known);
  }
  if (kind == Kind::wait) {
    // Where all lanes of a warp have arrived, it has ordered them, too.
    std::uint32_t& lanes = barrier->second.lanes[thread / 32];
    if (std::popcount(lanes) == std::ssize(block_.lanes.of_warp(thread / 32))) {
      lanes = 0;
      block_.shared.history.warp_barrier(thread / 32);
    }
    block_.shared.history.acquire(thread / 32, barrier->second.known);
    for (const auto& [rank, known] : its) SharedHistory::learn(mine[rank], known);
  }
}

bool AsyncUnit::has_passed(const Lane& lane) const {
  const auto barrier = barriers_.find(reinterpret_cast<std::uint64_t>(lane.operands));
  return barrier != barriers_.end() && barrier->second.phase % 2 != lane.mask;
}

std::string AsyncUnit::awaited() const {
  // Threads by barrier and parity.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<int>> waiting;
  for (const Lane& lane : block_.lanes.all()) {
    if (lane.state == LaneState::at_mbarrier)
      waiting[{reinterpret_cast<std::uint64_t>(lane.operands), lane.mask}].push_back(lane.thread);
  }
  std::string text;
  for (const auto& [place, threads] : waiting) {
    const auto barrier = barriers_.find(place.first);
    text += fmt::format(
        "{}thread {}{} at {} for parity {}, ", text.empty() ? "" : "; ", threads[0],
        threads.size() == 1 ? " waits" : fmt::format(" and {} more wait", threads.size() - 1),
        name_of(place.first), place.second);
    text +=
        barrier == barriers_.end()
            ? std::string("which was invalidated")
            : fmt::format("in phase {}: {} arrivals and {} bytes are outstanding",
                          barrier->second.phase, barrier->second.pending, barrier->second.bytes);
  }
  return text;
}

bool AsyncUnit::go_on() {
  if (!used_) return false;
  if (wait_in_part()) return true;
  for (;;) {
    bool can = false, tests = false;
    std::vector<std::size_t> awaited;  // loads
    for (Lane& lane : block_.lanes.all()) {
      if (lane.state != LaneState::at_mbarrier) continue;
      tests = tests || lane.operation == 1;
      if (!has_passed(lane)) continue;
      lane.state = LaneState::ready;
      lane.predicate = 1;
      can = true;
    }
    if (can) {
      idle_polls_ = 0;
      return true;
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (!copies_[i].is_load || copies_[i].state != Copy::State::under_way) continue;
      const auto waits = [&](const Lane& lane) {
        return lane.state == LaneState::at_mbarrier &&
               reinterpret_cast<std::uint64_t>(lane.operands) == copies_[i].barrier;
      };
      if (std::ranges::any_of(block_.lanes.all(), waits)) awaited.push_back(i);
    }
    if (!awaited.empty()) {
      deliver(copies_[awaited[block_.lanes.first_of(awaited.size())]]);
      continue;
    }
    if (!tests || ++idle_polls_ > most_idle_polls) return false;
    for (Lane& lane : block_.lanes.all()) {
      if (lane.state != LaneState::at_mbarrier || lane.operation != 1) continue;
      lane.state = LaneState::ready;
      lane.predicate = 0;
    }
    return true;
  }
}

}  // namespace ridgeline::emulated
