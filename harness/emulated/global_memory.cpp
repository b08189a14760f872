#include "harness/emulated/global_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

#include "harness/base/error.hpp"

namespace ridgeline::emulated {

constinit std::uint64_t slot_bytes[slots] = {};

namespace {

constexpr std::size_t page = 4096;
constexpr std::uint64_t largest = slot_span / 2;

void* at_address(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the addresses are
                                            // chosen here
}

std::size_t to_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

[[noreturn]] void refuse(std::size_t bytes) {
  throw OutOfMemory(
      fmt::format("allocating {} bytes on the emulated device failed: out of memory", bytes),
      fmt::format(
          "it has room for {} allocations of at most {} GiB, as far as this machine has memory",
          slots, largest >> 30));
}

/// Zeroed memory that takes no room before it is touched.
std::byte* map(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) refuse(bytes);
  return static_cast<std::byte*>(memory);
}

/// Of the owners of an allocation that is worth it, and not so large that a kernel which touches
/// little of it would pay with much memory: a page fault costs more than all checks of the accesses
/// behind it.
void prefer_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{2} << 20, most = std::size_t{256} << 20;
  if (bytes >= least && bytes <= most)
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // without them it is only slower
}

bool claimed = false;

std::mutex host_accesses_together;
std::vector<HostAccess> host_accesses;

}  // namespace

void note_host_access(std::uint64_t address, std::uint32_t pc) {
  const std::lock_guard lock(host_accesses_together);
  const bool known =
      std::ranges::any_of(host_accesses, [&](const HostAccess& other) { return other.pc == pc; });
  if (!known && host_accesses.size() < 16) host_accesses.push_back({address, pc});
}

std::vector<HostAccess> take_host_accesses() {
  const std::lock_guard lock(host_accesses_together);
  return std::exchange(host_accesses, {});
}

GlobalMemory::GlobalMemory() : slots_(slots) {
  require(!claimed, "there is one emulated device at a time");
  void* const wanted = at_address(global_base);
  void* const got =
      ::mmap(wanted, global_span, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    if (got != MAP_FAILED) ::munmap(got, global_span);
    throw Error(
        ErrorKind::dependency,
        fmt::format("the emulated device cannot reserve its addresses: {}", std::strerror(errno)),
        "a limit on address space (ulimit -v) must leave 4 TiB");
  }
  claimed = true;
  Slot& variables = slots_[0];
  variables.bytes = ProgramVariables::bytes();
  variables.whole = true;
  variables.owners_bytes = owners_bytes(variables.bytes);
  variables.owners = reinterpret_cast<Owner*>(map(variables.owners_bytes));
}

GlobalMemory::~GlobalMemory() {
  for (std::size_t i = 1; i < slots; ++i)
    release(at_address(global_base + i * slot_span + slot_front));
  forget_owners(slots_[0]);
  ::munmap(at_address(global_base), global_span);
  claimed = false;
}

void* GlobalMemory::allocate(std::size_t bytes, std::string name) {
  if (bytes > largest) refuse(bytes);
  // Freed slots are used again as late as can be, so that a pointer into one is noticed.
  std::size_t tried = 0;
  while (tried < slots && slots_[next_].written != nullptr) {
    next_ = next_ % (slots - 1) + 1;
    ++tried;
  }
  if (tried == slots) refuse(bytes);
  const std::uint64_t base = global_base + next_ * slot_span;
  if (::mprotect(at_address(base), to_pages(slot_front + bytes), PROT_READ | PROT_WRITE) != 0)
    refuse(bytes);
  Slot made;
  made.bytes = bytes;
  made.name = std::move(name);
  made.written_bytes = to_pages(bytes / 8 + 2);
  made.written = map(made.written_bytes);
  made.owners_bytes = owners_bytes(bytes);
  made.owners = reinterpret_cast<Owner*>(map(made.owners_bytes));
  prefer_huge_pages(made.owners, made.owners_bytes);
  slots_[next_] = std::move(made);
  slot_bytes[next_] = bytes;
  next_ = next_ % (slots - 1) + 1;
  return at_address(base + slot_front);
}

std::size_t GlobalMemory::owners_bytes(std::size_t bytes) {
  return to_pages((bytes + 3) / 4 * sizeof(Owner) + 1);
}

void GlobalMemory::forget_owners(const Slot& slot) {
  ::munmap(slot.owners, slot.owners_bytes);
  if (slot.byte_owners != nullptr) ::munmap(slot.byte_owners, byte_owners_bytes(slot));
}

