#include "harness/device/emulated/global_memory.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "harness/base/error.hpp"

namespace ridgeline::device::emulated {

constinit std::uint64_t slot_bytes[slots] = {};

/// Who touched a word last. Of each: the block's number + 1 in 27 bits (larger ones wrap round, so that a race can be
/// missed), the bytes of the word in 4, and whether all accesses were atomic or volatile.
struct GlobalMemory::Owner {
  std::uint32_t writer;
  std::uint32_t reader;  // of several blocks: several
  // Moments of that block's history, see SharedHistory::moment().
  std::uint32_t written_at, read_at;
};

namespace {

constexpr std::uint32_t several = 0xFFFFFFE0u;  // no block's number

constexpr std::uint32_t owner_of(std::uint32_t cell) { return cell & several; }
constexpr std::uint32_t bytes_of(std::uint32_t cell) { return cell & 0x1E; }
constexpr bool is_strong(std::uint32_t cell) { return (cell & 1) != 0; }

constexpr std::size_t page = 4096;
constexpr std::uint64_t largest = slot_span / 2;

void* at_address(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the addresses are chosen here
}

std::size_t to_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

[[noreturn]] void refuse(std::size_t bytes) {
  throw Error(ErrorKind::dependency,
              fmt::format("allocating {} bytes on the emulated device failed: out of memory", bytes),
              fmt::format("it has room for {} allocations of at most {} GiB, as far as this machine has memory", slots,
                          largest >> 30));
}

/// Zeroed memory that takes no room before it is touched.
std::byte* map(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) refuse(bytes);
  return static_cast<std::byte*>(memory);
}

bool claimed = false;

}  // namespace

GlobalMemory::GlobalMemory() : slots_(slots) {
  require(!claimed, "there is one emulated device at a time");
  void* const wanted = at_address(global_base);
  void* const got =
      ::mmap(wanted, global_span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    if (got != MAP_FAILED) ::munmap(got, global_span);
    throw Error(ErrorKind::dependency,
                fmt::format("the emulated device cannot reserve its addresses: {}", std::strerror(errno)),
                "a limit on address space (ulimit -v) must leave 4 TiB");
  }
  claimed = true;
}

GlobalMemory::~GlobalMemory() {
  for (std::size_t i = 0; i < slots; ++i) release(at_address(global_base + i * slot_span + slot_front));
  ::munmap(at_address(global_base), global_span);
  claimed = false;
}

void* GlobalMemory::allocate(std::size_t bytes, std::string name) {
  if (bytes > largest) refuse(bytes);
  // Freed slots are used again as late as can be, so that a pointer into one is noticed.
  std::size_t tried = 0;
  while (tried < slots && slots_[next_].written != nullptr) {
    next_ = (next_ + 1) % slots;
    ++tried;
  }
  if (tried == slots) refuse(bytes);
  const std::uint64_t base = global_base + next_ * slot_span;
  if (::mprotect(at_address(base), to_pages(slot_front + bytes), PROT_READ | PROT_WRITE) != 0) refuse(bytes);
  Slot made;
  made.bytes = bytes;
  made.name = std::move(name);
  made.written_bytes = to_pages(bytes / 8 + 2);
  made.written = map(made.written_bytes);
  made.owners_bytes = to_pages((bytes + 3) / 4 * sizeof(Owner) + 1);
  made.owners = reinterpret_cast<Owner*>(map(made.owners_bytes));
  slots_[next_] = std::move(made);
  slot_bytes[next_] = bytes;
  next_ = (next_ + 1) % slots;
  return at_address(base + slot_front);
}

