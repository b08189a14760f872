#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/context/detail/fcontext.hpp>
#include <vector_types.h>

#include "harness/device/emulated/alignment.hpp"
#include "harness/device/emulated/global_memory.hpp"
#include "harness/device/emulated/log.hpp"
#include "harness/device/emulated/paths.hpp"
#include "harness/device/emulated/report.hpp"
#include "harness/device/emulated/shared_history.hpp"
#include "harness/device/emulated/shared_variables.hpp"
#include "harness/device/emulated/site_table.hpp"

namespace ridgeline::device::emulated {

/// A kernel with its arguments. `run` calls it with a copy of `bytes` bytes of arguments, once a thread.
struct KernelCall {
  void (*run)(const void* arguments) = nullptr;
  const void* arguments = nullptr;
  std::size_t bytes = 0;
  void (*kernel)() = nullptr;  // its code, for its name
};

/// What a block may have, of the emulated architecture.
struct Limits {
  int threads = 1024;
  std::size_t shared_bytes = 0;  // dynamic and static together
};

/// Whether lanes wait, and for what.
enum class LaneState : std::uint8_t { fresh, ready, at_barrier, in_collective, log_full, done };

/// A thread of the kernel: a fiber that runs until it has to wait.
struct alignas(64) Lane {
  boost::context::detail::fcontext_t context = nullptr;
  std::byte* stack = nullptr;
  Entry* log_end = nullptr;  // while another lane runs
  void* operands = nullptr;  // of the collective that it waits in
  uint3 index{};
  std::uint32_t mask = 0;  // of the collective, or which barrier it waits at
  std::uint32_t pc = 0;    // where it waits
  std::uint16_t thread = 0, path = 0;
  LaneState state = LaneState::fresh;
  std::uint8_t operation = 0;  // of the barrier
  int predicate = 0;           // in: of the barrier; out: what it returns
};

// A lane's stack holds what is in registers and local memory on a GPU. Behind all stacks lie the kernel's arguments.
inline constexpr std::size_t most_threads = 1024, stack_bytes = 64 << 10;
// Stacks that start at the same place of a page would share cache sets.
inline constexpr std::size_t stagger = 64, staggers = 31;
inline constexpr std::size_t lane_private_bytes = (most_threads + 1) * stack_bytes;

/// Copies to shared memory that a lane has started and not waited for.
struct Copies {
  struct Copy {
    void* to;
    const void* from;  // null: zeros
    std::uint32_t pc;
  };
  std::vector<Copy> under_way;
  std::vector<std::size_t> groups;  // ends of those that are committed, in under_way
};

/// How a barrier combines predicates.
enum class Combine : std::uint8_t { any, all, count };

/// Runs blocks, one after the other, on the calling OS thread: each lane a fiber, each warp's lanes until all wait,
/// then what they did is aligned into requests, counted and checked.
class Block final : private Warp {
 public:
  Block(GlobalMemory& memory, const SharedVariables& variables, const Limits& limits);
  Block(const Block&) = delete;
  ~Block() override;

  /// Prepares for the blocks of a launch. Lanes and warps go on in an order drawn from `seed`; 0: in theirs.
  void begin(const LaunchConfig& config, const KernelCall& call, std::uint64_t seed);
  /// Runs block number `number`. False when a finding ended it before its end; the launch then ends, too.
  bool run(std::uint64_t number);
  /// What the blocks since begin() did; sites and findings in no order.
  Report end();

  // ---- what kernels call, on their lane

  /// The block that runs on this OS thread.
  static Block& current();
  const Lane& lane() const { return *running_; }
  uint3 index() const { return index_; }
  const LaunchConfig& config() const { return config_; }
  std::byte* dynamic_shared() const { return dynamic_; }

