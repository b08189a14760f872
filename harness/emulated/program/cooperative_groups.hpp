#pragma once

// CUDA's cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups") on the words of the
// emulated device. Tiles have at most 32 threads.

#include <cstdint>
#include <type_traits>

#include "harness/emulated/program/program.hpp"

namespace cooperative_groups {

namespace emulated = ::ridgeline::emulated;
#define RIDGELINE_WORD [[gnu::always_inline]] inline

namespace details {

RIDGELINE_WORD unsigned thread_of_block() {
  const uint3 at = emulated::thread_index(), size = emulated::block_size();
  return (at.z * size.y + at.y) * size.x + at.x;
}
RIDGELINE_WORD unsigned threads_of_block() {
  const uint3 size = emulated::block_size();
  return size.x * size.y * size.z;
}
RIDGELINE_WORD unsigned own_lane() { return thread_of_block() % 32; }
RIDGELINE_WORD dim3 to_dim3(const uint3& of) { return {of.x, of.y, of.z}; }

/// Lane number `rank` of the lanes of a mask.
RIDGELINE_WORD unsigned lane_of(unsigned mask, unsigned rank) {
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0 && rank-- == 0) return i;
  return 0;
}
RIDGELINE_WORD unsigned rank_in(unsigned mask) {
  return static_cast<unsigned>(std::popcount(mask & ((1u << own_lane()) - 1)));
}
/// The bits of the mask's lanes, one behind the other.
RIDGELINE_WORD unsigned packed(unsigned bits, unsigned mask) {
  unsigned to = 0, place = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) to |= (bits >> i & 1) << place++;
  return to;
}

/// A value of any size goes from lane to lane in words.
template <class Value>
RIDGELINE_WORD Value shuffled(unsigned mask, Value value, unsigned from) {
  constexpr std::size_t word_count = (sizeof(Value) + 3) / 4;
  std::uint32_t parts[word_count] = {};
  __builtin_memcpy(parts, static_cast<const void*>(&value), sizeof value);
  for (std::uint32_t& part : parts)
    part = static_cast<std::uint32_t>(
        emulated::shuffle(mask, part, static_cast<int>(from), 32, emulated::Shuffle::index));
  Value to;
  __builtin_memcpy(static_cast<void*>(&to), parts, sizeof to);
  return to;
}

/// What groups of lanes of one warp have in common.
class Lanes {
 public:
  RIDGELINE_WORD explicit Lanes(unsigned mask) : mask_(mask), rank_(rank_in(mask)) {}
  RIDGELINE_WORD unsigned long long size() const { return num_threads(); }
  RIDGELINE_WORD unsigned num_threads() const {
    return static_cast<unsigned>(std::popcount(mask_));
  }
  RIDGELINE_WORD unsigned thread_rank() const { return rank_; }
  RIDGELINE_WORD void sync() const { emulated::warp_barrier(mask_); }
  template <class Value>
  RIDGELINE_WORD Value shfl(Value value, int from) const {
    return shuffled(mask_, value, lane_of(mask_, static_cast<unsigned>(from) % num_threads()));
  }
  template <class Value>
  RIDGELINE_WORD Value shfl_up(Value value, unsigned by) const {
    return shuffled(mask_, value, lane_of(mask_, rank_ < by ? rank_ : rank_ - by));
  }
  template <class Value>
  RIDGELINE_WORD Value shfl_down(Value value, unsigned by) const {
    return shuffled(mask_, value, lane_of(mask_, rank_ + by < num_threads() ? rank_ + by : rank_));
  }
  template <class Value>
  RIDGELINE_WORD Value shfl_xor(Value value, unsigned by) const {
    const unsigned from = rank_ ^ by;
    return shuffled(mask_, value, lane_of(mask_, from < num_threads() ? from : rank_));
  }
  RIDGELINE_WORD unsigned ballot(int predicate) const {
    return packed(emulated::ballot(mask_, predicate), mask_);
  }
  RIDGELINE_WORD int any(int predicate) const {
    return (emulated::ballot(mask_, predicate) & mask_) != 0 ? 1 : 0;
  }
  RIDGELINE_WORD int all(int predicate) const {
    return (emulated::ballot(mask_, predicate) & mask_) == mask_ ? 1 : 0;
  }
  template <class Value>
  RIDGELINE_WORD unsigned match_any(Value value) const {
    return packed(__match_any_sync(mask_, value), mask_);
  }
  template <class Value>
  RIDGELINE_WORD unsigned match_all(Value value, int& all) const {
    return packed(__match_all_sync(mask_, value, &all), mask_);
  }
  RIDGELINE_WORD unsigned lanes() const { return mask_; }

 private:
  unsigned mask_, rank_;
};

enum class Kind : std::uint8_t { of_block, of_lanes, of_grid };

}  // namespace details

