#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/emulated/block.hpp"

namespace ridgeline::emulated {

/// OS threads, each with a Block of its own, kept from launch to launch. The thread that asks is
/// the first of them.
class ThreadPool {
 public:
  /// `make` is called on each thread: a Block belongs to the thread that made it.
  explicit ThreadPool(std::function<std::unique_ptr<Block>()> make);
  ThreadPool(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Calls `work` on `count` threads at once, with their Blocks and numbers from 0 on, and waits
  /// for all. Throws what one of them has thrown.
  void run(std::size_t count, const std::function<void(Block&, std::size_t)>& work);

 private:
  void grow(std::size_t count);
  void work_loop(std::size_t number);
  void call(Block& block, std::size_t number);

  const std::function<std::unique_ptr<Block>()> make_;
  std::unique_ptr<Block> first_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(Block&, std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0, busy_ = 0;
  std::uint64_t round_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> others_;
};

}  // namespace ridgeline::emulated
