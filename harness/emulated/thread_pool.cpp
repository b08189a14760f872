#include "harness/emulated/thread_pool.hpp"

#include <utility>

namespace ridgeline::emulated {

ThreadPool::ThreadPool(std::function<std::unique_ptr<Block>()> make) : make_(std::move(make)) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

/// Blocks are made before anybody works, so that none is missing when they wait for each other.
void ThreadPool::grow(std::size_t count) {
  if (!first_) first_ = make_();
  std::unique_lock lock(mutex_);
  while (others_.size() + 1 < count) {
    ++busy_;
    others_.emplace_back([this, number = others_.size() + 1] { work_loop(number); });
  }
  done_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::call(Block& block, std::size_t number) {
  try {
    (*work_)(block, number);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

void ThreadPool::work_loop(std::size_t number) {
  std::unique_ptr<Block> block;
  std::unique_lock lock(mutex_);
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
    wake_.wait(lock, [&] { return stopping_ || (round_ != round && number < count_); });
    if (stopping_) return;
    round = round_;
    lock.unlock();
    if (block) call(*block, number);
  }
}

void ThreadPool::run(std::size_t count, const std::function<void(Block&, std::size_t)>& work) {
  grow(count);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    busy_ = count - 1;
    ++round_;
  }
  if (count > 1) wake_.notify_all();
  call(*first_, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  count_ = 0;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace ridgeline::emulated
