#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/context/detail/fcontext.hpp>
#include <vector_types.h>

#include "harness/emulated/alignment.hpp"
#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/cache_model.hpp"
#include "harness/emulated/findings.hpp"
#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/kernel_call.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/log.hpp"
#include "harness/emulated/paths.hpp"
#include "harness/emulated/report.hpp"
#include "harness/emulated/resident_blocks.hpp"
#include "harness/emulated/shared_memory.hpp"
#include "harness/emulated/site_table.hpp"

namespace ridgeline::emulated {

/// Whether lanes wait, and for what.
enum class LaneState : std::uint8_t { fresh, ready, at_barrier, at_mbarrier, in_collective, log_full, spinning, done };

/// A thread of the kernel: a fiber that runs until it has to wait.
struct alignas(64) Lane {
  boost::context::detail::fcontext_t context = nullptr;
  std::byte* stack = nullptr;
  Entry* log_end = nullptr;  // while another lane runs
  void* operands = nullptr;  // of the collective that it waits in, or the mbarrier that it waits at
  uint3 index{};
  std::uint32_t mask = 0;  // of the collective, or which barrier it waits at, or the awaited parity
  std::uint32_t pc = 0;    // where it waits
  std::uint16_t thread = 0, path = 0;
  LaneState state = LaneState::fresh;
  std::uint8_t operation = 0;  // of the barrier; 1 for a test of an mbarrier
  int predicate = 0;           // in: of the barrier; out: what it returns
};

// A lane's stack holds what is in registers and local memory on a GPU. Behind all stacks lie the kernel's arguments.
inline constexpr std::size_t most_threads = 1024, stack_bytes = 64 << 10;
// Stacks and logs that lie at the same place of a page share the few lines of a cache set: each stack starts so much
// lower in a page, and each log in a set of its own.
inline constexpr std::size_t stagger = 13 * 64, most_stagger = 4096;
inline constexpr std::size_t log_entries = 256, log_stride = log_entries + 4;
inline constexpr std::size_t lane_private_bytes = (most_threads + 1) * stack_bytes;

/// Where a lane reads memory that others write while it waits: volatile loads, and atomics. `value` is what was there
/// when it last let others go on.
struct Spin {
  std::uint64_t address = 0, value = 0;
  std::uint32_t pc = 0;      // of the last such access
  std::uint32_t rounds = 0;  // in which nothing has changed
};

/// Copies to shared memory that a lane has started and not waited for.
struct Copies {
  struct Copy {
    void* to;
    const void* from;  // null: zeros
    std::uint32_t pc;
  };
  std::vector<Copy> under_way;
  std::vector<std::size_t> groups;          // ends of those that are committed, in under_way
  std::uint64_t bytes = 0, most_bytes = 0;  // from global memory: under way now, and at most so far
};

/// Loads of global memory that a warp does one behind the other: each behind the last one in the program, with no
/// store, atomic, barrier or collective between them. That many bytes the warp may have asked for before it waits for
/// any. Uses in between, as an address or in arithmetic, are not seen.
struct LoadRun {
  std::uint64_t bytes = 0, most_bytes = 0;
  std::uint32_t pc = 0;  // of the last one

  void load(std::uint32_t at, std::uint64_t count) {
    bytes = at > pc ? bytes + count : count;
    pc = at;
    if (bytes > most_bytes) most_bytes = bytes;
  }
  void end() { bytes = pc = 0; }
};

inline constexpr std::uint32_t cluster_barrier = 0xFFFFFFFFu;  // beside the numbers of the block's own barriers

/// Runs blocks, one after the other, on the calling OS thread: each lane a fiber, each warp's lanes until all wait,
/// then what they did is aligned into requests, counted and checked.
class Block final : private Warp {
 public:
  Block(GlobalMemory& memory, const SharedVariables& variables, const Limits& limits);
  Block(const Block&) = delete;
  ~Block() override;

  /// Prepares for the blocks of a launch. Lanes and warps go on in an order drawn from `seed`; 0: in theirs.
  void begin(const device::LaunchConfig& config, const KernelCall& call, std::uint64_t seed);
  /// Runs block number `number`, one of `residents` where it has others to wait for. False when a finding ended it
  /// before its end; the launch then ends, too.
  bool run(std::uint64_t number, ResidentBlocks* residents = nullptr, std::size_t place = 0);
  /// What the blocks since begin() did; sites and findings in no order.
  Report end();
  /// Of global memory, by the block that has run, in an order that does not depend on the seed. Empty where caches are
  /// not modelled.
  std::vector<LineTouch> take_touched() { return std::exchange(touched_, {}); }

