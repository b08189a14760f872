#include <algorithm>
#include <atomic>
#include <bit>

#include <sys/mman.h>

#include "harness/device/emulated/global_memory.hpp"

// Whether what a kernel reads was written, and which blocks and threads touched a word of global memory last.
namespace ridgeline::device::emulated {
namespace {

static_assert(std::endian::native == std::endian::little, "marks of bytes are read as words of 64 bits");

constexpr std::uint32_t numbers = 1u << 27;         // that a cell can hold
constexpr std::uint32_t most_blocks = numbers - 2;  // of a launch, to be told apart; the others wrap round

constexpr std::uint32_t owner_of(std::uint32_t cell) { return cell >> 5; }
constexpr std::uint32_t bytes_of(std::uint32_t cell) { return cell & 0x1E; }
constexpr bool is_strong(std::uint32_t cell) { return (cell & 1) != 0; }

using Cell = std::atomic_ref<std::uint32_t>;
std::uint32_t load(std::uint32_t& cell) { return Cell(cell).load(std::memory_order_relaxed); }
void store(std::uint32_t& cell, std::uint32_t value) { Cell(cell).store(value, std::memory_order_relaxed); }

/// Sets marks, those of neighbours at once: threads that write side by side share a word of marks.
class Marks {
 public:
  Marks() = default;
  Marks(const Marks&) = delete;
  ~Marks() { set(); }
  void add(std::uint64_t* word, std::uint64_t marks) {
    if (word != word_) set();
    word_ = word;
    marks_ |= marks;
  }

 private:
  void set() {
    if (marks_ != 0) std::atomic_ref(*word_).fetch_or(marks_, std::memory_order_relaxed);
    marks_ = 0;
  }
  std::uint64_t* word_ = nullptr;
  std::uint64_t marks_ = 0;
};

}  // namespace

/// Accesses of one kind by one block, thread by thread.
class GlobalMemory::Visit {
 public:
  Visit(GlobalMemory& memory, const Toucher& toucher, const SharedHistory& history)
      : memory_(memory),
        history_(history),
        several_(memory.several_),
        me_(memory.number_of(toucher.block)),
        strong_(toucher.strong ? 1 : 0),
        by_threads_(toucher.by_threads),
        follows_threads_(toucher.by_threads && toucher.alone) {}

  /// The thread that touches these bytes of words from now on.
  void come(int thread, std::uint32_t bytes) {
    thread_ = thread;
    bytes_ = bytes;
    now_ = by_threads_ ? history_.moment(thread, bytes, strong_ != 0) : 0;
  }
  void read(Owner& owner, Mistake& mistake) {
    const std::uint32_t wrote = current(owner.writer), read = current(owner.reader);
    if (!is_clear(wrote, owner.written_at)) say_of_read(mistake, wrote, owner);
    const bool mine = read == 0 || owner_of(read) == me_;
    const std::uint32_t bytes = bytes_of(read) | bytes_ << 1 | (read == 0 || is_strong(read) ? strong_ : 0);
    store(owner.reader, (mine ? me_ : several_) << 5 | bytes);
    store(owner.read_at, now_);
  }
  void write(Owner& owner, Mistake& mistake) {
    const std::uint32_t wrote = current(owner.writer), read = current(owner.reader);
    if (!is_clear(wrote, owner.written_at) || !is_clear(read, owner.read_at)) say_of_write(mistake, wrote, read, owner);
    const std::uint32_t mine = owner_of(wrote) == me_ ? bytes_of(wrote) : 0;
    const std::uint32_t still_strong = mine == 0 || is_strong(wrote) ? strong_ : 0;
    store(owner.writer, me_ << 5 | mine | bytes_ << 1 | still_strong);
    store(owner.written_at, now_);
  }

