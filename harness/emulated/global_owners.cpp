#include <algorithm>
#include <atomic>
#include <bit>

#include <sys/mman.h>

#include "harness/emulated/alignment.hpp"
#include "harness/emulated/global_memory.hpp"

// Whether what a kernel reads was written, and which blocks and threads touched a word of global
// memory last.
namespace ridgeline::emulated {
namespace {

static_assert(std::endian::native == std::endian::little,
              "marks of bytes are read as words of 64 bits");

constexpr std::uint32_t numbers = 1u << 26;         // that a cell can hold
constexpr std::uint32_t most_blocks = numbers - 2;  // of a launch, to be told apart; the others
                                                    // wrap round

constexpr int number_shift = 6;
constexpr std::uint32_t by_bytes = 1u << 5;  // the word's bytes have owners of their own

constexpr std::uint32_t owner_of(std::uint32_t cell) { return cell >> number_shift; }
constexpr std::uint32_t bytes_of(std::uint32_t cell) { return cell & 0x1E; }
constexpr bool is_strong(std::uint32_t cell) { return (cell & 1) != 0; }

using Cell = std::atomic_ref<std::uint32_t>;
std::uint32_t load(std::uint32_t& cell) { return Cell(cell).load(std::memory_order_relaxed); }
void store(std::uint32_t& cell, std::uint32_t value) {
  Cell(cell).store(value, std::memory_order_relaxed);
}

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

/// One access of a thread, to the same bytes of each word that it touches.
struct GlobalMemory::Access {
  std::uint32_t several, me, strong;  // numbers of this launch, and 0 or 1
  bool strong_in_block;
  bool alone;            // no other block has its number
  bool follows_threads;  // inside its block
  int thread;
  std::uint32_t bytes, now;
  const Request* stores = nullptr;  // that it is one of, by its number there
  std::size_t number = 0;

  /// Asked where something is not clear.
  Stored stored() const {
    if (stores == nullptr) return {};
    return {stores->with(number), same_as_before(stores->stored[number])};
  }