  // ---- what kernels call, on their lane

  /// The block that runs on this OS thread.
  static Block& current() { return *here_; }
  const Lane& lane() const { return *running_; }
  uint3 index() const { return index_; }
  const device::LaunchConfig& config() const { return config_; }
  AsyncUnit& async_unit() { return async_; }

  int barrier(std::uint32_t barrier, std::uint32_t pc, Combine combine, int predicate);
  /// Waits for the lanes of `mask`; the last one to come calls `work(operands of each lane, or null)`. `kept` is what
  /// the log keeps of it.
  template <class Operands, class Work>
  void collective(std::uint32_t mask, std::uint32_t pc, Act kept, Operands& operands, const Work& work) {
    const std::uint32_t all = arrive(mask, pc, kept, &operands);
    if (all != 0) work_together<Operands>(all, work);
  }
  /// The same as log(), for an access that may be out of bounds or misaligned: then the launch ends.
  void check_and_log(std::uint64_t address, std::uint32_t pc, Act act, int bytes) {
    const auto count = static_cast<std::uint64_t>(bytes);
    if ((address & (count - 1)) != 0 || (is_global(address) && !is_inside(address, count)))
      refuse_access(address, pc, bytes);
    log(address, pc, act, bytes);
  }
  [[noreturn]] void refuse_access(std::uint64_t address, std::uint32_t pc, int bytes);
  /// Appends to the running lane's log.
  void log(std::uint64_t address, std::uint32_t pc, Act act, int bytes) {
    *hot.next = {address, pc, act, static_cast<std::uint8_t>(bytes), hot.path};
    if (++hot.next == hot.end) log_is_full();
  }
  void log_is_full();  // the lane waits until its log has been used
  /// Before an access through which lanes may wait for what others write: comes to it again in a loop, and others go on
  /// first. Many times in vain is a deadlock.
  void spin_point(std::uint64_t address, std::uint32_t pc, int bytes);

  // Clusters: this block's place, and the barrier of all threads.
  bool in_cluster() const { return residents_ != nullptr && residents_->is_cluster(); }
  int cluster_rank() const { return in_cluster() ? static_cast<int>(place_) : 0; }
  int cluster_size() const { return in_cluster() ? static_cast<int>(residents_->size()) : 1; }
  void cluster_arrive(std::uint32_t pc);
  void cluster_wait(std::uint32_t pc);
  /// What lies at `in_shared` in the block of that rank.
  void* in_block(void* in_shared, int rank, std::uint32_t pc);

  void copy_async(void* to_shared, const void* from_global, bool inside, std::uint32_t pc);
  void copy_commit();
  void copy_wait(int groups, std::uint32_t pc);
  void count_tensor_instruction(std::uint32_t pc) { ++sites_.at(pc, Space::tensor, Act::collective, 0).requests; }
  void enter_function(std::uint32_t pc) {
    const auto path = paths_.enter(hot.path, pc);
    path ? void(hot.path = *path) : refuse_path(pc);
  }
  void leave_function() { hot.path = paths_.leave(hot.path); }
  /// Notes a mistake of the running lane, and ends the launch. Does not return.
  [[noreturn]] void stop(const char* check, std::uint32_t pc, int other, std::string_view detail,
                         std::uint64_t global = 0);

  Findings findings;
  SharedMemory shared;

 private:
  friend class AsyncUnit;

  Lane& running_lane() { return *running_; }

  Lane* lanes_in(int warp) { return &lanes_[static_cast<std::size_t>(warp) * 32]; }
  Lane* warp_of_running() { return lanes_in(running_->thread / 32); }
  /// The lanes that take part, on the last of them; the others wait, and get 0 once all is done.
  std::uint32_t arrive(std::uint32_t mask, std::uint32_t pc, Act kept, void* operands);
  void depart(std::uint32_t mask);  // lets the others go on
  // Not inlined: what it needs of the stack would lie between the few lines that each lane of a warp has to touch.
  template <class Operands, class Work>
  [[gnu::noinline]] void work_together(std::uint32_t mask, const Work& work) {
    Operands* all[32];
    for (std::size_t i = 0; i < 32; ++i)
      all[i] = (mask >> i & 1) != 0 ? static_cast<Operands*>(warp_of_running()[i].operands) : nullptr;
    work(all);
    depart(mask);
  }
  [[noreturn]] void refuse_mask(std::uint32_t mask, std::uint32_t pc);

