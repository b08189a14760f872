#include "harness/emulated/block.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

#include "harness/base/error.hpp"

namespace ridgeline::emulated {
namespace {

/// What the lane does before it waits for other warps is not all in its log.
bool goes_on(LaneState state) {
  return state == LaneState::log_full || state == LaneState::ready || state == LaneState::spinning;
}

}  // namespace

Block::Block(GlobalMemory& memory, const SharedVariables& variables, const Limits& limits)
    : shared(variables, limits.shared_bytes),
      memory_(memory),
      limits_(limits),
      lanes_(most_threads),
      spins_(most_threads),
      copies_(most_threads),
      kept_(most_threads),
      logs_(32 * log_stride) {
  void* const mapped =
      ::mmap(nullptr, lane_private_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw OutOfMemory("allocating stacks for the emulated device failed: out of memory");
  stacks_ = static_cast<std::byte*>(mapped);
  free_stacks_.reserve(most_threads);
}

Block::~Block() { ::munmap(stacks_, lane_private_bytes); }

// ---- blocks

void Block::begin(const device::LaunchConfig& config, const KernelCall& call, std::uint64_t seed) {
  config_ = config;
  require(call.bytes <= stack_bytes, "a kernel's arguments are small");
  call_ = call;
  call_.arguments = std::memcpy(stacks_ + most_threads * stack_bytes, call.arguments, call.bytes);
  shuffled_ = seed != 0;
  random_ = seed * 0x9E3779B97F4A7C15u + 0x139408DCBBF7A44Du;
  threads_ = static_cast<int>(config.block.x * config.block.y * config.block.z);
  warps_ = (threads_ + 31) / 32;
  for (int i = 0; i < threads_; ++i) {
    const auto thread = static_cast<unsigned>(i);
    const dim3 size = config.block;
    lanes_[thread] = {.index = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y},
                      .thread = static_cast<std::uint16_t>(i)};
    kept_[thread] = {};
  }
  paths_ = {};
  findings.begin_launch(call.each);
  shared.begin_launch(config.shared_bytes);
  accesses_ = barriers_ = in_flight_bytes_ = 0;
  touched_.clear();
  for (std::vector<LineTouch>& touched : touched_of_warp_) touched.clear();
  free_stacks_.clear();
  for (std::size_t i = most_threads; i-- > 0;)
    free_stacks_.push_back(stacks_ + (i + 1) * stack_bytes - stagger * i % most_stagger);
}

std::uint64_t Block::draw(std::uint64_t below) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return (random_ >> 16) % below;
}

bool Block::run(std::uint64_t number, ResidentBlocks* residents, std::size_t place) {
  const dim3 grid = config_.grid;
  number_ = number;
  findings.begin_block(number);
  residents_ = residents;
  place_ = place;
  owner_ = residents == nullptr ? number : residents->number();
  vain_rounds_ = 0;
  if (std::exchange(has_spins_, false)) std::ranges::fill(spins_, Spin{});
  if (in_cluster()) arrived_at_cluster_.assign(static_cast<std::size_t>(threads_), false);
  index_ = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
            static_cast<unsigned>(number / grid.x / grid.y)};
  for (int i = 0; i < threads_; ++i) {
    Lane& lane = lanes_[static_cast<std::size_t>(i)];
    lane.state = LaneState::fresh;
    lane.path = 0;
  }
  if (std::exchange(has_copies_, false))
    for (Copies& copies : copies_) {
      copies.under_way.clear();
      copies.groups.clear();
      copies.bytes = copies.most_bytes = 0;
    }
  std::ranges::fill(arrived_, 0u);
  std::ranges::fill(loads_, LoadRun{});
  shared.history.begin_block(warps_);
  async_.begin_block();
  here_ = this;
  hot.stacks = reinterpret_cast<std::uint64_t>(stacks_);
  int order[32] = {};
  for (;;) {
    progress_ = waited_ = false;
    for (int i = 0; i < warps_; ++i) order[i] = i;
    if (shuffled_)
      for (int i = warps_ - 1; i > 0; --i) std::swap(order[i], order[draw(static_cast<std::uint64_t>(i) + 1)]);
    for (int i = 0; i < warps_; ++i)
      if (!run_warp(order[i])) return false;
    if (async_.go_on()) continue;
    if (release_barrier() == Pause::ends) break;
    if (waited_ && !let_others_go_on()) return false;
  }
  if (findings.stopped()) return false;
  async_.end_block();
  order_touched();
  note_in_flight();
  for (int i = 0; has_copies_ && i < threads_; ++i)
    for (const Copies::Copy& copy : copies_[static_cast<std::size_t>(i)].under_way)
      findings.add("copy never waited for", copy.pc, i, -1, "to shared memory");
  residents_ = nullptr;
  return true;
}

/// Runs the lanes of a warp until all have ended or wait for another warp. False when the launch was stopped.
bool Block::run_warp(int warp) {
  Lane* const first = lanes_in(warp);
  const int count = lanes_of(warp);
  bring_back_log(warp);
  for (int i = 0; i < count; ++i)
    if (first[i].state == LaneState::spinning) first[i].state = LaneState::ready;
  for (;;) {
    queue_size_ = queue_at_ = 0;
    bool full = false;
    for (int i = 0; i < count; ++i) {
      Lane& lane = first[i];
      if (lane.state == LaneState::log_full && lane.log_end < log_of(i) + log_entries) lane.state = LaneState::ready;
      if (lane.state == LaneState::fresh || lane.state == LaneState::ready) queue_[queue_size_++] = &lane;
      full = full || lane.state == LaneState::log_full;
    }
    if (queue_size_ == 0) {
      if (!full) {
        keep_log(warp);
        return true;
      }
      bool spinning = false;
      for (int i = 0; i < count; ++i) {
        if (first[i].state != LaneState::spinning) continue;
        first[i].state = LaneState::ready;
        spinning = true;
      }
      // Every lane that could go on has a full log, and waits for one that cannot: align what there is.
      if (!spinning) align_warp(warp, true);
      continue;
    }
    if (shuffled_)
      for (int i = queue_size_ - 1; i > 0; --i) std::swap(queue_[i], queue_[draw(static_cast<std::uint64_t>(i) + 1)]);
    run_lanes();
    if (findings.stopped()) return false;
    bool more = false;
    for (int i = 0; i < count; ++i) more = more || goes_on(first[i].state);
    align_warp(warp, !more);
    if (findings.stopped()) return false;
  }
}