  /// What a cell says of this launch; 0 when nothing.
  std::uint32_t current(std::uint32_t& cell) const {
    const std::uint32_t value = load(cell);
    return owner_of(value) < several ? 0 : value;
  }
  /// Whether nothing can be wrong behind the access that `cell` tells of, as is mostly so.
  bool is_clear(std::uint32_t cell, std::uint32_t& moment, const SharedHistory& history) const {
    if ((bytes_of(cell) & bytes << 1) == 0) return true;
    if (owner_of(cell) != me) return strong != 0 && is_strong(cell);
    return !follows_threads || !history.races(load(moment), thread, bytes, strong_in_block);
  }
  /// `more` goes into the cell at once: another core may look at it between two stores.
  void note_read(Owner& owner, std::uint32_t read, std::uint32_t more = 0) const {
    const bool mine = read == 0 || owner_of(read) == me;
    const std::uint32_t still_strong = read == 0 || is_strong(read) ? strong : 0;
    store(owner.reader, (mine ? me : several) << number_shift | bytes_of(read) | bytes << 1 |
                            still_strong | more);
    store(owner.read_at, now);
  }
  void note_write(Owner& owner, std::uint32_t wrote, std::uint32_t more = 0) const {
    const std::uint32_t mine = owner_of(wrote) == me ? bytes_of(wrote) : 0;
    const std::uint32_t still_strong = mine == 0 || is_strong(wrote) ? strong : 0;
    store(owner.writer, me << number_shift | mine | bytes << 1 | still_strong | more);
    // A moment that differs in this bit alone is of the same thread, between the same barriers: a
    // plain store there, which an atomic behind it does not order, goes on to be told of.
    const bool hides_plain = mine != 0 && (load(owner.written_at) ^ now) == 1;
    store(owner.written_at, hides_plain ? now & ~1u : now);
  }
};

/// What is wrong with an access of which one or two cells are not clear; nothing where fences have
/// ordered the blocks.
GlobalMemory::Race GlobalMemory::race(Access access, bool reads, Owner& owner,
                                      const SharedHistory& history) {
  const std::uint32_t wrote = access.current(owner.writer),
                      read = reads ? 0 : access.current(owner.reader);
  const auto collides = [&](std::uint32_t cell, std::uint32_t& moment) {
    if (owner_of(cell) == access.me || access.is_clear(cell, moment, history)) return false;
    // Of several readers nothing is kept that could tell: none of them is said to race where there
    // are fences.
    const bool one = owner_of(cell) != access.several;
    return !fenced(one ? owner_of(cell) : 0, one ? load(moment) : 0, access.me);
  };
  // Blocks of a cluster have one number, and the asynchronous unit no moment.
  const auto between = [&](Race found, std::uint32_t cell, std::uint32_t& moment) {
    const std::uint32_t at = load(moment);
    if (!access.alone || owner_of(cell) == access.several || at == 0) return found;
    found.other_block = owner_of(cell) - access.several - 1;
    found.thread_there = SharedHistory::thread_of(at);
    return found;
  };
  const auto races = [&](std::uint32_t cell, std::uint32_t& moment) {
    return owner_of(cell) == access.me && !access.is_clear(cell, moment, history);
  };
  const Stored stored = access.stored();
  const bool same_value = stored.as_before;
  Race noted;
  if (collides(wrote, owner.written_at)) {
    noted = between({reads ? "race between blocks (read after write)"
                           : "race between blocks (write after access)",
                     -1, same_value, false, is_strong(wrote)},
                    wrote, owner.written_at);
    if (!same_value) return noted;
  }
  if (collides(read, owner.read_at))
    return between({"race between blocks (write after access)"}, read, owner.read_at);
  if (races(wrote, owner.written_at)) {
    const int other = SharedHistory::thread_of(load(owner.written_at));
    const bool with = other / 32 == access.thread / 32 && (stored.with >> other % 32 & 1) != 0;
    if (!with)
      noted = {reads ? SharedHistory::read_after_write : SharedHistory::write_after_write, other,
               same_value, races(read, owner.read_at), is_strong(wrote)};
    if (!with && !same_value) return noted;
  }
  if (races(read, owner.read_at))
    return {SharedHistory::write_after_read, SharedHistory::thread_of(load(owner.read_at))};
  return noted;
}

/// With launches that nothing orders before this one. Blocks with fences may have agreed by a flag,
/// and what stores the value that is there changes nothing.
GlobalMemory::Race GlobalMemory::race_with_earlier(const Access& access, bool reads,
                                                   const Slot& slot, std::uint64_t word) {
  Owner& owner = slot.owners[word];
  std::uint32_t other = 0;
  const auto collides = [&](std::uint32_t cell, std::uint32_t bytes) {
    if (owner_of(cell) < unordered_from_ || owner_of(cell) >= several_ ||
        (bytes_of(cell) & bytes << 1) == 0 || (access.strong != 0 && is_strong(cell)) ||
        !order_->is_unordered(owner_of(cell)))
      return false;
    other = owner_of(cell);
    return true;
  };
  const auto any = [&](std::uint32_t Owner::*cell) {
    const std::uint32_t of_word = load(owner.*cell);
    if ((of_word & by_bytes) == 0 || slot.byte_owners == nullptr)
      return collides(of_word, access.bytes);
    for (std::uint32_t i = 0; i < 4; ++i)
      if ((access.bytes >> i & 1) != 0 && collides(load(slot.byte_owners[4 * word + i].*cell), 15))
        return true;
    return false;
  };
  const char* const what = any(&Owner::writer) ? reads ? "race between streams (read after write)"
                                                       : "race between streams (write after write)"
                           : !reads && any(&Owner::reader)
                               ? "race between streams (write after read)"
                               : nullptr;
  if (what == nullptr || fenced(0, 0, access.me) || access.stored().as_before) return {};
  Race found{what};
  found.launch = other;
  return found;
}

/// `cell`, or 0 where a plain access of the same block need not be told of any more: a fence covers
/// it, and the access is strong. Whoever reads what is stored now comes behind that as well; taken
/// for plain and for as late as this one, the two would race with what is behind the fence alone.
std::uint32_t GlobalMemory::still_told(const Access& access, std::uint32_t cell,
                                       std::uint32_t& moment) {
  const bool is_plain = access.strong != 0 && owner_of(cell) == access.me && !is_strong(cell);
  return is_plain && fenced(access.me, load(moment), access.me) ? 0 : cell;
}

/// An access to some bytes of a word, or to a word that was touched so in this launch. What is
/// known of the whole word could not tell neighbours apart, of which each belongs to another thread
/// or block: each byte has an owner of its own from then on.
GlobalMemory::Race GlobalMemory::touch_bytes(const Access& access, bool reads, Slot& slot,
                                             std::uint64_t word, const SharedHistory& history) {
  Owner &owner = slot.owners[word], *const bytes = byte_owners_of(slot) + 4 * word;
  const std::uint32_t wrote = access.current(owner.writer), read = access.current(owner.reader);
  if (((wrote | read) & by_bytes) == 0)
    for (int i = 0; i < 4; ++i)
      bytes[i] = {wrote, read, load(owner.written_at), load(owner.read_at)};
  Access of_byte = access;  // which fills the place of a word
  of_byte.bytes = 15;
  if (access.now != 0)
    of_byte.now = history.moment(access.thread, of_byte.bytes, access.strong_in_block);
  Race found;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if ((access.bytes >> i & 1) == 0) continue;
    Owner& mine = bytes[i];
    const std::uint32_t byte_wrote = of_byte.current(mine.writer),
                        byte_read = of_byte.current(mine.reader);
    const bool clear = of_byte.is_clear(byte_wrote, mine.written_at, history) &&
                       (reads || of_byte.is_clear(byte_read, mine.read_at, history));
    if (!clear && (found.what == nullptr || found.same_value)) {
      const Race other = race(of_byte, reads, mine, history);
      if (other.what != nullptr) found = other;
    }
    reads ? of_byte.note_read(mine, still_told(of_byte, byte_read, mine.read_at))
          : of_byte.note_write(mine, still_told(of_byte, byte_wrote, mine.written_at));
  }
  reads ? access.note_read(owner, read, by_bytes) : access.note_write(owner, wrote, by_bytes);
  return found;
}

bool GlobalMemory::touch_row(const Accesses& accesses, const Toucher& toucher,
                             const SharedHistory& history) {
  const bool reads = accesses.act == Act::read;
  const std::size_t lanes = accesses.addresses.size(),
                    words = static_cast<std::size_t>(accesses.bytes) / 4;
  const std::uint64_t first = accesses.addresses.front(), all = lanes * words * 4;
  if (((first ^ (first + all)) & ~(slot_span - 1)) != 0) return false;
  const Slot& slot = slot_of(first);
  const std::uint64_t at = first % slot_span - slot_front;
  const std::uint32_t me = number_of(toucher.block), launch = several_ << number_shift;
  const std::uint32_t unordered =
      order_ == nullptr ? launch : std::min(several_, unordered_from_) << number_shift;
  Owner* const owners = slot.owners + at / 4;
  std::uint32_t wrote = 0, read = 0;  // the newest
  for (std::size_t i = 0; i < lanes * words; ++i) {
    __builtin_prefetch(owners + 2 * lanes * words + i);  // most kernels go on behind the row
    wrote = std::max(wrote, load(owners[i].writer));
    read = std::max(read, load(owners[i].reader));
  }
  if (wrote >= unordered || (read >= unordered && !reads)) return false;
  if (read >= launch)
    for (std::size_t i = 0; i < lanes * words; ++i)
      if ((load(owners[i].reader) & (by_bytes | 1)) != 0) return false;
  // Bits of the row's bytes in each word of marks.
  for (std::uint64_t byte = at, end = at + all; !slot.whole && byte < end;) {
    const std::uint64_t next = std::min(end, (byte / 64 + 1) * 64);
    const std::uint64_t wanted = ~std::uint64_t{0} >> (64 - (next - byte)) << byte % 64;
    std::atomic_ref marks(reinterpret_cast<std::uint64_t*>(slot.written)[byte / 64]);
    if ((wanted & ~marks.load(std::memory_order_relaxed)) != 0) {
      if (reads) return false;
      marks.fetch_or(wanted, std::memory_order_relaxed);
    }
    byte = next;
  }
  const std::uint32_t mine = me << number_shift | 0x1E;
  Owner* owner = owners;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint32_t now =
        history.moment(accesses.first_thread + accesses.threads[lane], 15, false);
    for (std::size_t i = 0; i < words; ++i, ++owner) {
      if (reads) {
        const std::uint32_t before = load(owner->reader);
        const bool others = before >= launch && owner_of(before) != me;
        store(owner->reader, others ? several_ << number_shift | 0x1E : mine);
        store(owner->read_at, now);
      } else {
        store(owner->writer, mine);
        store(owner->written_at, now);
      }
    }
  }
  return true;
}

