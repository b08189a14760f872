#include "harness/emulated/block_turns.hpp"

#include <utility>

namespace ridgeline::emulated {

BlockTurns::BlockTurns(std::uint64_t blocks, std::function<std::uint64_t(std::uint64_t)> number_at,
                       std::function<bool(std::uint64_t)> run)
    : blocks_(blocks),
      number_at_(std::move(number_at)),
      run_(std::move(run)),
      started_(blocks, false) {}

/// `start` has others go on: behind it, the caller waits for its turn.
template <class Start>
void BlockTurns::wait_behind(const Start& start) {
  std::binary_semaphore turn(0);
  waiting_.push_back(&turn);
  start();
  turn.acquire();
}

/// Blocks that were set aside are left to end: after an Error there are some.
BlockTurns::~BlockTurns() {
  stopped_ = true;
  while (!waiting_.empty()) wait_behind([this] { hand_over(); });
}

bool BlockTurns::next(std::uint64_t& number) {
  while (place_ < blocks_ && started_[number_at_(place_)]) ++place_;
  if (place_ == blocks_ || stopped_) return false;
  number = number_at_(place_++);
  started_[number] = true;
  return true;
}

void BlockTurns::hand_over() {
  std::binary_semaphore* const first = waiting_.front();
  waiting_.pop_front();
  first->release();
}

void BlockTurns::run_aside(std::uint64_t number) {
  threads_.emplace_back([this, number] {
    bool completed = false;
    try {
      completed = run_(number);
    } catch (...) {
      failure_ = std::current_exception();
    }
    patience_.renew();
    stopped_ = stopped_ || !completed;
    hand_over();  // who has started this one waits
  });
}

bool BlockTurns::pass(std::uint64_t number, bool progress, bool counts) {
  const bool may_go_on = patience_.lasts(progress, counts, waiting_.size() + 1);
  while (lowest_ < blocks_ && started_[lowest_]) ++lowest_;
  if (stopped_) return false;
  if (lowest_ < number) {
    started_[lowest_] = true;
    patience_.renew();
    wait_behind([this] { run_aside(lowest_); });
  } else if (!may_go_on) {
    stopped_ = deadlocked_ = true;
  } else if (!waiting_.empty()) {
    wait_behind([this] { hand_over(); });
  }
  return !stopped_;
}

std::optional<std::uint64_t> BlockTurns::not_started() const {
  for (std::uint64_t number = lowest_; number < blocks_; ++number)
    if (!started_[number]) return number;
  return std::nullopt;
}

void BlockTurns::finish() {
  while (!waiting_.empty()) wait_behind([this] { hand_over(); });
  threads_.clear();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace ridgeline::emulated