// Logs are the warp's that runs. All that can be left in one is the collective that its lane waits in.
void Block::keep_log(int warp) {
  Lane* const first = lanes_in(warp);
  for (int i = 0, count = lanes_of(warp); i < count; ++i) {
    if (first[i].log_end == log_of(i)) continue;
    require(first[i].log_end == log_of(i) + 1, "a lane waits in one collective");
    kept_[first[i].thread] = *log_of(i);
  }
}

void Block::bring_back_log(int warp) {
  Lane* const first = lanes_in(warp);
  Entry* const kept = &kept_[static_cast<std::size_t>(32 * warp)];
  for (int i = 0, count = lanes_of(warp); i < count; ++i) {
    first[i].log_end = log_of(i);
    if (kept[i].pc != 0) *first[i].log_end++ = std::exchange(kept[i], {});
  }
}

/// Aligns what the warp's lanes have done. `all`: nothing comes behind what there is, until another warp goes on.
void Block::align_warp(int warp, bool all) {
  Lane* const first = lanes_in(warp);
  const int count = lanes_of(warp);
  LaneLog logs[32];
  for (int i = 0; i < count; ++i)
    logs[i] = {log_of(i), first[i].log_end, static_cast<std::uint8_t>(i), !all && goes_on(first[i].state),
               first[i].state == LaneState::at_mbarrier};
  aligned_warp_ = warp;
  align(std::span(logs, static_cast<std::size_t>(count)), paths_, *this);
  for (int i = 0; i < count; ++i) {
    const auto left = static_cast<std::size_t>(logs[i].end - logs[i].next);
    if (left != 0) std::memmove(log_of(i), logs[i].next, left * sizeof(Entry));
    first[i].log_end = log_of(i) + left;
  }
}

/// Lets the lanes that wait at a barrier go on when all are there.
Block::Pause Block::release_barrier() {
  int done = 0, waiting = 0, true_predicates = 0;
  bool spinning = false;
  const Lane *at_barrier = nullptr, *in_collective = nullptr, *elsewhere = nullptr, *at_mbarrier = nullptr;
  for (int i = 0; i < threads_; ++i) {
    const Lane& lane = lanes_[static_cast<std::size_t>(i)];
    if (lane.state == LaneState::done) {
      ++done;
    } else if (lane.state == LaneState::at_barrier) {
      ++waiting;
      true_predicates += lane.predicate != 0 ? 1 : 0;
      if (at_barrier == nullptr) at_barrier = &lane;
      if (lane.mask != at_barrier->mask) elsewhere = &lane;
    } else if (lane.state == LaneState::spinning) {
      spinning = true;
    } else if (lane.state == LaneState::at_mbarrier) {
      if (at_mbarrier == nullptr) at_mbarrier = &lane;
    } else {
      in_collective = &lane;
    }
  }
  if (done == threads_) return Pause::ends;
  if (spinning) return Pause::spins;
  if (at_mbarrier != nullptr || in_collective != nullptr) {
    say_who_waits();
    findings.stop();
    return Pause::ends;
  }
  require(at_barrier != nullptr, "a block that has not ended waits for something");
  if (elsewhere != nullptr) {
    findings.add("divergent barrier", at_barrier->pc, at_barrier->thread, elsewhere->thread,
                 "threads of the block wait at different __syncthreads()");
    findings.stop();
    return Pause::ends;
  }
  const bool of_cluster = at_barrier->mask == cluster_barrier;
  if (of_cluster && residents_->phase() == awaited_phase_) {
    waited_ = true;
    return Pause::spins;
  }
  if (done != 0 && !of_cluster)
    findings.add("barrier after threads have ended", at_barrier->pc, at_barrier->thread, -1,
                 fmt::format("{} of {} threads have", done, threads_));
  ++barriers_;
  progress_ = true;
  shared.history.block_barrier();
  order_touched();
  for (LoadRun& loads : loads_) loads.end();
  for (int i = 0; i < threads_; ++i) {
    Lane& lane = lanes_[static_cast<std::size_t>(i)];
    if (lane.state != LaneState::at_barrier) continue;
    lane.state = LaneState::ready;
    switch (static_cast<Combine>(lane.operation)) {
      case Combine::any:
        lane.predicate = true_predicates != 0 ? 1 : 0;
        break;
      case Combine::all:
        lane.predicate = true_predicates == waiting ? 1 : 0;
        break;
      case Combine::count:
        lane.predicate = true_predicates;
        break;
    }
  }
  return Pause::passed;
}

Report Block::end() {
  Report report;
  report.config = config_;
  report.accesses = accesses_;
  report.barriers = barriers_;
  report.in_flight_bytes = in_flight_bytes_;
  report.completed = !findings.stopped();
  report.has_unit = async_.take_worked();
  report.sites = sites_.take();
  report.findings = findings.take();
  hot.next = nullptr;
  here_ = nullptr;
  return report;
}

}  // namespace ridgeline::emulated