/// Any group, by what it is.
class thread_group {
 public:
  RIDGELINE_WORD thread_group(details::Kind kind, unsigned mask, unsigned size, unsigned rank)
      : kind_(kind), mask_(mask), size_(size), rank_(rank) {}
  RIDGELINE_WORD unsigned long long size() const { return size_; }
  RIDGELINE_WORD unsigned long long num_threads() const { return size_; }
  RIDGELINE_WORD unsigned long long thread_rank() const { return rank_; }
  RIDGELINE_WORD bool is_valid() const { return true; }
  RIDGELINE_WORD void sync() const {
    if (kind_ == details::Kind::of_lanes)
      emulated::warp_barrier(mask_);
    else
      emulated::block_barrier(0xC0001u);
  }
  RIDGELINE_WORD unsigned lanes() const { return mask_; }

 private:
  details::Kind kind_;
  unsigned mask_, size_, rank_;
};

class thread_block {
 public:
  RIDGELINE_WORD static void sync() { emulated::block_barrier(0xC0001u); }
  struct arrival_token {};
  RIDGELINE_WORD arrival_token barrier_arrive() const { return {}; }
  RIDGELINE_WORD void barrier_wait(arrival_token&&) const { sync(); }
  RIDGELINE_WORD static unsigned thread_rank() { return details::thread_of_block(); }
  RIDGELINE_WORD static unsigned size() { return details::threads_of_block(); }
  RIDGELINE_WORD static unsigned num_threads() { return details::threads_of_block(); }
  RIDGELINE_WORD static dim3 group_index() { return details::to_dim3(emulated::block_index()); }
  RIDGELINE_WORD static dim3 thread_index() { return details::to_dim3(emulated::thread_index()); }
  RIDGELINE_WORD static dim3 group_dim() { return details::to_dim3(emulated::block_size()); }
  RIDGELINE_WORD static dim3 dim_threads() { return group_dim(); }
  RIDGELINE_WORD operator thread_group() const {
    return {details::Kind::of_block, 0, size(), thread_rank()};
  }
};
RIDGELINE_WORD thread_block this_thread_block() { return {}; }
template <unsigned thread_count>
struct block_tile_memory {};
template <unsigned thread_count>
RIDGELINE_WORD thread_block this_thread_block(block_tile_memory<thread_count>&) {
  return {};
}

class coalesced_group : public details::Lanes {
 public:
  using details::Lanes::Lanes;
  RIDGELINE_WORD unsigned meta_group_size() const { return 1; }
  RIDGELINE_WORD unsigned meta_group_rank() const { return 0; }
  RIDGELINE_WORD operator thread_group() const {
    return {details::Kind::of_lanes, lanes(), num_threads(), thread_rank()};
  }
};
#define coalesced_threads() coalesced_group(::ridgeline::program::active_lanes())

/// Tiles of a block, or of larger tiles: neighbouring lanes of one warp.
template <unsigned thread_count, class Parent = void>
class thread_block_tile : public details::Lanes {
  static_assert(thread_count <= 32, "tiles of more than 32 threads are not modelled");

 public:
  RIDGELINE_WORD thread_block_tile() : Lanes(mask_of()) {}
  template <class Other>
  RIDGELINE_WORD thread_block_tile(const thread_block_tile<thread_count, Other>&)
      : Lanes(mask_of()) {}
  RIDGELINE_WORD static constexpr unsigned size() { return thread_count; }
  RIDGELINE_WORD static constexpr unsigned num_threads() { return thread_count; }
  RIDGELINE_WORD unsigned thread_rank() const { return details::own_lane() % thread_count; }
  RIDGELINE_WORD unsigned meta_group_rank() const {
    return details::thread_of_block() % parent_threads() / thread_count;
  }
  RIDGELINE_WORD unsigned meta_group_size() const {
    return (parent_threads() + thread_count - 1) / thread_count;
  }
  RIDGELINE_WORD operator thread_group() const {
    return {details::Kind::of_lanes, lanes(), thread_count, thread_rank()};
  }

 private:
  RIDGELINE_WORD static unsigned mask_of() {
    if constexpr (thread_count == 32) return 0xFFFFFFFFu;
    return ((1u << thread_count % 32) - 1) << details::own_lane() / thread_count * thread_count;
  }
  RIDGELINE_WORD static unsigned parent_threads() {
    if constexpr (std::is_void_v<Parent> || std::is_same_v<Parent, thread_block>)
      return details::threads_of_block();
    else
      return Parent::size();
  }
};
template <unsigned thread_count, class Parent>
RIDGELINE_WORD thread_block_tile<thread_count, Parent> tiled_partition(const Parent&) {
  return {};
}
RIDGELINE_WORD thread_group tiled_partition(const thread_group&, unsigned thread_count) {
  const unsigned first = details::own_lane() / thread_count * thread_count,
                 mask = thread_count >= 32 ? 0xFFFFFFFFu : ((1u << thread_count) - 1) << first;
  return {details::Kind::of_lanes, mask, thread_count, details::own_lane() - first};
}
template <class Group>
RIDGELINE_WORD coalesced_group binary_partition(const Group& of, bool which) {
  const unsigned holds = emulated::ballot(of.lanes(), which ? 1 : 0);
  return coalesced_group(of.lanes() & (which ? holds : ~holds));
}
template <class Group, class Label>
RIDGELINE_WORD coalesced_group labeled_partition(const Group& of, Label label) {
  return coalesced_group(__match_any_sync(of.lanes(), label));
}