  int barrier(std::uint32_t barrier, std::uint32_t pc, Combine combine, int predicate);
  /// Waits for the lanes of `mask`; the last one to come calls `work(operands of each lane, or null)`. `kept` is what
  /// the log keeps of it.
  template <class Operands, class Work>
  void collective(std::uint32_t mask, std::uint32_t pc, Act kept, Operands& operands, Work&& work) {
    Operands* all[32];
    if (!arrive(mask, pc, kept, &operands)) return;
    for (std::size_t i = 0; i < 32; ++i)
      all[i] = (mask >> i & 1) != 0 ? static_cast<Operands*>(warp_of_running()[i].operands) : nullptr;
    work(all);
    depart(mask);
  }
  /// The same as log(), for an access that may be out of bounds or misaligned: then the launch ends.
  void check_and_log(std::uint64_t address, std::uint32_t pc, Act act, int bytes);
  /// Appends to the running lane's log.
  void log(std::uint64_t address, std::uint32_t pc, Act act, int bytes);
  void log_is_full();  // the lane waits until its log has been used
  void copy_async(void* to_shared, const void* from_global, bool inside, std::uint32_t pc);
  void copy_commit();
  void copy_wait(int groups, std::uint32_t pc);
  void count_tensor_instruction(std::uint32_t pc) { ++sites_.at(pc, Space::tensor, Act::collective, 0).requests; }
  void enter_function(std::uint32_t pc);
  void leave_function() { hot.path = paths_.leave(hot.path); }
  /// Notes a mistake of the running lane, and ends the launch. Does not return.
  [[noreturn]] void stop(const char* check, std::uint32_t pc, int other, const std::string& detail);

 private:
  Lane* lanes_in(int warp) { return &lanes_[static_cast<std::size_t>(warp) * 32]; }
  Lane* warp_of_running() { return lanes_in(running_->thread / 32); }
  /// True on the last lane of the mask; the others wait, and get false once all is done.
  bool arrive(std::uint32_t& mask, std::uint32_t pc, Act kept, void* operands);
  void depart(std::uint32_t mask);  // lets the others go on

  void request(const Request& request) override;
  void barrier() override;  // of the warp whose logs are aligned
  void global_request(const Request& request);
  void shared_request(const Request& request);
  void find(const char* check, std::uint32_t pc, int thread, int other, const std::string& detail);

  void hop(Lane* to);
  static void enter(boost::context::detail::transfer_t from);
  void resume(Lane& lane);
  Lane* next_ready() { return queue_at_ < queue_size_ ? queue_[queue_at_++] : nullptr; }
  void run_lanes();  // of the queue, until all of them wait or have ended
  void park(LaneState state);
  bool run_warp(int warp);
  bool release_barrier();
  void align_warp(int warp, bool all);
  Entry* log_of(int lane_in_warp) { return logs_.data() + static_cast<std::size_t>(lane_in_warp) * log_capacity_; }
  int lanes_of(int warp) const;
  std::uint64_t draw(std::uint64_t below);

  static constinit thread_local Block* here_;  // the block that runs on this OS thread

  GlobalMemory& memory_;
  const SharedVariables& variables_;
  const Limits limits_;

  LaunchConfig config_;
  KernelCall call_;
  std::uint64_t random_ = 0;
  bool shuffled_ = false;
  int threads_ = 0, warps_ = 0;
  uint3 index_{};
  std::uint64_t number_ = 0;

  std::vector<Lane> lanes_;
  std::vector<Copies> copies_;  // of each thread
  Lane* running_ = nullptr;     // null: the scheduler
  Lane* queue_[32] = {};
  int queue_size_ = 0, queue_at_ = 0;
  std::uint32_t arrived_[32] = {};  // lanes of each warp that wait in a collective
  boost::context::detail::fcontext_t scheduler_ = nullptr;
  std::byte* stacks_ = nullptr;
  std::vector<std::byte*> free_stacks_;
  std::byte* left_stack_ = nullptr;  // of a lane that has ended, free once another one runs
  bool stopped_ = false;

  std::size_t log_capacity_ = 256;
  std::vector<Entry> logs_;  // of the warp that runs
  Paths paths_;
  int aligned_warp_ = 0;

  std::byte* dynamic_ = nullptr;
  std::uint64_t static_shared_ = 0;  // where this OS thread's variables begin
  std::size_t static_bytes_ = 0;     // rounded up to whole words of 16 bytes
  SharedHistory history_;

  SiteTable sites_;
  std::map<std::pair<std::string, std::uint32_t>, Finding> findings_;
  std::uint64_t accesses_ = 0, barriers_ = 0;
};

}  // namespace ridgeline::device::emulated