void GlobalMemory::release(void* memory) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (!is_global(address)) return;
  Slot& slot = slot_of(address);
  if (slot.written == nullptr) return;
  const std::size_t index = (address - global_base) / slot_span;
  ::munmap(slot.written, slot.written_bytes);
  ::munmap(slot.owners, slot.owners_bytes);
  // Fresh pages in the old place, which nobody may touch.
  if (::mmap(at_address(global_base + index * slot_span), to_pages(slot_front + slot.bytes), PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    std::abort();
  slot_bytes[index] = 0;
  slot = {};
}

void GlobalMemory::mark(const void* memory, std::size_t bytes, bool written) {
  if (bytes == 0) return;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  require(is_global(address) && is_inside(address, bytes), "what is marked lies in an allocation");
  Slot& slot = slot_of(address);
  const std::uint64_t first = (address - global_base) % slot_span - slot_front;
  slot.whole = written && (slot.whole || (first == 0 && bytes == slot.bytes));
  const auto set = [&](std::uint64_t byte) {
    const std::byte bit{static_cast<unsigned char>(1u << byte % 8)};
    slot.written[byte / 8] = written ? slot.written[byte / 8] | bit : slot.written[byte / 8] & ~bit;
  };
  std::uint64_t at = first;
  const std::uint64_t end = first + bytes;
  for (; at < end && at % 8 != 0; ++at) set(at);
  std::memset(slot.written + at / 8, written ? 0xFF : 0, (end - at) / 8);
  for (at = end - (end - at) % 8; at < end; ++at) set(at);
}

bool GlobalMemory::note(std::uint64_t address, int bytes, Act act) {
  Slot& slot = slot_of(address);
  if (slot.whole) return true;
  const std::uint64_t at = (address - global_base) % slot_span - slot_front;
  auto* const marks = reinterpret_cast<unsigned char*>(slot.written + at / 8);
  if (bytes >= 8) {  // whole bytes of marks: no other thread's bits are in them
    if (act == Act::write) {
      std::memset(marks, 0xFF, static_cast<std::size_t>(bytes) / 8);
      return true;
    }
    return marks[0] == 0xFF && (bytes == 8 || marks[1] == 0xFF);
  }
  const auto mask = static_cast<unsigned char>(((1u << bytes) - 1) << at % 8);
  std::atomic_ref<unsigned char> shared(marks[0]);
  const unsigned char before = shared.load(std::memory_order_relaxed);
  const bool was_written = (before & mask) == mask;
  if (act == Act::write && !was_written) shared.fetch_or(mask, std::memory_order_relaxed);
  return act == Act::write || was_written;
}

void GlobalMemory::begin_launch(bool at_once) {
  at_once_ = at_once;
  fences_.clear();
  for (Slot& slot : slots_)
    if (slot.owners != nullptr) ::madvise(slot.owners, slot.owners_bytes, MADV_DONTNEED);
}

void GlobalMemory::fence(std::uint32_t block, const SharedHistory::Clocks& fenced) {
  const std::lock_guard lock(fences_together_);
  fences_[block % 0x7FFFFFEu] = fenced;
}

bool GlobalMemory::fenced(std::uint32_t owner, std::uint32_t moment, std::uint32_t me) {
  const std::lock_guard lock(fences_together_);
  const auto theirs = fences_.find(owner);
  if (at_once_) return theirs != fences_.end() || fences_.contains(me);
  if (theirs == fences_.end() || !fences_.contains(me)) return false;
  const auto warp = static_cast<std::size_t>(SharedHistory::thread_of(moment) / 32);
  return SharedHistory::clock_of(moment) < theirs->second[warp];
}

GlobalMemory::Race GlobalMemory::touch(std::uint64_t address, int bytes, Act act, const Toucher& toucher,
                                       const SharedHistory& history) {
  const Slot& slot = slot_of(address);
  const std::uint64_t at = (address - global_base) % slot_span - slot_front;
  const std::uint32_t number = toucher.block % 0x7FFFFFEu + 1, me = number << 5;
  const std::uint32_t bytes_touched = bytes >= 4 ? 15 : ((1u << bytes) - 1) << at % 4, mask = bytes_touched << 1;
  const std::uint32_t strong = toucher.strong ? 1 : 0;
  const bool by_thread = toucher.thread >= 0;
  const std::uint32_t now = by_thread ? history.moment(toucher.thread, bytes_touched, toucher.strong) : 0;
  Race found;
  for (std::uint64_t word = at / 4; word <= (at + static_cast<std::uint64_t>(bytes) - 1) / 4; ++word) {
    Owner& owner = slot.owners[word];
    std::atomic_ref<std::uint32_t> writer(owner.writer), reader(owner.reader), written_at(owner.written_at),
        read_at(owner.read_at);
    const std::uint32_t wrote = writer.load(std::memory_order_relaxed), read = reader.load(std::memory_order_relaxed);
    const std::uint32_t wrote_when = written_at.load(std::memory_order_relaxed);
    const auto collides = [&](std::uint32_t cell, std::uint32_t moment) {
      if ((bytes_of(cell) & mask) == 0 || owner_of(cell) == me || (toucher.strong && is_strong(cell))) return false;
      // Of several readers nothing is kept that could tell: none of them is said to race where there are fences.
      const std::uint32_t other = owner_of(cell) == several ? number : owner_of(cell) >> 5;
      return !fenced(other - 1, owner_of(cell) == several ? 0 : moment, number - 1);
    };
    const auto races = [&](std::uint32_t cell, std::uint32_t moment) {
      return by_thread && toucher.alone && owner_of(cell) == me &&
             history.races(moment, toucher.thread, bytes_touched, toucher.strong);
    };
    const auto note = [&](const char* what, int other = -1) {
      if (found.what == nullptr) found = {what, other};
    };
    if (act == Act::read) {
      if (collides(wrote, wrote_when))
        note("race between blocks (read after write)");
      else if (races(wrote, wrote_when))
        note("race (read after write)", SharedHistory::thread_of(wrote_when));
      const std::uint32_t both = bytes_of(read) | mask | (read == 0 || is_strong(read) ? strong : 0);
      reader.store((owner_of(read) == me || read == 0 ? me : several) | both, std::memory_order_relaxed);
      read_at.store(now, std::memory_order_relaxed);
    } else {
      const std::uint32_t read_when = read_at.load(std::memory_order_relaxed);
      if (collides(wrote, wrote_when) || collides(read, read_when))
        note("race between blocks (write after access)");
      else if (races(wrote, wrote_when))
        note("race (write after write)", SharedHistory::thread_of(wrote_when));
      else if (races(read, read_when))
        note("race (write after read)", SharedHistory::thread_of(read_when));
      const std::uint32_t mine = owner_of(wrote) == me ? bytes_of(wrote) : 0;
      const std::uint32_t still_strong = mine == 0 || is_strong(wrote) ? strong : 0;
      writer.store(me | mine | mask | still_strong, std::memory_order_relaxed);
      written_at.store(now, std::memory_order_relaxed);
    }
  }
  return found;
}

std::string GlobalMemory::describe(std::uint64_t address) const {
  if (!is_global(address)) return fmt::format("{:#x}", address);
  const Slot& slot = slots_[(address - global_base) / slot_span];
  if (slot.written == nullptr) return "memory that is not allocated";
  const auto offset =
      static_cast<std::int64_t>((address - global_base) % slot_span) - static_cast<std::int64_t>(slot_front);
  return fmt::format("{} of {} bytes {} {}", slot.name, slot.bytes, offset < 0 ? "-" : "+",
                     offset < 0 ? -offset : offset);
}

}  // namespace ridgeline::device::emulated
