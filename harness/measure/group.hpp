#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ridgeline::measure {

/// Where a rank stands among those of its machine.
struct Here {
  int size = 1, rank = 0;  // of them, and its own among them
  int first = 0;           // the number of the first of them among all ranks
};

/// The processes that measure one case together: they start each sample together, the slowest
/// counts, and they stop together. The base class is a group of one.
class Group {
 public:
  virtual ~Group() = default;
  virtual int size() const { return 1; }
  virtual int rank() const { return 0; }
  virtual Here here() const { return {size(), rank(), 0}; }
  virtual void barrier() {}
  virtual double max(double value) { return value; }
  /// Rank 0's bytes, on every rank.
  virtual void broadcast(void* /*bytes*/, std::size_t /*count*/) {}
  /// `count` bytes of each rank, in the order of ranks, on every rank.
  virtual void gather(const void* mine, std::size_t count, void* all) {
    std::memcpy(all, mine, count);
  }
  /// What rank 0 says, on every rank, so that all stop together.
  template <class Value>
  Value agreed(Value value) {
    broadcast(&value, sizeof value);
    return value;
  }

  /// How often this rank has gone to where it may wait for others: to what stands above, and to
  /// operations of cases. The same on every rank that has come as far. Any thread may ask.
  std::uint64_t meetings() const { return meetings_.load(std::memory_order_relaxed); }
  /// Of the one thread that meets others: a counter that others only read needs no locked addition.
  void count_meeting() { meetings_.store(meetings() + 1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> meetings_ = 0;
};

}  // namespace ridgeline::measure
