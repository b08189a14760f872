#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/emulated/fences.hpp"
#include "harness/emulated/last_block.hpp"
#include "harness/emulated/log.hpp"
#include "harness/emulated/program_variables.hpp"
#include "harness/emulated/shared_history.hpp"
#include "harness/emulated/unfenced_flags.hpp"

namespace ridgeline::emulated {

// Each allocation has 4 GiB of addresses for itself, of which only its own are backed: whether an
// access is inside is one look-up, and one that overruns by less than 4 GiB cannot reach another
// allocation.
inline constexpr std::uint64_t global_base = std::uint64_t{1} << 44,
                               slot_span = std::uint64_t{1} << 32;
inline constexpr std::size_t slots = 4096;
inline constexpr std::uint64_t global_span = slot_span * slots;
inline constexpr std::uint64_t slot_front = 1 << 16;  // addresses before an allocation, to see
                                                      // accesses that come too early

/// An access of host code to the device's memory, which only a GPU refuses.
struct HostAccess {
  std::uint64_t address = 0;
  std::uint32_t pc = 0;
};
/// Called by the compiler's instrumentation of host code; of each place the first one is kept.
void note_host_access(std::uint64_t address, std::uint32_t pc);
std::vector<HostAccess> take_host_accesses();

/// Bytes of the allocation of each slot; 0 when there is none. Read at every access.
extern constinit std::uint64_t slot_bytes[slots];

/// Variables of the program have owners like allocations, as if they lay in the first of these
/// places, which is no allocation's.
inline std::uint64_t global_of_variable(std::uint64_t address) {
  return global_base + slot_front + ProgramVariables::offset_of(address);
}

inline bool is_global(std::uint64_t address) { return address - global_base < global_span; }
/// Whether `bytes` at a global `address` lie in its allocation.
inline bool is_inside(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = address - global_base;
  // Below the front the difference wraps round and is larger than any size.
  return (offset & (slot_span - 1)) - slot_front + bytes <= slot_bytes[offset / slot_span] &&
         (offset & (slot_span - 1)) >= slot_front;
}

struct Request;

/// Which earlier launches nothing orders before the one that begins, as those of two streams.
class LaunchOrder {
 public:
  virtual ~LaunchOrder() = default;
  /// Of a number that a launch has given to a block, see GlobalMemory::next_launch().
  virtual bool is_unordered(std::uint32_t number) const = 0;
  /// What is told of it.
  virtual std::string describe(std::uint32_t number) const = 0;
};

/// The memory of the emulated device. One at a time in a process. Kernels that run at once may call
/// what is marked so.
class GlobalMemory {
 public:
  /// Throws a dependency Error when the addresses cannot be reserved.
  GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  ~GlobalMemory();

  /// Zero bytes give an address that nothing may touch. `name` is how findings call it. Throws when
  /// there is no memory.
  void* allocate(std::size_t bytes, std::string name);
  void release(void* memory) noexcept;
  /// What the host wrote counts as initialised, or, with `written` false, as never written.
  void mark(const void* memory, std::size_t bytes, bool written);

