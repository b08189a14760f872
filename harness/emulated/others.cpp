#include "harness/emulated/others.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"

namespace ridgeline::emulated {

// A loop over others' progress, in which nothing that it sees changes so often, never ends.
constexpr std::uint32_t most_rounds = 20'000;
// As long a launch whose blocks all wait is let go on.
constexpr std::uint64_t most_vain_rounds = 1000;

void Others::begin_block(ResidentBlocks* residents, std::size_t place) {
  if (std::exchange(has_spins_, false)) std::ranges::fill(spins_, Spin{});
  residents_ = residents;
  place_ = place;
  vain_rounds_ = 0;
}

std::uint64_t Others::owner() const { return none() ? block_.number() : residents_->number(); }

bool Others::end_round() {
  if (!waits_) return true;
  vain_rounds_ = progress_ ? 0 : vain_rounds_ + 1;
  if (none() ? vain_rounds_ <= most_vain_rounds : residents_->pass(place_, progress_)) return true;
  if (none() || residents_->is_deadlocked()) block_.say_who_waits();
  block_.findings.stop();
  return false;
}

void Others::spin_point(std::uint64_t address, std::uint32_t pc, int bytes) {
  has_spins_ = true;
  Lane& lane = block_.lanes.running();
  Spin& spin = spins_[lane.thread];
  const bool looped = pc <= spin.pc;
  spin.pc = pc;
  // What is no memory of the kernel's is found when the access is logged.
  if (!looped || (is_global(address) ? !is_inside(address, static_cast<std::uint64_t>(bytes))
                                     : !block_.shared.holds(address, bytes)))
    return;
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address),  // NOLINT(performance-no-int-to-ptr)
              static_cast<std::size_t>(std::min(bytes, 8)));
  if (spin.address == address && spin.value == value) {
    waits_ = true;
    if (++spin.rounds > most_rounds) {
      block_.say_who_waits();  // the others
      block_.lanes.stop("deadlock", pc, -1, awaited_in_loop(lane));
    }
  } else {
    progress_ = true;
    spin = {address, value, pc, 0};
  }
  lane.pc = pc;
  block_.lanes.park(LaneState::spinning);
}

std::string Others::awaited_in_loop(const Lane& lane) const {
  return fmt::format("reads the same value for ever: {}",
                     block_.memory.describe(spins_[lane.thread].address));
}

// ---- clusters

void Others::cluster_arrive(std::uint32_t pc) {
  Lane& lane = block_.lanes.running();
  if (!in_cluster())
    block_.lanes.stop("unsupported", pc, -1, "the barrier of a cluster of one block");
  if (lane.arrived) block_.lanes.stop("cluster barrier", pc, -1, "arrives twice without a wait");
  lane.arrived = true;
  awaited_phase_ = residents_->phase();  // the same for all threads of the block: it ends when all
                                         // have arrived
  residents_->arrive();
}

void Others::cluster_wait(std::uint32_t pc) {
  Lane& lane = block_.lanes.running();
  if (!lane.arrived) block_.lanes.stop("cluster barrier", pc, -1, "waits without having arrived");
  block_.barrier(cluster_barrier, pc, Combine::any, 0);
  lane.arrived = false;
}

std::string Others::awaited_by_cluster() const {
  return fmt::format("waits for threads of its cluster: {} of {} have arrived",
                     residents_->arrived(), residents_->threads());
}

void* Others::in_block(void* in_shared, int rank, std::uint32_t pc) const {
  const auto address = reinterpret_cast<std::uint64_t>(in_shared);
  const auto refuse = [&](const std::string& what) {
    block_.lanes.stop("out of bounds (cluster)", pc, -1, what);
  };
  if (rank < 0 || rank >= cluster_size())
    refuse(fmt::format("block {} of a cluster of {}", rank, cluster_size()));
  if (!block_.shared.holds(address, 1)) refuse("no address of the block's shared memory");
  if (!in_cluster()) return in_shared;
  const SharedMemory& there = residents_->block(static_cast<std::size_t>(rank)).shared;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void*>(there.at_offset(block_.shared.offset_of(address)));
}

bool Others::request(const Request& request, int warp) {
  Block* owner = nullptr;
  for (std::size_t rank = 0; owner == nullptr && in_cluster() && rank < residents_->size(); ++rank)
    if (residents_->block(rank).shared.holds(request.addresses[0], request.bytes))
      owner = &residents_->block(rank);
  if (owner == nullptr) return false;
  Site& site = block_.requests.sites.at(request.pc, Space::cluster, request.act, request.bytes);
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(request.count);
  for (std::size_t i = 0; i < request.active_lanes().size(); ++i) {
    const std::uint64_t address = request.addresses[i], offset = owner->shared.offset_of(address);
    const auto find = [&](const char* check) {
      block_.findings.add(check, request.pc, 32 * warp + request.lanes[i], -1,
                          fmt::format("shared memory of block {}", owner->number()));
      return true;
    };
    if (!owner->shared.holds(address, request.bytes)) return find("out of bounds (cluster)");
    if (owner->others.residents_ != residents_)
      return find(residents_->has_left(*owner) ? "shared memory of a block that has ended"
                                               : "shared memory of a block that has not begun");
    if (request.act == Act::write)
      owner->shared.history.mark_written(offset, request.bytes);
    else if (!owner->shared.history.written(offset, request.bytes))
      find("uninitialised (cluster)");
  }
  return true;
}

}  // namespace ridgeline::emulated
