#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace ridgeline {

/// Calls `body(i)` for each i below `n`, on all cores but at most `most` threads, and waits. Throws
/// what a call has thrown.
template <class Body>
void in_parallel(std::size_t n, std::size_t most, const Body& body) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most));
  {
    std::vector<std::jthread> threads;
    for (std::exception_ptr& failure : failures)
      threads.emplace_back([&] {
        try {
          for (std::size_t i = next++; i < n; i = next++) body(i);
        } catch (...) {
          failure = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace ridgeline
