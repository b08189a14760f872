#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <semaphore>
#include <thread>
#include <vector>

#include "harness/emulated/patience.hpp"

namespace ridgeline::emulated {

/// Independent blocks of a launch that run one at a time, in an order. One that waits for what
/// another has to do is set aside until that has had its turn, so a verdict depends on the order
/// alone and never on how many cores there are. As on a GPU, where blocks start in the order of
/// their numbers, one may rely on blocks of lower numbers to have started, and on no others.
class BlockTurns {
 public:
  /// `run` runs the block of a number, on the calling OS thread, which has not run any before, and
  /// says whether it came to its end.
  BlockTurns(std::uint64_t blocks, std::function<std::uint64_t(std::uint64_t)> number_at,
             std::function<bool(std::uint64_t number)> run);
  BlockTurns(const BlockTurns&) = delete;
  ~BlockTurns();

  /// The number of a block that has not started, in their order; false when there is none, or the
  /// launch has been stopped.
  bool next(std::uint64_t& number);
  /// By the block that runs, when all its lanes wait: lets others go on, and returns when it is its
  /// turn again. `progress` and `counts`: of what has happened since it had it last, see Patience.
  /// False when the launch has been stopped; also when all wait in vain.
  bool pass(std::uint64_t number, bool progress, bool counts);
  bool is_deadlocked() const { return deadlocked_; }
  /// The lowest number of a block that has not started; absent when all have.
  std::optional<std::uint64_t> not_started() const;
  /// By the thread that takes next(), when there is none: waits for the blocks that were set aside.
  /// Throws what running one of them has thrown.
  void finish();
  void stop() { stopped_ = true; }

 private:
  template <class Start>
  void wait_behind(const Start& start);
  void hand_over();
  void run_aside(std::uint64_t number);

  const std::uint64_t blocks_;
  const std::function<std::uint64_t(std::uint64_t)> number_at_;
  const std::function<bool(std::uint64_t)> run_;
  std::uint64_t place_ = 0, lowest_ = 0;  // of the next block in order; of those that have not
                                          // started
  std::vector<bool> started_;
  std::deque<std::binary_semaphore*> waiting_;
  std::vector<std::jthread> threads_;
  Patience patience_;
  bool stopped_ = false, deadlocked_ = false;
  std::exception_ptr failure_;
};

}  // namespace ridgeline::emulated