  /// Forgets which blocks touched what: a launch, of `blocks` blocks, comes after all of the last
  /// one. `at_once`: its blocks run on several OS threads, so that what one has done may be told
  /// after what another does behind it.
  void begin_launch(std::uint64_t blocks, bool at_once = false);
  /// From now on launches race with earlier ones, too: with those from number `from` on that are
  /// unordered. Null: with none.
  void look_at_order(const LaunchOrder* order, std::uint32_t from = 0) {
    order_ = order;
    unordered_from_ = from;
  }
  std::string describe_launch(std::uint32_t number) const { return order_->describe(number); }
  struct EarlierTouch {
    std::uint64_t address = 0;
    std::uint32_t launch = 0;
    const char* race = nullptr;
  };
  /// Likewise a copy, as a launch of its own, of the whole words of these bytes: the first of them
  /// that another launch has touched so that the order matters. `notes`: later ones race with it.
  std::optional<EarlierTouch> touch_by_host(const void* memory, std::size_t bytes, bool writes,
                                            bool notes);
  /// Who accesses: threads of a block, or the asynchronous unit; whether by atomic or volatile
  /// accesses, which only its block may rely on; and whether no other block has the same number.
  struct Toucher {
    std::uint32_t block = 0;
    bool by_threads = true, strong = false, in_block = false, alone = true;
  };
  /// The same access by several threads: `threads` are behind `first_thread`, one for each address.
  struct Accesses {
    std::span<const std::uint64_t> addresses;
    std::span<const std::uint8_t> threads;
    int first_thread = 0, bytes = 0;
    Act act = Act::read;
    const Request* request = nullptr;  // that they are
    bool row = false;                  // addresses lie side by side
  };
  struct Race {
    const char* what = nullptr;  // "race between blocks (read after write)"; null: none
    int other = -1;              // thread of the same block
    bool same_value = false;     // was stored by both
    bool with_read = false;      // of a store: it races with a read of its block, too
    bool with_strong = false;    // the other access was atomic or volatile, like all before it
    std::uint32_t launch = 0;    // an earlier one, of LaunchOrder; 0: of this one
    // Of another block, where that is one thread's: which.
    std::int64_t other_block = -1;
    int thread_there = -1;
  };
  struct Mistake {
    std::size_t access = 0;  // its place in the addresses
    bool unwritten = false;  // reads bytes that nobody has written
    Race race;
  };
  /// Notes accesses of 1 to 16 bytes that are inside, from number `next` on, one after the other,
  /// up to the first with which something is wrong, and moves `next` behind it; absent when there
  /// is none left. A race: another block of this launch, or another thread of the block, whose
  /// history is given, touched the same bytes so that the order matters, and nothing has ordered
  /// them. Called by kernels.
  std::optional<Mistake> touch(const Accesses& accesses, std::size_t& next, const Toucher& toucher,
                               const SharedHistory& history);
  /// That a kernel has written these bytes, before their access is looked at. Called by kernels.
  void note_written(std::uint64_t address, std::uint64_t bytes);
  /// What the block's fences have ordered before others, from now on. Called by kernels.
  void fence(std::uint32_t block, const SharedHistory::Clocks& fenced);
  /// What is known of atomic and volatile accesses.
  struct FlagUse {
    bool checked = false;  // plain loads that an atomic behind them checks
    bool polls = false;    // volatile loads that are repeated
    UnfencedFlags::Kind kind = UnfencedFlags::Kind::update;
    std::uint64_t barriers = 0;  // that the block has passed
    std::uint32_t pc = 0;
  };
  /// A load of what no fence orders before it: by the last block to come to a counter, or behind a
  /// flag.
  struct Unordered {
    std::size_t access = 0;  // its place in the addresses
    bool behind_flag = false;
  };
  /// Atomic and volatile accesses, by which blocks hand over what their fences have ordered. The
  /// one, if any, with which it is clear that it comes too early: see LastBlock and UnfencedFlags.
  /// Called by kernels.
  std::optional<Unordered> touch_flags(const Accesses& accesses, const Toucher& toucher,
                                       const FlagUse& use);

  /// The first of the accesses to bytes that this launch has stored to so far, by whomever; absent
  /// when there is none. Called by kernels.
  std::optional<std::size_t> changed_by_launch(const Accesses& accesses);

  /// Numbers that launches from now on give to their blocks are not below it.
  std::uint32_t next_launch() const { return free_number_; }
  /// Whether a launch from `next_launch()` on has stored to the word, or, `or_read`, touched it, by
  /// plain accesses. Of a word in an allocation; touches no other memory, for handlers of signals.
  bool touched_since(std::uint64_t address, std::uint32_t launch, bool or_read);

  /// Where the first of these bytes is that nobody has written; absent when all are. They lie in an
  /// allocation, or none is looked at.
  std::optional<std::uint64_t> first_unwritten(const void* memory, std::size_t bytes) const;
  /// Whether some of these bytes, which lie in an allocation, were written. Called by kernels.
  bool any_written(std::uint64_t address, std::uint64_t bytes) const;
  /// Whether nobody has written to the allocation at `memory`, anywhere.
  bool is_untouched(const void* memory) const;
  /// That the bytes at `to` were copied: those are as unwritten as what they were copied from,
  /// which may be the host's. Both lie in an allocation or in none.
  void mark_copied(const void* to, const void* from, std::size_t bytes);