/// All blocks of a cooperative launch.
class grid_group {
 public:
  RIDGELINE_WORD static dim3 group_dim() { return details::to_dim3(emulated::grid_size()); }
  RIDGELINE_WORD static dim3 dim_blocks() { return group_dim(); }
  RIDGELINE_WORD static dim3 block_index() { return details::to_dim3(emulated::block_index()); }
  RIDGELINE_WORD static unsigned long long num_blocks() {
    const uint3 of_grid = emulated::grid_size();
    return 1ull * of_grid.x * of_grid.y * of_grid.z;
  }
  RIDGELINE_WORD static unsigned long long block_rank() {
    const uint3 of_grid = emulated::grid_size(), at = emulated::block_index();
    return (1ull * at.z * of_grid.y + at.y) * of_grid.x + at.x;
  }
  RIDGELINE_WORD static unsigned long long num_threads() {
    return num_blocks() * details::threads_of_block();
  }
  RIDGELINE_WORD static unsigned long long size() { return num_threads(); }
  RIDGELINE_WORD static unsigned long long thread_rank() {
    return block_rank() * details::threads_of_block() + details::thread_of_block();
  }
  RIDGELINE_WORD static bool is_valid() { return ::ridgeline::program::grid_arrivals() != nullptr; }
  RIDGELINE_WORD void sync() const {
    unsigned* const arrivals = ::ridgeline::program::grid_arrivals();
    if (arrivals == nullptr)
      emulated::mistaken("grid barrier without a cooperative launch",
                         "only such a launch has all its blocks on the device at once, and a "
                         "barrier of the grid");
    emulated::block_barrier(0xC0002u);
    if (details::thread_of_block() == 0) {
      emulated::fence();
      const auto block_count = static_cast<unsigned>(num_blocks());
      const unsigned end = (atomicAdd(arrivals, 1u) / block_count + 1) * block_count;
      while (*static_cast<volatile unsigned*>(arrivals) < end) {
      }
      emulated::fence();
    }
    emulated::block_barrier(0xC0003u);
  }
};
RIDGELINE_WORD grid_group this_grid() { return {}; }

/// The blocks of a cluster, from compute capability 9.0 on.
class cluster_group {
 public:
  struct arrival_token {};
  RIDGELINE_WORD static void sync() {
    emulated::cluster_arrive();
    emulated::cluster_wait();
  }
  RIDGELINE_WORD static arrival_token barrier_arrive() {
    return emulated::cluster_arrive(), arrival_token{};
  }
  RIDGELINE_WORD static void barrier_wait() { emulated::cluster_wait(); }
  RIDGELINE_WORD static void barrier_wait(arrival_token&&) { emulated::cluster_wait(); }
  RIDGELINE_WORD static unsigned block_rank() {
    return static_cast<unsigned>(emulated::cluster_rank());
  }
  RIDGELINE_WORD static unsigned num_blocks() {
    return static_cast<unsigned>(emulated::cluster_size());
  }
  RIDGELINE_WORD static dim3 dim_blocks() { return {num_blocks(), 1, 1}; }
  RIDGELINE_WORD static unsigned num_threads() {
    return num_blocks() * details::threads_of_block();
  }
  RIDGELINE_WORD static unsigned size() { return num_threads(); }
  RIDGELINE_WORD static unsigned thread_rank() {
    return block_rank() * details::threads_of_block() + details::thread_of_block();
  }
  template <class Value>
  RIDGELINE_WORD static Value* map_shared_rank(Value* in_shared, int rank) {
    return static_cast<Value*>(emulated::in_block_of_cluster(in_shared, rank));
  }
};
RIDGELINE_WORD cluster_group this_cluster() { return {}; }

template <class Group>
RIDGELINE_WORD void sync(const Group& group) {
  group.sync();
}
template <class Group>
RIDGELINE_WORD unsigned long long thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
RIDGELINE_WORD unsigned long long group_size(const Group& group) {
  return group.size();
}
template <class Group, class Function>
RIDGELINE_WORD void invoke_one(const Group& group, Function&& function) {
  if (group.thread_rank() == 0) function();
}

#undef RIDGELINE_WORD
}  // namespace cooperative_groups
