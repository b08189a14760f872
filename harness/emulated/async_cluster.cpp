#include <string>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/block.hpp"

// What goes from one block of a cluster to another: arrivals at its mbarriers, and copies that are
// multicast. Races are found there, too, by what the one knows of the other: an arrival takes along
// what its warp knows, a wait brings it to the waiting warp, and a barrier of the cluster tells all
// everything. Source: PTX ISA, "mbarrier.arrive" and "cp.async.bulk.tensor",
// ".multicast::cluster".
namespace ridgeline::emulated {
namespace {

/// "full + 8 of block 1, with its thread 3": what an access from outside races with.
std::string raced_with(const Block& there, std::uint64_t address,
                       const SharedHistory::Conflict& race) {
  return fmt::format("{} of block {}, with its {}", there.shared.describe(address), there.number(),
                     race.other == SharedHistory::unit_thread
                         ? "asynchronous unit"
                         : fmt::format("thread {}", race.other));
}

}  // namespace

/// The same place in the other block's shared memory.
void* AsyncUnit::moved_to(const AsyncUnit& there, const void* in_shared) const {
  const auto address = reinterpret_cast<std::uint64_t>(in_shared);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the emulated device
  return reinterpret_cast<void*>(there.block_.shared.at_offset(block_.shared.offset_of(address)));
}

void AsyncUnit::arrival_elsewhere(std::uint64_t at, int thread, std::uint32_t pc) {
  Block* const there = block_.others.holder_of(at, 8);
  const auto barrier = there->async.barriers_.find(at);
  if (barrier == there->async.barriers_.end()) return;  // it has been invalidated since
  const int warp = thread / 32, here = block_.others.cluster_rank();
  KnownBlocks& mine = known_[static_cast<std::size_t>(warp)];
  SharedHistory& history = there->shared.history;
  const int its = there->others.cluster_rank();
  if (const auto race = history.arrival_from_outside(there->shared.offset_of(at), mine[its]))
    block_.findings.add(race->what, pc, thread, -1, raced_with(*there, at, *race));
  SharedHistory::Knowledge of_this_block;
  block_.shared.history.release(warp, of_this_block);
  SharedHistory::learn(barrier->second.others[here], of_this_block);
  for (const auto& [rank, known] : mine)
    SharedHistory::learn(rank == its ? barrier->second.known : barrier->second.others[rank], known);
}

void AsyncUnit::load_multicast(void* to_shared, const TensorMap& map, const int* at, void* barrier,
                               unsigned ranks, std::uint32_t pc) {
  const Others& others = block_.others;
  if (ranks >> others.cluster_size() != 0)
    block_.lanes.stop(
        "out of bounds (cluster)", pc, -1,
        fmt::format("blocks by the mask {:#x}, of a cluster of {}", ranks, others.cluster_size()));
  if ((ranks >> others.cluster_rank() & 1) == 0)
    block_.lanes.stop("unsupported", pc, -1, "a multicast that leaves out the block it begins in");
  barrier_at(barrier, pc);
  Copy copy = box(map, at, static_cast<std::byte*>(to_shared), true, pc);
  copy.barrier = reinterpret_cast<std::uint64_t>(barrier);
  Copy whole = copy;
  others.each_other([&](int rank, Block&) {
    if ((ranks >> rank & 1) == 0) return;
    AsyncUnit& there = others.running_block(rank, pc).async;
    Copy part = copy;
    part.barrier = reinterpret_cast<std::uint64_t>(moved_to(there, barrier));
    there.barrier_at(moved_to(there, barrier), pc);
    for (Chunk& chunk : part.chunks)
      chunk.shared = static_cast<std::byte*>(moved_to(there, chunk.shared));
    there.used_ = there.worked_ = true;
    there.copies_.push_back(std::move(part));
    whole.elsewhere.emplace_back(rank, there.copies_.size() - 1);
  });
  add_copy(std::move(whole));
}

/// Begins a multicast copy's parts in other blocks.
void AsyncUnit::begin_elsewhere(const Copy& copy) {
  block_.others.each_other([&](int rank, Block& there) {
    for (const auto& [of, index] : copy.elsewhere) {
      if (of != rank) continue;
      Copy& part = there.async.copies_[index];
      part.state = Copy::State::under_way;
      there.async.check_fenced(part, block_.findings);
      const SharedHistory::Knowledge& known =
          known_[static_cast<std::size_t>(copy.thread / 32)][rank];
      for (const Chunk& chunk : part.chunks) {
        const auto address = reinterpret_cast<std::uint64_t>(chunk.shared);
        const auto race =
            there.shared.history.begin_unit_from_outside(there.shared.offset_of(address), known);
        if (!race) continue;
        block_.findings.add(race->what, copy.pc, copy.thread, -1,
                            raced_with(there, address, *race));
        break;
      }
    }
  });
}

/// All of the cluster know of the mbarriers that a fence has made known.
void AsyncUnit::publish_barriers() {
  for (const auto& [address, barrier] : barriers_)
    if (barrier.fenced) block_.shared.history.make_known(block_.shared.offset_of(address), 8);
}

void AsyncUnit::block_barrier(bool of_cluster) {
  KnownBlocks all;
  for (const KnownBlocks& of_warp : known_)
    for (const auto& [rank, known] : of_warp) SharedHistory::learn(all[rank], known);
  const std::uint64_t phase = block_.others.awaited_phase();
  if (of_cluster) {
    if (block_.others.arrived_relaxed(phase)) publish_barriers();
    passed_ = {phase, block_.shared.history.everything()};
    block_.others.each_other([&](int rank, Block& there) {
      const auto& passed = there.async.passed_;
      if (there.others.arrived_relaxed(phase))
        there.async.publish_barriers();
      else
        SharedHistory::learn(all[rank], passed && passed->first == phase
                                            ? passed->second  // it has gone on since
                                            : there.shared.history.everything());
    });
  }
  if (all.empty()) return;
  used_ = true;  // so that it is forgotten
  for (KnownBlocks& of_warp : known_) of_warp = all;
}

}  // namespace ridgeline::emulated