// What the loop needs lies in variables of its own, which the compiler keeps in registers: it is
// run for each lane.
std::optional<GlobalMemory::Mistake> GlobalMemory::touch(const Accesses& accesses,
                                                         std::size_t& next, const Toucher& toucher,
                                                         const SharedHistory& history) {
  if (next == 0 && accesses.row && accesses.bytes >= 4 && toucher.by_threads && !toucher.strong &&
      accesses.act != Act::atomic && touch_row(accesses, toucher, history)) {
    next = accesses.addresses.size();
    return std::nullopt;
  }
  Marks marks;
  const std::span addresses = accesses.addresses;
  const std::uint8_t* const threads = accesses.threads.data();
  const int first_thread = accesses.first_thread;
  const auto bytes = static_cast<std::uint64_t>(accesses.bytes);
  const bool reads = accesses.act == Act::read, writes = accesses.act == Act::write;
  const bool by_threads = toucher.by_threads, strong = toucher.strong;
  Access access{several_,
                number_of(toucher.block),
                strong && !toucher.in_block ? 1u : 0u,
                strong,
                toucher.alone,
                by_threads && toucher.alone,
                0,
                15,
                0,
                writes && !strong ? accesses.request : nullptr};
  std::uint64_t begin = 0;  // of the allocation that was touched last
  std::uint64_t* written = nullptr;
  Owner* owners = nullptr;
  Slot* touched = nullptr;
  const bool with_earlier = order_ != nullptr;
  Race found;  // behind the first access with one there is no other
  for (std::size_t i = next; i < addresses.size(); ++i) {
    const std::uint64_t address = addresses[i];
    if ((address ^ begin) >= slot_span) {
      Slot& slot = slot_of(address);
      touched = &slot;
      begin = address / slot_span * slot_span + slot_front;
      written = slot.whole ? nullptr : reinterpret_cast<std::uint64_t*>(slot.written);
      owners = slot.owners;
    }
    const std::uint64_t at = address - begin;
    bool unwritten = false;
    if (written != nullptr) {
      std::uint64_t& word = written[at / 64];
      const std::uint64_t wanted = ((std::uint64_t{1} << bytes) - 1) << at % 64;
      const std::uint64_t missing = wanted & ~std::atomic_ref(word).load(std::memory_order_relaxed);
      if (missing != 0 && writes) marks.add(&word, missing);
      unwritten = missing != 0 && !writes;
    }
    access.thread = first_thread + threads[i];
    access.number = i;
    if (bytes < 4) access.bytes = ((1u << bytes) - 1) << at % 4;
    access.now = by_threads ? history.moment(access.thread, access.bytes, strong) : 0;
    for (Owner *owner = owners + at / 4, *end = owner + (bytes + 3) / 4; owner != end; ++owner) {
      const std::uint32_t wrote = access.current(owner->writer),
                          read = access.current(owner->reader);
      if (__builtin_expect(with_earlier, 0) && found.what == nullptr)
        found =
            race_with_earlier(access, reads, *touched, static_cast<std::uint64_t>(owner - owners));
      if (__builtin_expect(bytes < 4 || ((wrote | read) & by_bytes) != 0, 0)) {
        const Race of_bytes = touch_bytes(access, reads, *touched,
                                          static_cast<std::uint64_t>(owner - owners), history);
        if (of_bytes.what != nullptr && (found.what == nullptr || found.same_value))
          found = of_bytes;
        continue;
      }
      const bool clear = access.is_clear(wrote, owner->written_at, history) &&
                         (reads || access.is_clear(read, owner->read_at, history));
      if (__builtin_expect(!clear, 0) && (found.what == nullptr || found.same_value)) {
        const Race other = race(access, reads, *owner, history);
        if (other.what != nullptr) found = other;
      }
      reads ? access.note_read(*owner, still_told(access, read, owner->read_at))
            : access.note_write(*owner, still_told(access, wrote, owner->written_at));
    }
    if (__builtin_expect(unwritten || found.what != nullptr, 0)) {
      next = i + 1;
      return Mistake{i, unwritten, found};
    }
  }
  next = addresses.size();
  return std::nullopt;
}

