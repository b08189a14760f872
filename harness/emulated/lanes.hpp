#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vector_types.h>

#include "harness/emulated/alignment.hpp"
#include "harness/emulated/fiber.hpp"
#include "harness/emulated/findings.hpp"
#include "harness/emulated/kernel_call.hpp"
#include "harness/emulated/log.hpp"
#include "harness/emulated/paths.hpp"

namespace ridgeline::emulated {

/// Whether lanes wait, and for what.
enum class LaneState : std::uint8_t {
  fresh,
  ready,
  at_barrier,
  at_mbarrier,
  in_collective,
  log_full,
  spinning,
  done
};

/// A thread of the kernel: a fiber that runs until it has to wait.
struct alignas(64) Lane {
  Fiber fiber = nullptr;
  std::byte* stack = nullptr;
  Entry* log_end = nullptr;  // while another lane runs
  void* operands = nullptr;  // of the collective that it waits in, or the mbarrier that it waits at
  uint3 index{};
  std::uint32_t mask = 0;  // of the collective, or which barrier it waits at, or the awaited parity
  std::uint32_t pc = 0;    // where it waits
  std::uint16_t thread = 0, path = 0;
  LaneState state = LaneState::fresh;
  std::uint8_t operation = 0;   // of the barrier; 1 for a test of an mbarrier
  bool arrived = false;         // at the barrier of its cluster, for which it has not waited yet
  std::uint8_t collective = 0;  // which kind it waits in
  int predicate = 0;            // in: of the barrier; out: what it returns
};
static_assert(sizeof(Lane) == 64);

/// Collectives that do the same work are of one kind.
std::uint8_t next_kind_of_collective();
template <class Work>
inline const std::uint8_t kind_of_collective = next_kind_of_collective();

// A lane's stack holds what is in registers and local memory on a GPU. Behind all stacks lie the
// kernel's arguments.
inline constexpr std::size_t most_threads = 1024, stack_bytes = 64 << 10;
inline constexpr std::size_t lane_private_bytes = (most_threads + 1) * stack_bytes;
// Stacks and logs that lie at the same place of a page share the few lines of a cache set: each
// stack starts so much lower in a page, and each log in a set of its own.
inline constexpr std::size_t stagger = std::size_t{13} * 64, most_stagger = 4096;
// A log that a store has filled takes one entry more.
inline constexpr std::size_t log_entries = 256, log_stride = log_entries + 4;

/// The lanes of a block take turns on their OS thread: those of a warp run until all wait, then
/// what they have logged is aligned.
class Lanes {
 public:
  explicit Lanes(Findings& findings);
  Lanes(const Lanes&) = delete;
  ~Lanes();

  /// Lanes and warps go on in an order drawn from `seed`; 0: in theirs.
  void begin_launch(dim3 block, const KernelCall& call, std::uint64_t seed);
  void begin_block();
  int threads() const { return threads_; }
  int warps() const { return (threads_ + 31) / 32; }
  std::span<Lane> all() { return std::span(lanes_).first(static_cast<std::size_t>(threads_)); }
  std::span<Lane> of_warp(int warp) {
    const std::span<Lane> behind = all().subspan(32 * static_cast<std::size_t>(warp));
    return behind.first(std::min(behind.size(), std::size_t{32}));
  }
  /// Runs the lanes of a warp until all have ended or wait for another warp. False when the launch
  /// was stopped.
  bool run(int warp, Warp& aligned);
  /// Which of `count` goes first.
  std::size_t first_of(std::size_t count) { return shuffles_ ? draw(count) : 0; }
  template <class T>
  void arrange(std::span<T> items) {
    for (std::size_t i = items.size(); shuffles_ && i-- > 1;)
      std::swap(items[i], items[draw(i + 1)]);
  }

  // ---- of the lane that runs

