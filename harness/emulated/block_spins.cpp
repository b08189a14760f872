#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"

// Lanes and blocks that wait for what others write: spin loops, and the barrier of a cluster.
namespace ridgeline::emulated {
namespace {

// A loop over others' progress, in which nothing that it sees changes so often, never ends.
constexpr std::uint32_t most_rounds = 20'000;
// As long a launch whose blocks all wait is let go on.
constexpr std::uint64_t most_vain_rounds = 1000;

}  // namespace

void Block::spin_point(std::uint64_t address, std::uint32_t pc, int bytes) {
  has_spins_ = true;
  Spin& spin = spins_[running_->thread];
  const bool looped = pc <= spin.pc;
  spin.pc = pc;
  const bool global = is_global(address);
  // What is no memory of the kernel's is found when the access is logged.
  if (!looped || (global ? !is_inside(address, static_cast<std::uint64_t>(bytes)) : !shared.holds(address, bytes)))
    return;
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address),  // NOLINT(performance-no-int-to-ptr)
              static_cast<std::size_t>(std::min(bytes, 8)));
  if (spin.address == address && spin.value == value) {
    waited_ = true;
    if (++spin.rounds > most_rounds) {
      say_who_waits();  // the others
      stop("deadlock", pc, -1, fmt::format("reads the same value for ever: {}", memory_.describe(address)));
    }
  } else {
    progress_ = true;
    spin = {address, value, pc, 0};
  }
  running_->pc = pc;
  park(LaneState::spinning);
}

/// When no lane can go on without others. False when none of them ever will.
bool Block::let_others_go_on() {
  if (residents_ != nullptr) {
    if (residents_->pass(place_, progress_)) return true;
    if (residents_->is_deadlocked()) say_who_waits();
    findings.stop();
    return false;
  }
  vain_rounds_ = progress_ ? 0 : vain_rounds_ + 1;
  if (vain_rounds_ <= most_vain_rounds) return true;
  say_who_waits();
  findings.stop();
  return false;
}

/// "a warp's lanes 0xffffffff are waited for, and 0x0000000f of them never come: 4 have ended".
std::string Block::collective_awaits(const Lane& lane) const {
  const std::uint32_t missing = lane.mask & ~arrived_[lane.thread / 32];
  int ended = 0;
  for (int i = 0; i < 32; ++i)
    if ((missing >> i & 1) != 0 && lanes_[static_cast<std::size_t>(lane.thread / 32 * 32 + i)].state == LaneState::done)
      ++ended;
  const int elsewhere = std::popcount(missing) - ended;
  return fmt::format("a warp's lanes {:#010x} are waited for, and {:#010x} of them never come:{}{}{}", lane.mask,
                     missing, ended != 0 ? fmt::format(" {} have ended", ended) : "",
                     ended != 0 && elsewhere != 0 ? "," : "",
                     elsewhere != 0 ? fmt::format(" {} wait elsewhere", elsewhere) : "");
}

/// A finding for each place at which lanes wait: for what, and what is known of those who do not come.
void Block::say_who_waits() {
  int ended = 0, at_barrier = 0;
  for (int i = 0; i < threads_; ++i) {
    const Lane& lane = lanes_[static_cast<std::size_t>(i)];
    ended += lane.state == LaneState::done ? 1 : 0;
    at_barrier += lane.state == LaneState::at_barrier ? 1 : 0;
  }
  const int elsewhere = threads_ - at_barrier - ended;
  for (int i = 0; i < threads_; ++i) {
    const Lane& lane = lanes_[static_cast<std::size_t>(i)];
    switch (lane.state) {
      case LaneState::spinning:
        findings.add("deadlock", lane.pc, i, -1,
                     fmt::format("reads the same value for ever: {}",
                                 memory_.describe(spins_[static_cast<std::size_t>(i)].address)));
        break;
      case LaneState::at_barrier:
        findings
            .add("deadlock", lane.pc, i, -1,
                 lane.mask == cluster_barrier
                     ? fmt::format("waits for threads of its cluster: {} of {} have arrived", residents_->arrived(),
                                   residents_->threads())
                     : fmt::format(
                           "waits for threads of its block: of {}, {} have come, {} have ended, {} wait elsewhere",
                           threads_, at_barrier, ended, elsewhere))
            .follows = lane.mask != cluster_barrier && elsewhere != 0;
        break;
      case LaneState::at_mbarrier:
        findings.add("deadlock", lane.pc, i, -1, async_.awaited());
        break;
      case LaneState::in_collective:
        findings.add("deadlock", lane.pc, i, -1, collective_awaits(lane));
        break;
      default:
        break;
    }
  }
}

// ---- clusters

void Block::cluster_arrive(std::uint32_t pc) {
  if (!in_cluster()) stop("unsupported", pc, -1, "the barrier of a cluster of one block");
  const std::size_t thread = running_->thread;
  if (arrived_at_cluster_[thread]) stop("cluster barrier", pc, -1, "arrives twice without a wait");
  arrived_at_cluster_[thread] = true;
  awaited_phase_ = residents_->phase();  // the same for all threads of the block: it ends when all have arrived
  residents_->arrive();
}

void Block::cluster_wait(std::uint32_t pc) {
  const std::size_t thread = running_->thread;
  if (!in_cluster() || !arrived_at_cluster_[thread]) stop("cluster barrier", pc, -1, "waits without having arrived");
  barrier(cluster_barrier, pc, Combine::any, 0);
  arrived_at_cluster_[thread] = false;
}

void* Block::in_block(void* in_shared, int rank, std::uint32_t pc) {
  const auto address = reinterpret_cast<std::uint64_t>(in_shared);
  if (rank < 0 || rank >= cluster_size())
    stop("out of bounds (cluster)", pc, -1, fmt::format("block {} of a cluster of {}", rank, cluster_size()));
  if (!shared.holds(address, 1)) stop("out of bounds (cluster)", pc, -1, "no address of the block's shared memory");
  if (!in_cluster()) return in_shared;
  const Block& owner = residents_->block(static_cast<std::size_t>(rank));
  const std::uint64_t there = owner.shared.at_offset(shared.offset_of(address));
  return reinterpret_cast<void*>(there);  // NOLINT(performance-no-int-to-ptr)
}

/// Of another block's shared memory. Counted; that a block has not ended and its memory is written is checked, races
/// with its threads are not.
void Block::cluster_request(const Request& request, Block& owner) {
  Site& site = sites_.at(request.pc, Space::cluster, request.act, request.bytes);
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(request.count);
  for (int i = 0; i < request.count; ++i) {
    const std::uint64_t address = request.addresses[static_cast<std::size_t>(i)];
    const int thread = 32 * aligned_warp_ + request.lanes[static_cast<std::size_t>(i)];
    const std::string name = fmt::format("shared memory of block {}", owner.number_);
    if (!owner.shared.holds(address, request.bytes)) {
      findings.add("out of bounds (cluster)", request.pc, thread, -1, name);
      return;
    }
    if (owner.residents_ != residents_) {
      findings.add(residents_->has_left(owner) ? "shared memory of a block that has ended"
                                               : "shared memory of a block that has not begun",
                   request.pc, thread, -1, name);
      return;
    }
    const std::uint64_t offset = owner.shared.offset_of(address);
    if (request.act == Act::write)
      owner.shared.history.mark_written(offset, request.bytes);
    else if (!owner.shared.history.written(offset, request.bytes))
      findings.add("uninitialised (cluster)", request.pc, thread, -1, name);
  }
}

}  // namespace ridgeline::emulated