std::optional<GlobalMemory::EarlierTouch> GlobalMemory::touch_by_host(const void* memory,
                                                                      std::size_t bytes,
                                                                      bool writes, bool notes) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (!is_global(address) || !is_inside(address, bytes)) return std::nullopt;
  const Slot& slot = slot_of(address);
  const std::uint64_t begin = address / slot_span * slot_span + slot_front, first = address - begin;
  const Access access{several_, number_of(0), 0, false, false, false, 0, 15, 0};
  std::optional<EarlierTouch> found;
  for (std::uint64_t word = (first + 3) / 4; word < (first + bytes) / 4; ++word) {
    if (order_ != nullptr && !found)
      if (const Race race = race_with_earlier(access, !writes, slot, word); race.what != nullptr)
        found = {begin + 4 * word, race.launch, race.what};
    if (!notes) continue;
    store(writes ? slot.owners[word].writer : slot.owners[word].reader,
          access.me << number_shift | 0x1E);
  }
  return found;
}

bool GlobalMemory::touched_since(std::uint64_t address, std::uint32_t launch, bool or_read) {
  const Slot& slot = slot_of(address);
  if (slot.owners == nullptr) return false;
  Owner& owner = slot.owners[((address - global_base) % slot_span - slot_front) / 4];
  const auto is_since = [&](std::uint32_t cell) {
    return owner_of(cell) >= launch && !is_strong(cell);
  };
  return is_since(load(owner.writer)) || (or_read && is_since(load(owner.reader)));
}