  Lane& running() { return *running_; }
  /// Waits. Returns when it goes on.
  void park(LaneState state);
  /// Appends to its log.
  void log(std::uint64_t address, std::uint32_t pc, Act act, int bytes) {
    *hot.next = {address, pc, act, static_cast<std::uint8_t>(bytes), hot.path};
    if (++hot.next >= hot.end) park(LaneState::log_full);
  }
  /// Logs a fence, with its place among all that lanes of the block have executed.
  void log_fence(std::uint32_t pc, Act act) { log(++fences_, pc, act, 0); }
  /// What the running lane has logged and nobody has looked at yet.
  static std::span<const Entry> logged() { return {hot.end - log_entries, hot.next}; }
  void enter_function(std::uint32_t pc) {
    // Below what a finding needs: a recursion without end, or an array too large.
    constexpr std::uint64_t least = 8 << 10;
    const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (frame - (hot.stack + least) >= stack_bytes)
      stop("stack overflow", pc, -1,
           "a thread has 64 KiB for its variables and the functions that it calls");
    const auto path = paths_.enter(hot.path, pc);
    if (!path)
      stop("too many calls", pc, -1,
           "functions are reached along more than 65535 ways: inline them");
    hot.path = *path;
  }
  void leave_function() { hot.path = paths_.leave(hot.path); }
  /// Waits for the lanes of `mask`; the last one to come calls `work(operands of each lane, or
  /// null)`. `kept` is what the log keeps of it.
  template <class Operands, class Work>
  void collective(std::uint32_t mask, std::uint32_t pc, Act kept, Operands& operands,
                  const Work& work) {
    const std::uint32_t all = arrive(mask, pc, kept, &operands, kind_of_collective<Work>);
    if (all != 0) work_together<Operands>(all, work);
  }
  /// The same where nothing is handed over.
  template <class Work>
  void together(std::uint32_t mask, std::uint32_t pc, Act kept, const Work& work) {
    int nothing = 0;
    collective(mask, pc, kept, nothing, [&](int* const*) { work(); });
  }
  /// Notes a mistake of its, and ends the launch. Does not return.
  [[noreturn]] void stop(const char* check, std::uint32_t pc, int other, std::string_view detail,
                         std::uint64_t global = 0);

  /// "a warp's lanes 0xffffffff are waited for, and 0x0000000f of them never come: 4 have ended":
  /// by a lane in a collective.
  std::string awaited_in_collective(const Lane& lane);
  /// One that `lane` waits for in a collective, and that waits for `lane` in one with another mask;
  /// null when there is none.
  const Lane* waits_with_another_mask(const Lane& lane) const;

 private:
  std::size_t draw(std::size_t below);
  Lane* warp_of_running() { return &lanes_[static_cast<std::size_t>(running_->thread / 32) * 32]; }
  /// The lanes that take part, on the last of them; the others wait, and get 0 once all is done.
  std::uint32_t arrive(std::uint32_t mask, std::uint32_t pc, Act kept, void* operands,
                       std::uint8_t kind);
  void depart(std::uint32_t mask);  // lets the others go on
  // Not inlined: what it needs of the stack would lie between the few lines that each lane of a
  // warp has to touch.
  template <class Operands, class Work>
  [[gnu::noinline]] void work_together(std::uint32_t mask, const Work& work) {
    Operands* all[32];
    for (std::size_t i = 0; i < 32; ++i)
      all[i] =
          (mask >> i & 1) != 0 ? static_cast<Operands*>(warp_of_running()[i].operands) : nullptr;
    work(all);
    depart(mask);
  }
  std::uint32_t arrived_for(const Lane& lane) const;
  void hop(Lane* to);
  void come();
  static void enter();
  void resume(Lane& lane);

  Lane* next_ready() { return queue_at_ < queue_size_ ? queue_[queue_at_++] : nullptr; }
  Entry* log_of(const Lane& lane) { return &logs_[lane.thread % 32 * log_stride]; }
  /// False when something of a log is left.
  bool align(std::span<Lane> warp, bool all, Warp& aligned);
  bool restore_logs(int warp);  // false when there is nothing to restore
  void keep_logs(int warp);

  Findings& findings_;
  KernelCall call_;
  int threads_ = 0;
  bool shuffles_ = false;
  std::uint64_t random_ = 0;
  std::vector<Lane> lanes_ = std::vector<Lane>(most_threads);
  Lane* running_ = nullptr;  // null: the scheduler
  Lane* queue_[32] = {};     // those that can go on, of one warp
  std::size_t queue_size_ = 0, queue_at_ = 0;
  std::uint64_t fences_ = 0;  // so far
  std::uint32_t spins_ = 0;   // warps with lanes that have been parked as spinning
  /// A warp's lanes that wait in collectives, and what they want.
  struct Meeting {
    std::uint32_t lanes = 0;  // that the warp has: a last one may not be whole
    std::uint32_t arrived = 0, mask = 0;
    std::uint8_t kind = 0;
    bool several = false;  // some want others than the first to come
  };
  Meeting meetings_[32];
  Fiber scheduler_ = nullptr;
  std::byte* mapped_;
  std::byte* stacks_;  // a multiple of stack_bytes
  std::vector<std::byte*> free_stacks_;
  std::byte* left_stack_ = nullptr;  // of a lane that has ended, free once another one runs
  std::vector<Entry> logs_ = std::vector<Entry>(32 * log_stride);  // of the warp that runs
  LaneLog aligned_[32];                                            // what align() reads of them
  // Of each thread what could not be aligned: the collective that it waits in, or all that it did
  // while another lane of its warp waits for another warp. And which lanes of each warp have any.
  std::vector<std::vector<Entry>> kept_{most_threads};
  std::uint32_t keeps_[32] = {};
  Paths paths_;
};

}  // namespace ridgeline::emulated