void GlobalMemory::release(void* memory) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (!is_global(address)) return;
  Slot& slot = slot_of(address);
  if (slot.written == nullptr) return;
  const std::size_t index = (address - global_base) / slot_span;
  ::munmap(slot.written, slot.written_bytes);
  forget_owners(slot);
  // Fresh pages in the old place, which nobody may touch.
  if (::mmap(at_address(global_base + index * slot_span), to_pages(slot_front + slot.bytes),
             PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED)
    std::abort();
  slot_bytes[index] = 0;
  slot = {.bytes = slot.bytes, .name = std::move(slot.name), .freed = true};
}

GlobalMemory::Owner* GlobalMemory::byte_owners_of(Slot& slot) {
  const std::atomic_ref pointer(slot.byte_owners);
  if (Owner* const there = pointer.load(std::memory_order_acquire)) return there;
  const std::lock_guard lock(bytes_together_);
  if (pointer.load(std::memory_order_relaxed) == nullptr)
    pointer.store(reinterpret_cast<Owner*>(map(byte_owners_bytes(slot))),
                  std::memory_order_release);
  return pointer.load(std::memory_order_relaxed);
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

std::optional<std::uint64_t> GlobalMemory::first_unwritten(const void* memory,
                                                           std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (bytes == 0 || !is_global(address) || !is_inside(address, bytes)) return std::nullopt;
  const Slot& slot = slots_[(address - global_base) / slot_span];
  const std::uint64_t first = (address - global_base) % slot_span - slot_front;
  for (std::uint64_t at = first; !slot.whole && at < first + bytes; ++at)
    if (at % 8 == 0 && slot.written[at / 8] == std::byte{0xFF})
      at += 7;
    else if ((slot.written[at / 8] >> at % 8 & std::byte{1}) == std::byte{0})
      return address + (at - first);
  return std::nullopt;
}

bool GlobalMemory::is_untouched(const void* memory) const {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (!is_global(address)) return false;
  const Slot& slot = slots_[(address - global_base) / slot_span];
  return !slot.whole && slot.written != nullptr &&
         std::all_of(slot.written, slot.written + (slot.bytes + 7) / 8,
                     [](std::byte each) { return each == std::byte{0}; });
}

void GlobalMemory::mark_copied(const void* to, const void* from, std::size_t bytes) {
  const auto* const target = static_cast<const char*>(to);
  const auto* const source = static_cast<const char*>(from);
  std::size_t at = 0;
  while (at < bytes) {
    const auto missing = first_unwritten(source + at, bytes - at);
    const std::size_t end = missing ? *missing - reinterpret_cast<std::uint64_t>(source) : bytes;
    mark(target + at, end - at, true);
    at = end;
    while (at < bytes && first_unwritten(source + at, 1)) ++at;
    mark(target + end, at - end, false);
  }
}

std::uint64_t GlobalMemory::allocation_of(std::uint64_t address) {
  if (!is_global(address) ||
      address - global_of_variable(ProgramVariables::at_offset(0)) < ProgramVariables::bytes())
    return 0;
  constexpr std::uint64_t no_shared_variable = std::uint64_t{1} << 63;
  return no_shared_variable | (address - global_base) / slot_span;
}

std::string GlobalMemory::describe(std::uint64_t address) const {
  if (address - global_of_variable(ProgramVariables::at_offset(0)) < ProgramVariables::bytes())
    return ProgramVariables::describe(
        ProgramVariables::at_offset(address - global_base - slot_front));
  if (ProgramVariables::are_at(address)) return ProgramVariables::describe(address);
  if (!is_global(address)) return fmt::format("{:#x}", address);
  const std::uint64_t index = (address - global_base) / slot_span;
  // What lies far behind an allocation came from the next one.
  const bool is_before = (address - global_base) % slot_span > slot_front + largest;
  const Slot& slot = slots_[std::min<std::uint64_t>(index + (is_before ? 1 : 0), slots - 1)];
  if (slot.written == nullptr && !slot.freed) return "memory that is not allocated";
  const auto offset = static_cast<std::int64_t>((address - global_base) % slot_span) -
                      static_cast<std::int64_t>(slot_front + (is_before ? slot_span : 0));
  return fmt::format("{} of {} bytes{} {} {}", slot.name, slot.bytes,
                     slot.freed ? ", which is freed," : "", offset < 0 ? "-" : "+",
                     offset < 0 ? -offset : offset);
}

}  // namespace ridgeline::emulated