  /// "input[1024] of 4096 bytes + 4100": where an address lies, for messages. Also of variables.
  std::string describe(std::uint64_t address) const;
  /// A number of the allocation, above all numbers of shared variables; 0 for variables of the
  /// program, which lie side by side.
  static std::uint64_t allocation_of(std::uint64_t address);

 private:
  /// Who touched a word last. Of each: the block's number in 26 bits, whether its bytes have owners
  /// of their own, the bytes of the word in 4, and whether all accesses were atomic or volatile.
  /// Numbers grow from launch to launch, so that smaller ones are as good as none.
  struct Owner {
    std::uint32_t writer;
    std::uint32_t reader;
    // Moments of that block's history, see SharedHistory::moment().
    std::uint32_t written_at, read_at;
  };
  struct Access;
  Race race(Access access, bool reads, Owner& owner, const SharedHistory& history);
  struct Slot;
  /// touch() of a row of plain accesses to whole words by threads of a block, with which, as is
  /// mostly so, nothing can be wrong: false, and nothing noted, where something may be.
  bool touch_row(const Accesses& accesses, const Toucher& toucher, const SharedHistory& history);
  Race race_with_earlier(const Access& access, bool reads, const Slot& slot, std::uint64_t word);
  std::uint32_t still_told(const Access& access, std::uint32_t cell, std::uint32_t& moment);
  Race touch_bytes(const Access& access, bool reads, Slot& slot, std::uint64_t word,
                   const SharedHistory& history);
  /// Whether fences order the access of number `owner` at `moment` before what `me` does; of blocks
  /// that run at once, whether one of them has any. Owner 0 are several: whether `me` has any.
  bool fenced(std::uint32_t owner, std::uint32_t moment, std::uint32_t me);
  /// touch_flags() of one access, of the last block: whether that is clear with it.
  bool reads_unordered(std::uint64_t address, Act act, std::uint32_t me, std::uint32_t pc);
  /// Whether a fence orders the last store to the word, of block `writer`, before what `me` does.
  bool is_store_ordered(std::uint64_t address, std::uint32_t writer, std::uint32_t me);
  /// That a launch gives to its block; behind several_.
  std::uint32_t number_of(std::uint32_t block) const;
  struct Slot {
    std::size_t bytes = 0;
    std::string name;
    std::byte* written = nullptr;  // a bit a byte
    std::size_t written_bytes = 0;
    Owner* owners = nullptr;  // one per word
    std::size_t owners_bytes = 0;
    Owner* byte_owners = nullptr;  // one per byte, of words that are touched in parts; null: none
                                   // yet
    bool whole = false;            // all of it has been written
    bool freed = false;            // all but its size and name is gone
  };
  Owner* byte_owners_of(Slot& slot);
  static std::size_t owners_bytes(std::size_t bytes);
  static void forget_owners(const Slot& slot);
  static std::size_t byte_owners_bytes(const Slot& slot) {
    return (slot.bytes + 4) * sizeof(Owner);
  }
  Slot& slot_of(std::uint64_t address) { return slots_[(address - global_base) / slot_span]; }

  std::vector<Slot> slots_;
  // In cells of this launch: several blocks; and of the next launch.
  std::uint32_t several_ = 1, free_number_ = 2;
  bool at_once_ = false;
  const LaunchOrder* order_ = nullptr;
  std::uint32_t unordered_from_ = 0;
  std::mutex fences_together_, bytes_together_;
  std::set<std::uint32_t> fenced_;  // blocks of this launch, where several run at once
  Fences fences_;                   // and where one runs at a time
  LastBlock last_block_;            // likewise
  UnfencedFlags flags_;             // likewise
  std::size_t next_ = 1;            // before the first allocation nothing may lie, either
};

}  // namespace ridgeline::emulated