std::optional<std::size_t> GlobalMemory::changed_by_launch(const Accesses& accesses) {
  const auto writes = [this](Owner& owner, std::uint32_t bytes) {
    const std::uint32_t cell = load(owner.writer);
    return owner_of(cell) >= several_ && (bytes_of(cell) & bytes << 1) != 0 ? cell : 0;
  };
  const auto size = static_cast<std::uint64_t>(accesses.bytes);
  for (std::size_t i = 0; i < accesses.addresses.size(); ++i) {
    Slot& slot = slot_of(accesses.addresses[i]);
    const std::uint64_t at = accesses.addresses[i] % slot_span - slot_front;
    const std::uint32_t bytes = size >= 4 ? 15 : ((1u << size) - 1) << at % 4;
    for (std::uint64_t word = at / 4; word <= (at + size - 1) / 4; ++word) {
      const std::uint32_t cell = writes(slot.owners[word], bytes);
      if (cell == 0) continue;
      if ((cell & by_bytes) == 0) return i;
      for (std::uint32_t byte = 0; byte < 4; ++byte)
        if ((bytes >> byte & 1) != 0 && writes(byte_owners_of(slot)[4 * word + byte], 15) != 0)
          return i;
    }
  }
  return std::nullopt;
}

void GlobalMemory::note_written(std::uint64_t address, std::uint64_t bytes) {
  if (!is_global(address) || !is_inside(address, bytes)) return;
  const Slot& slot = slot_of(address);
  const std::uint64_t at = (address - global_base) % slot_span - slot_front;
  Marks marks;
  if (!slot.whole)
    marks.add(&reinterpret_cast<std::uint64_t*>(slot.written)[at / 64],
              ((std::uint64_t{1} << bytes) - 1) << at % 64);
}

