#include "harness/emulated/crew.hpp"

#include <utility>

namespace ridgeline::emulated {

Crew::Crew(std::function<std::unique_ptr<Block>()> make) : make_(std::move(make)) {}

Crew::~Crew() {
  {
    const std::lock_guard lock(together_);
    leaving_ = true;
  }
  wake_.notify_all();
}

/// Blocks are made before anybody works, so that none is missing when they wait for each other.
void Crew::hire(std::size_t count) {
  if (!first_) first_ = make_();
  std::unique_lock lock(together_);
  while (others_.size() + 1 < count) {
    ++busy_;
    others_.emplace_back([this, number = others_.size() + 1] { serve(number); });
  }
  done_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Crew::call(Block& block, std::size_t number) {
  try {
    (*work_)(block, number);
  } catch (...) {
    const std::lock_guard lock(together_);
    failure_ = std::current_exception();
  }
}

void Crew::serve(std::size_t number) {
  std::unique_ptr<Block> block;
  std::unique_lock lock(together_);
  std::uint64_t round = round_;
  lock.unlock();
  try {
    block = make_();
  } catch (...) {
    lock.lock();
    failure_ = std::current_exception();
    lock.unlock();
  }
  for (;;) {
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
    wake_.wait(lock, [&] { return leaving_ || (round_ != round && number < count_); });
    if (leaving_) return;
    round = round_;
    lock.unlock();
    if (block) call(*block, number);
  }
}

void Crew::run(std::size_t count, const std::function<void(Block&, std::size_t)>& work) {
  hire(count);
  {
    const std::lock_guard lock(together_);
    work_ = &work;
    count_ = count;
    busy_ = count - 1;
    ++round_;
  }
  if (count > 1) wake_.notify_all();
  call(*first_, 0);
  std::unique_lock lock(together_);
  done_.wait(lock, [this] { return busy_ == 0; });
  count_ = 0;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace ridgeline::emulated
