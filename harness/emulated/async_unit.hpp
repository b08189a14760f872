#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/emulated/async_calls.hpp"
#include "harness/emulated/findings.hpp"
#include "harness/emulated/groups.hpp"
#include "harness/emulated/shared_history.hpp"

namespace ridgeline::emulated {

class Block;
struct Lane;

/// What works beside a block's threads: mbarriers, bulk and tensor copies, and the products of
/// warpgroups. Copies bring their data as late as they may: when no lane can go on without them, or
/// at the wait that ends them; products read their factors and give their sums at the wait. Part of
/// Block, which calls it.
///
/// A call changes the state at once, on its lane. What it means for the order of accesses is an
/// event in the lane's log, or in those of a whole warp, and is taken up when the logs are aligned.
class AsyncUnit {
 public:
  static constexpr unsigned named_barriers = 16;  // of a block

  explicit AsyncUnit(Block& block) : block_(block) {}

  void begin_block();
  /// Notes what was never waited for.
  void end_block();

  // ---- of the scheduler, when no lane can go on

  /// Whether it has copied or multiplied since it was last asked.
  bool take_worked() { return std::exchange(worked_, false); }
  /// Whether a lane can go on now, if need be because a copy has come.
  bool go_on();
  /// "thread 0 and 127 more wait at full + 8 for parity 0, in phase 0: 0 arrivals and 16 bytes are
  /// outstanding": who waits for what.
  std::string awaited() const;

  // ---- of the alignment

  void event(std::uint64_t event, int thread, std::uint32_t pc);
  void warp_event(int warp);
  /// What one warp knows of other blocks of the cluster, all know from here on; `of_cluster`: all
  /// that those have done.
  void block_barrier(bool of_cluster);
  /// What a warp knows of the other block of the cluster; null: nothing.
  const SharedHistory::Knowledge* known_of(int warp, int rank) const {
    const KnownBlocks& mine = known_[static_cast<std::size_t>(warp)];
    const auto known = mine.find(rank);
    return known == mine.end() ? nullptr : &known->second;
  }

  // ---- of lanes, see async_calls.hpp

  void init(void* barrier, unsigned arrivals, std::uint32_t pc);
  void invalidate(void* barrier, std::uint32_t pc);
  void arrive(void* barrier, unsigned arrivals, std::uint64_t bytes, std::uint32_t pc);
  void arrive_at(void* barrier, int rank, std::uint32_t pc);
  void complete_at(void* barrier, int rank, unsigned bytes, std::uint32_t pc);
  bool wait(void* barrier, unsigned parity, bool test, std::uint32_t pc);
  unsigned parity(void* barrier, std::uint32_t pc) {
    return static_cast<unsigned>(barrier_at(barrier, pc).phase % 2);
  }
  void drop(void* barrier, std::uint32_t pc) { --barrier_at(barrier, pc).arrivals; }
  /// At barrier `number` of the block's own, whose present phase ends once `threads` threads have
  /// arrived. Returns the parity of that phase.
  unsigned arrive_at_named(unsigned number, unsigned threads, std::uint32_t pc);
  /// The same of a lane that does not wait, or says all threads of the block. From then on, nobody
  /// of the block waits there as at __syncthreads().
  unsigned arrive_in_part(unsigned number, unsigned threads, std::uint32_t pc);
  bool has_part_at(unsigned number) const { return (parts_ >> number & 1) != 0; }
  void fence(bool barriers_alone, std::uint32_t pc);

  void load(void* to_shared, const void* from_global, unsigned bytes, void* barrier,
            std::uint32_t pc);
  /// `adds`: f32 numbers to those that are there.
  void store(void* to_global, const void* from_shared, unsigned bytes, bool adds, std::uint32_t pc);
  void load(void* to_shared, const TensorMap& map, const int* at, void* barrier, std::uint32_t pc);
  void load_multicast(void* to_shared, const TensorMap& map, const int* at, void* barrier,
                      unsigned ranks, std::uint32_t pc);
  void store(const TensorMap& map, const int* at, const void* from_shared, std::uint32_t pc);
  void commit_stores();
  void wait_for_stores(int groups, std::uint32_t pc);

  void multiply(const Product& product, float* sums, const std::uint32_t* left, std::uint32_t pc);
  void fence_products(std::uint32_t pc);
  void commit_products(std::uint32_t pc);
  void wait_for_products(int groups, std::uint32_t pc);
  void set_registers(int count, std::uint32_t pc);
  /// Of the running lane, to its own memory: a mistake where the sums or the left factor of a
  /// product under way are kept there.
  void touch_private(std::uint64_t address, std::uint32_t pc);

  std::uint32_t window_of(const void* shared, std::uint32_t pc) const;