bool GlobalMemory::any_written(std::uint64_t address, std::uint64_t bytes) const {
  if (!is_global(address) || !is_inside(address, bytes)) return false;
  const Slot& slot = slots_[(address - global_base) / slot_span];
  const std::uint64_t at = (address - global_base) % slot_span - slot_front;
  bool any = slot.whole;
  for (std::uint64_t byte = at; !any && byte < at + bytes; ++byte) {
    std::atomic_ref marks(reinterpret_cast<std::uint64_t*>(slot.written)[byte / 64]);
    any = (marks.load(std::memory_order_relaxed) >> byte % 64 & 1) != 0;
  }
  return any;
}

std::uint32_t GlobalMemory::number_of(std::uint32_t block) const {
  return several_ + 1 + block % most_blocks;
}

void GlobalMemory::begin_launch(std::uint64_t blocks, bool at_once) {
  at_once_ = at_once;
  fenced_.clear();
  fences_.begin_launch();
  last_block_.begin_launch(at_once ? 0 : blocks);
  flags_.begin_launch();
  const auto needed = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, most_blocks)) + 1;
  if (needed > numbers - free_number_) {
    for (const Slot& slot : slots_) {
      if (slot.owners != nullptr) ::madvise(slot.owners, slot.owners_bytes, MADV_DONTNEED);
      if (slot.byte_owners != nullptr)
        ::madvise(slot.byte_owners, byte_owners_bytes(slot), MADV_DONTNEED);
    }
    free_number_ = 1;
  }
  several_ = free_number_;
  free_number_ += needed;
}

void GlobalMemory::fence(std::uint32_t block, const SharedHistory::Clocks& fenced) {
  if (!at_once_) {
    flags_.fence(number_of(block));
    return fences_.fence(number_of(block), fenced);
  }
  const std::lock_guard lock(fences_together_);
  fenced_.insert(number_of(block));
}

std::optional<GlobalMemory::Unordered> GlobalMemory::touch_flags(const Accesses& accesses,
                                                                 const Toucher& toucher,
                                                                 const FlagUse& use) {
  if (at_once_) return std::nullopt;
  const std::uint32_t me = number_of(toucher.block);
  if (fences_.any())
    for (const std::uint64_t address : accesses.addresses)
      fences_.touch_flag(me, address, accesses.act != Act::write, accesses.act != Act::read);
  if (use.checked) return std::nullopt;
  std::optional<Unordered> found;
  const bool counts = accesses.act != Act::atomic || !last_block_.is_idle();
  for (std::size_t i = 0; i < accesses.addresses.size(); ++i) {
    const std::uint64_t address = accesses.addresses[i];
    if (counts && reads_unordered(address, accesses.act, me, use.pc)) found = Unordered{i, false};
    if (!toucher.alone) continue;
    const std::uint32_t writer =
        flags_.touch({me, accesses.first_thread + accesses.threads[i], use.barriers, use.pc},
                     use.kind, address, use.polls);
    if (writer != 0 && !is_store_ordered(address, writer, me)) found = Unordered{i, true};
  }
  return found;
}

bool GlobalMemory::reads_unordered(std::uint64_t address, Act act, std::uint32_t me,
                                   std::uint32_t pc) {
  if (act == Act::write) last_block_.store(me, address);
  if (act == Act::atomic) last_block_.update(me, address);
  const std::uint32_t writer = act == Act::read ? last_block_.load(me, address, pc) : 0;
  return writer != 0 && !is_store_ordered(address, writer, me) &&
         last_block_.is_unordered(me, writer);
}

bool GlobalMemory::is_store_ordered(std::uint64_t address, std::uint32_t writer, std::uint32_t me) {
  Owner& owner = slot_of(address).owners[((address - global_base) % slot_span - slot_front) / 4];
  return fences_.ordered(writer, load(owner.written_at), me);
}

bool GlobalMemory::fenced(std::uint32_t owner, std::uint32_t moment, std::uint32_t me) {
  if (!at_once_) return owner == 0 ? fences_.has_fence(me) : fences_.ordered(owner, moment, me);
  const std::lock_guard lock(fences_together_);
  return fenced_.contains(owner) || fenced_.contains(me);
}

}  // namespace ridgeline::emulated