  void request(const Request& request) override;
  void barrier() override;  // of the warp whose logs are aligned
  void collective() override;
  void event() override { async_.warp_event(aligned_warp_); }
  /// `by_threads`: and not by the asynchronous unit, whose order with threads is not followed there.
  void touch_global(const GlobalMemory::Accesses& accesses, std::uint32_t pc, bool by_threads);
  void memory_request(const Request& request);
  void global_request(const Request& request, bool row);
  void count_copied(const Request& to);
  void touch_lines(const Request& request, bool row);
  /// Of the warp whose logs are aligned. `kind`: LineTouch::reads, LineTouch::writes or both.
  void touch_line(std::uint64_t address, std::uint64_t kind);
  void order_touched();  // at a barrier of the block, or its end
  void note_in_flight();
  void shared_request(const Request& request);

  [[noreturn]] void refuse_path(std::uint32_t pc);
  void hop(Lane* to);
  static void enter(boost::context::detail::transfer_t from);
  void resume(Lane& lane);
  Lane* next_ready() { return queue_at_ < queue_size_ ? queue_[queue_at_++] : nullptr; }
  enum class Pause : std::uint8_t { passed, spins, ends };
  void say_who_waits();
  std::string collective_awaits(const Lane& lane) const;
  void cluster_request(const Request& request, Block& owner);
  bool let_others_go_on();
  void run_lanes();  // of the queue, until all of them wait or have ended
  void park(LaneState state);
  bool run_warp(int warp);
  Pause release_barrier();
  void align_warp(int warp, bool all);
  void keep_log(int warp);  // of a warp that cannot go on now
  void bring_back_log(int warp);
  Entry* log_of(int lane_in_warp) { return logs_.data() + static_cast<std::size_t>(lane_in_warp) * log_stride; }
  int lanes_of(int warp) const { return std::min(32, threads_ - 32 * warp); }
  std::uint64_t draw(std::uint64_t below);

  // The block that runs on this OS thread.
  static constinit thread_local Block* here_ __attribute__((tls_model("initial-exec")));

  GlobalMemory& memory_;
  const Limits limits_;

  ResidentBlocks* residents_ = nullptr;
  std::size_t place_ = 0;
  std::uint64_t owner_ = 0;                 // in global memory: blocks that wait for each other are one
  bool progress_ = false, waited_ = false;  // since the lanes of all warps began to run
  std::uint64_t vain_rounds_ = 0, awaited_phase_ = 0;
  std::vector<bool> arrived_at_cluster_;
  bool has_copies_ = false, has_spins_ = false;  // that the next block must not see

  device::LaunchConfig config_;
  KernelCall call_;
  std::uint64_t random_ = 0;
  bool shuffled_ = false;
  int threads_ = 0, warps_ = 0;
  uint3 index_{};
  std::uint64_t number_ = 0;

  std::vector<Lane> lanes_;
  std::vector<Spin> spins_;     // of each thread
  std::vector<Copies> copies_;  // of each thread
  std::vector<Entry> kept_;     // the entry of each thread's log that could not be aligned; no pc where there is none
  Lane* running_ = nullptr;     // null: the scheduler
  Lane* queue_[32] = {};
  int queue_size_ = 0, queue_at_ = 0;
  std::uint32_t arrived_[32] = {};  // lanes of each warp that wait in a collective
  boost::context::detail::fcontext_t scheduler_ = nullptr;
  std::byte* stacks_ = nullptr;
  std::vector<std::byte*> free_stacks_;
  std::byte* left_stack_ = nullptr;  // of a lane that has ended, free once another one runs

  std::vector<Entry> logs_;  // of the warp that runs
  Paths paths_;
  int aligned_warp_ = 0;
  bool strong_ = false;  // the request is of atomic or volatile accesses

  Request copied_;  // sources of copies whose destinations come with the next request

  std::vector<LineTouch> touched_;              // of the block, up to its last barrier
  std::vector<LineTouch> touched_of_warp_[32];  // since then
  LoadRun loads_[32];                           // of each warp
  AsyncUnit async_{*this};

  SiteTable sites_;
  std::uint64_t accesses_ = 0, barriers_ = 0;
  std::uint64_t in_flight_bytes_ = 0;  // the most of a warp
};

}  // namespace ridgeline::emulated
