#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/emulated/block_turns.hpp"
#include "harness/emulated/lanes.hpp"
#include "harness/emulated/patience.hpp"
#include "harness/emulated/resident_blocks.hpp"
#include "harness/emulated/spin.hpp"

namespace ridgeline::emulated {

class Block;
struct Request;

/// What a block waits for that others write, and the blocks that are resident with it: it lets them
/// go on when it does not get on itself, and meets those of its cluster.
class Others {
 public:
  explicit Others(Block& block) : block_(block) {}

  /// `residents` and `turns` are null for a block that waits for nobody.
  void begin_block(ResidentBlocks* residents, std::size_t place, BlockTurns* turns);
  void end_block() {
    residents_ = nullptr;
    turns_ = nullptr;
  }
  /// In global memory: the blocks of a cluster are one.
  std::uint64_t owner() const;
  bool none() const { return residents_ == nullptr; }

  // Rounds, in which the lanes of all warps run. Progress counts until a round has ended.
  void begin_round() { waits_ = false; }
  void get_on() {
    progress_ = true;
    full_logs_ = idle_logs_ = counted_ = 0;
  }
  void wait() { waits_ = true; }
  void lane_has_ended() {
    get_on();
    if (!none()) residents_->thread_has_ended();
  }
  /// Lets others go on if something has waited for them. False when that is in vain for ever, which
  /// ends the launch.
  bool end_round();
  /// Whether the block goes on after a round that has come to nothing, once others had their turn.
  bool let_others_run(bool progress, bool counts);

  /// Before an access through which lanes may wait, volatile loads and atomics: a lane comes to it
  /// again in a loop, and others go on first. Many times in vain is a deadlock, unless the lane
  /// counts meanwhile.
  void spin_point(std::uint64_t address, std::uint32_t pc, int bytes);
  /// That the running lane does, by which a loop may end. By how much the clock goes on: more each
  /// time that the lane comes to the same, since a GPU's goes on by itself while lanes wait.
  std::uint64_t read_clock();
  /// Asked of the running lane when its log is full: whether all that is in it are a few accesses
  /// which have changed nothing, many times over, so that it can only wait for others. For ever, or
  /// very many accesses of a block without an end of a thread or a barrier, is an endless loop.
  bool is_idle();
  /// Whether lanes have come to such accesses in this block.
  bool has_spins() const { return has_spins_; }
  /// That the thread has changed memory, and its log no longer says so.
  void stores(int thread) { spins_[static_cast<std::size_t>(thread)].act(); }
  /// Whether the thread waits before such an access to that place.
  bool spins_at(int thread, std::uint64_t address) const {
    return has_spins_ && waits_at(thread, address);
  }
  std::string awaited_in_loop(const Lane& lane) const;  // "reads the same value for ever: flags +
                                                        // 4"

  // The cluster: this block's place, and the barrier of all threads.
  bool in_cluster() const { return residents_ != nullptr && residents_->is_cluster(); }
  int cluster_rank() const { return in_cluster() ? static_cast<int>(place_) : 0; }
  int cluster_size() const { return in_cluster() ? static_cast<int>(residents_->size()) : 1; }
  /// `relaxed`: what came before is not handed over, but for mbarriers.
  void cluster_arrive(bool relaxed, std::uint32_t pc);
  void cluster_wait(std::uint32_t pc);
  bool cluster_has_arrived() const { return residents_->phase() != awaited_phase_; }
  /// Whether threads of this block have come to the barrier's last `phase` and handed nothing over.
  bool arrived_relaxed(std::uint64_t phase) const { return relaxed_[phase % 2]; }
  std::uint64_t awaited_phase() const { return awaited_phase_; }
  std::string awaited_by_cluster() const;  // "2 of 4 have arrived"
  /// The block of that rank, which another one's unit or barriers are reached in: it has begun and
  /// not ended.
  Block& running_block(int rank, std::uint32_t pc) const;
  /// The block of the cluster whose shared memory those bytes are; null for none.
  Block* holder_of(std::uint64_t address, int bytes) const;
  /// Calls `each(rank, block)` for the others of the cluster.
  template <class Each>
  void each_other(Each&& each) const {
    for (int rank = 0; rank < cluster_size(); ++rank)
      if (rank != cluster_rank()) each(rank, residents_->block(static_cast<std::size_t>(rank)));
  }
  /// What lies at `in_shared` in the block of that rank.
  void* in_block(void* in_shared, int rank, std::uint32_t pc) const;
  /// Takes a request to another block's shared memory, of which some lanes may stay in this one: it
  /// is counted and checked. `strong`: atomic or volatile. False where it goes elsewhere.
  bool request(const Request& request, int warp, bool strong);

 private:
  void look(std::uint64_t address, std::uint32_t pc, int bytes, const std::byte* stack);
  bool may_count(Spin& spin);
  bool waits_at(int thread, std::uint64_t address) const;
  void check_rank(int rank, std::uint32_t pc) const;
  const char* absence_of(const Block& there) const;

  Block& block_;
  std::vector<Spin> spins_ = std::vector<Spin>(most_threads);  // of each thread
  bool has_spins_ = false;                                     // in this block
  ResidentBlocks* residents_ = nullptr;
  BlockTurns* turns_ = nullptr;
  std::size_t place_ = 0;
  bool relaxed_[2] = {};      // of the cluster barrier's even and odd phases
  bool has_arrived_ = false;  // at the cluster's barrier, in this block
  bool progress_ = false, counts_ = false, waits_ = false;  // in this round
  Patience patience_;
  std::uint64_t vain_rounds_ = 0, awaited_phase_ = 0;
  // Where a lane's log ended when it last read the clock, and how often it has done so there.
  const Entry* clock_at_ = nullptr;
  std::uint64_t clock_reads_ = 0;
  // Since a thread has ended or a barrier was passed.
  std::uint64_t full_logs_ = 0, idle_logs_ = 0;
  std::uint64_t counted_ = 0;  // looks by lanes that count, since something was new to any
};

}  // namespace ridgeline::emulated