 private:
  using KnownBlocks = std::map<int, SharedHistory::Knowledge>;  // others of the cluster, by rank
  struct Barrier {
    unsigned arrivals = 0;
    std::int64_t pending = 0, bytes = 0;   // outstanding in this phase
    std::uint64_t phase = 0;               // how many are complete
    int thread = 0;                        // that initialised it
    bool fenced = false;                   // the unit sees that it is initialised
    SharedHistory::Knowledge known{};      // of those who arrived
    KnownBlocks others{};                  // what those know of other blocks
    std::map<int, std::uint32_t> lanes{};  // of each warp: that have arrived since it last waited
  };
  /// 16 bytes of shared memory; bytes [first, end) of them are copied from or to
  /// `global` + first.., others are zeros.
  struct Chunk {
    std::byte* shared;
    std::uint64_t global;
    std::uint8_t first, end;
  };
  struct Copy {
    bool is_load = false, adds = false;
    enum class State : std::uint8_t { issued, under_way, done } state = State::issued;
    int thread = 0;
    std::uint32_t pc = 0;
    std::uint64_t barrier = 0;  // of a load
    std::uint64_t bytes = 0;    // that the barrier is told of
    std::vector<Chunk> chunks{};
    std::vector<std::pair<int, std::size_t>> elsewhere{};  // the same in other blocks: rank, index
  };
  struct Sums {  // of a warp, one array a lane
    float* of[32] = {};
    std::size_t count = 0;      // in an array
    std::vector<float> values;  // while products are under way, all lanes' after each other
    int under_way = 0;
  };
  static constexpr std::size_t registers_of_left = 4;  // of a lane
  struct Left {  // a factor in registers, of a warp: one array a lane
    const std::uint32_t* of[32] = {};
    int under_way = 0;
  };
  struct Started {
    Product product;
    std::size_t sums = 0;
    std::uint32_t pc = 0;
    std::optional<std::size_t> left{};  // which of the warp's, where it is in registers
    std::array<std::uint32_t, 32 * registers_of_left> values{};  // of that, all lanes' in turn
  };
  struct WarpProducts {
    Groups<Started> started;
    std::vector<Sums> sums;
    std::vector<Left> lefts;
    std::deque<std::pair<Started, bool>> events;  // true: its end
    bool fenced = false;
    std::uint64_t sequence = 0;  // of what the warp did as part of its warpgroup
    int registers = 0;
  };

  /// Whether it is one with a number, and not in shared memory.
  static bool is_named(std::uint64_t barrier) {
    return barrier < std::uint64_t{16} * named_barriers;
  }
  /// Where what is known of those who arrived is kept. Of barriers with numbers phases are told
  /// apart, so that who waits for one does not learn of the next one's arrivals.
  static void* place_of_phase(void* barrier, std::uint64_t phase) {
    const auto address = reinterpret_cast<std::uint64_t>(barrier);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return is_named(address) ? reinterpret_cast<void*>(address + phase % 2 * 8) : barrier;
  }
  std::string name_of(std::uint64_t barrier) const;
  /// Sends lanes that wait at barrier 0 as at __syncthreads() to where others arrive.
  bool wait_in_part();
  Barrier& barrier_at(void* barrier, std::uint32_t pc);
  static void complete_phase(Barrier& barrier);
  void count_arrival(Barrier& barrier, const void* at, unsigned arrivals, std::uint64_t bytes,
                     std::uint32_t pc);
  void* moved_to(const AsyncUnit& there, const void* in_shared) const;
  void arrival_elsewhere(std::uint64_t barrier, int thread, std::uint32_t pc);
  void begin_elsewhere(const Copy& copy);
  void publish_barriers();
  void check_fenced(const Copy& copy, Findings& findings) const;
  bool has_passed(const Lane& lane) const;
  std::size_t add_copy(Copy copy);
  Copy row(const void* shared, const void* global, unsigned bytes, bool is_load, std::uint32_t pc);
  Copy box(const TensorMap& map, const int* at, std::byte* shared, bool is_load, std::uint32_t pc);
  void check_shared(const void* at, std::uint64_t bytes, unsigned alignment, std::uint32_t pc);
  void check_global(const Copy& copy);
  void begin_copy(Copy& copy);
  void touch_global(const Copy& copy);
  void deliver(Copy& copy);
  void end_store(Copy& copy);

  std::byte* pointer_of(std::uint32_t window) const;
  template <class Each>
  void each_chunk(const Started& started, int warp, Each&& each) const;
  void check_factors(const Started& started, int warp, std::uint32_t pc);
  void compute(const Started& started, int warp);
  int warp_of_group(std::uint32_t pc);
  template <class Work>
  void by_warp(std::uint32_t pc, const Work& work);

  Block& block_;
  std::map<std::uint64_t, Barrier> barriers_;
  std::deque<Copy> copies_;
  std::map<int, Groups<std::size_t>> stores_;  // of each thread
  std::vector<WarpProducts> products_{32};
  std::vector<KnownBlocks> known_{32};  // of each warp
  // All that the block had done at the cluster's last barrier that it has passed.
  std::optional<std::pair<std::uint64_t, SharedHistory::Knowledge>> passed_;
  int idle_polls_ = 0;
  std::uint32_t parts_ = 0;  // the numbers of such barriers
  bool used_ = false;        // in this block
  bool worked_ = false;      // in blocks since it was asked
};

}  // namespace ridgeline::emulated