 private:
  /// What the cell says of this launch; 0 when nothing.
  std::uint32_t current(std::uint32_t& cell) const {
    const std::uint32_t value = load(cell);
    return owner_of(value) < several_ ? 0 : value;
  }
  /// Whether nothing can be wrong with an access behind that one, which most are.
  bool is_clear(std::uint32_t cell, std::uint32_t& moment) const {
    if ((bytes_of(cell) & bytes_ << 1) == 0) return true;
    if (owner_of(cell) != me_) return strong_ != 0 && is_strong(cell);
    return !follows_threads_ || !history_.races(load(moment), thread_, bytes_, strong_ != 0);
  }
  bool races(std::uint32_t cell, std::uint32_t& moment) const {
    return owner_of(cell) == me_ && !is_clear(cell, moment);
  }
  /// Of blocks, unless fences have ordered them.
  bool collides(std::uint32_t cell, std::uint32_t& moment) {
    if (owner_of(cell) == me_ || is_clear(cell, moment)) return false;
    // Of several readers nothing is kept that could tell: none of them is said to race where there are fences.
    const bool one = owner_of(cell) != several_;
    return !memory_.fenced(one ? owner_of(cell) : me_, one ? load(moment) : 0, me_);
  }
  // The first word's mistake is the access's.
  [[gnu::noinline]] void say_of_read(Mistake& mistake, std::uint32_t wrote, Owner& owner) {
    if (mistake.race != nullptr) return;
    if (collides(wrote, owner.written_at)) mistake.race = "race between blocks (read after write)";
    if (races(wrote, owner.written_at)) say(mistake, "race (read after write)", owner.written_at);
  }
  [[gnu::noinline]] void say_of_write(Mistake& mistake, std::uint32_t wrote, std::uint32_t read, Owner& owner) {
    if (mistake.race != nullptr) return;
    if (collides(wrote, owner.written_at) || collides(read, owner.read_at))
      mistake.race = "race between blocks (write after access)";
    else if (races(wrote, owner.written_at))
      say(mistake, "race (write after write)", owner.written_at);
    else if (races(read, owner.read_at))
      say(mistake, "race (write after read)", owner.read_at);
  }
  static void say(Mistake& mistake, const char* race, std::uint32_t& moment) {
    mistake.race = race;
    mistake.other = SharedHistory::thread_of(load(moment));
  }

  GlobalMemory& memory_;
  const SharedHistory& history_;
  const std::uint32_t several_, me_, strong_;
  const bool by_threads_, follows_threads_;
  int thread_ = 0;
  std::uint32_t bytes_ = 0, now_ = 0;
};

std::optional<GlobalMemory::Mistake> GlobalMemory::touch(const Accesses& accesses, std::size_t& next,
                                                         const Toucher& toucher, const SharedHistory& history) {
  Visit visit(*this, toucher, history);
  Marks marks;
  const auto bytes = static_cast<std::uint64_t>(accesses.bytes);
  const Slot* slot = nullptr;
  std::uint64_t begin = 0;  // of its allocation
  while (next < accesses.addresses.size()) {
    Mistake mistake{.access = next++};
    const std::uint64_t address = accesses.addresses[mistake.access];
    if ((address ^ begin) >= slot_span) {
      slot = &slot_of(address);
      begin = address / slot_span * slot_span + slot_front;
    }
    const std::uint64_t at = address - begin;
    if (!slot->whole) {
      auto* const word = reinterpret_cast<std::uint64_t*>(slot->written) + at / 64;
      const std::uint64_t wanted = ((std::uint64_t{1} << bytes) - 1) << at % 64;
      const std::uint64_t missing = wanted & ~std::atomic_ref(*word).load(std::memory_order_relaxed);
      if (missing != 0) accesses.act == Act::write ? marks.add(word, missing) : void(mistake.unwritten = true);
    }
    visit.come(accesses.first_thread + accesses.threads[mistake.access],
               bytes >= 4 ? 15 : static_cast<std::uint32_t>((1u << bytes) - 1) << at % 4);
    Owner* owner = slot->owners + at / 4;
    for (std::uint64_t i = 0; i < bytes; i += 4, ++owner)
      accesses.act == Act::read ? visit.read(*owner, mistake) : visit.write(*owner, mistake);
    if (mistake.unwritten || mistake.race != nullptr) return mistake;
  }
  return std::nullopt;
}

std::uint32_t GlobalMemory::number_of(std::uint32_t block) const { return several_ + 1 + block % most_blocks; }

void GlobalMemory::begin_launch(std::uint64_t blocks, bool at_once) {
  at_once_ = at_once;
  fences_.clear();
  const auto needed = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, most_blocks)) + 1;
  if (needed > numbers - free_number_) {
    for (const Slot& slot : slots_)
      if (slot.owners != nullptr) ::madvise(slot.owners, slot.owners_bytes, MADV_DONTNEED);
    free_number_ = 1;
  }
  several_ = free_number_;
  free_number_ += needed;
}

void GlobalMemory::fence(std::uint32_t block, const SharedHistory::Clocks& fenced) {
  const std::lock_guard lock(fences_together_);
  fences_[number_of(block)] = fenced;
}

bool GlobalMemory::fenced(std::uint32_t owner, std::uint32_t moment, std::uint32_t me) {
  const std::lock_guard lock(fences_together_);
  const auto theirs = fences_.find(owner);
  if (at_once_) return theirs != fences_.end() || fences_.contains(me);
  if (theirs == fences_.end() || !fences_.contains(me)) return false;
  const auto warp = static_cast<std::size_t>(SharedHistory::thread_of(moment) / 32);
  return SharedHistory::clock_of(moment) < theirs->second[warp];
}

}  // namespace ridgeline::device::emulated
