#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <semaphore>
#include <vector>

#include "harness/emulated/patience.hpp"

namespace ridgeline::emulated {

class Block;

/// Blocks that are resident together, each on an OS thread of its own. They take turns in the order
/// of their places: one runs until what it waits for can only come from another. All but a Turn is
/// asked by the one whose turn it is.
class ResidentBlocks {
 public:
  /// `number` tells sets of resident blocks of a launch apart; `cluster`: the blocks are one
  /// cluster, and each has `threads`.
  ResidentBlocks(std::size_t blocks, std::uint64_t number, bool cluster, int threads);

  std::uint64_t number() const { return number_; }
  std::size_t size() const { return blocks_.size(); }
  bool is_cluster() const { return cluster_; }
  Block& block(std::size_t place) const { return *blocks_[place]; }
  bool has_left(const Block& block) const;

  /// A block's place among them, while it has one: waits for the others and for its first turn, and
  /// leaves at last.
  class Turn {
   public:
    Turn(ResidentBlocks& residents, std::size_t place, Block& block)
        : residents_(residents), place_(place), stopped_(!residents.enter(place, block)) {}
    Turn(const Turn&) = delete;
    ~Turn() {
      if (!left_) residents_.leave(place_, false);
    }
    bool is_stopped() const { return stopped_; }  // by another block, before this one began
    void leave(bool completed) {
      residents_.leave(place_, completed);
      left_ = true;
    }

   private:
    ResidentBlocks& residents_;
    const std::size_t place_;
    const bool stopped_;
    bool left_ = false;
  };

  /// Gives the turn to the next one, and waits for its own. `progress` and `counts`: of what has
  /// happened since it was got, see Patience. False when they have been stopped; also when all wait
  /// in vain.
  bool pass(std::size_t place, bool progress, bool counts);
  bool is_deadlocked() const { return deadlocked_; }

  // The barrier of a cluster, of all its threads that have not ended.
  std::uint64_t phase() const { return phase_; }      // how often all have arrived
  std::uint64_t arrived() const { return arrived_; }  // in this phase
  std::uint64_t threads() const { return threads_; }  // that have not ended
  void arrive();
  void thread_has_ended();

 private:
  bool enter(std::size_t place, Block& block);
  void leave(std::size_t place, bool completed);  // not completed: the others stop
  void wake_next(std::size_t place);
  void complete_phase();

  const std::uint64_t number_;
  const bool cluster_;
  std::vector<Block*> blocks_;
  std::vector<bool> active_;
  std::deque<std::binary_semaphore> turns_;
  std::latch all_here_;
  std::size_t active_count_;
  Patience patience_;
  bool stopped_ = false, deadlocked_ = false;
  std::uint64_t phase_ = 0, arrived_ = 0, threads_;
};

}  // namespace ridgeline::emulated
