#pragma once

#include <cstdint>
#include <cstring>

namespace ridgeline::emulated {

/// What a lane did. Those from warp_barrier on are done by all lanes of a mask; they keep order
/// when logs are aligned. A copy that goes on beside the lane reads global memory (copy_read), and
/// writes shared memory at any time from its begin to its end, which is the lane's wait for it.
/// Events are the asynchronous unit's, of a lane or of a whole warp. Volatile accesses are told
/// apart until they are counted, and so are atomics that only threads of the block may rely on,
/// which may be loads and stores, and loads through the read-only cache; a fence has its place
/// among accesses.
enum class Act : std::uint8_t {
  read,
  write,
  atomic,
  copy_read,
  copy_begin,
  copy_end,
  volatile_read,
  volatile_write,
  block_atomic,
  block_load,
  block_store,
  read_only_load,
  block_fence,
  fence,
  event,
  warp_barrier,
  collective,
  warp_event
};

constexpr bool is_of_one_lane(Act act) { return act <= Act::event; }
constexpr bool is_of_block(Act act) { return act >= Act::block_atomic && act <= Act::block_store; }
constexpr bool is_store(Act act) {
  return act == Act::write || act == Act::volatile_write || act == Act::block_store;
}
/// What to memory is the same.
constexpr Act counted_as(Act act) {
  if (act == Act::volatile_read || act == Act::block_load || act == Act::read_only_load)
    return Act::read;
  if (act == Act::volatile_write || act == Act::block_store) return Act::write;
  return act == Act::block_atomic ? Act::atomic : act;
}
constexpr Act of_block(Act act) {
  if (act == Act::volatile_read) return Act::block_load;
  return act == Act::volatile_write ? Act::block_store : Act::block_atomic;
}

/// One act of a lane, in the order of its program.
struct Entry {
  std::uint64_t address;  // of memory; an event's number; of the others the mask of lanes that take
                          // part. Of a store the upper 16 bits say what was stored, see below; of a
                          // piece of an object that is read whole, its number from 1
  std::uint32_t pc;  // return address of the access; programs lie below 4 GiB, see emulated.cmake
  Act act;
  std::uint8_t bytes;
  std::uint16_t path;  // the functions that led here, see paths.hpp
};
static_assert(sizeof(Entry) == 16);

// Stores of one value to one place are defined, so what was stored is kept: a sum of its bits, and
// whether the same was there before.
inline constexpr int address_bits = 48;
inline constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
inline constexpr std::uint64_t unknown_piece = 0xFFFF;  // that one, or any behind it
constexpr bool same_as_before(std::uint16_t stored) { return (stored & 0x8000) != 0; }
inline constexpr std::uint64_t mixer = 0x9E3779B97F4A7C15u;  // 2^64 by the golden ratio
constexpr std::uint16_t sum_of(std::uint16_t stored) { return stored & 0x7FFF; }

/// What each access reads and writes; one an OS thread.
struct Hot {
  Entry* next = nullptr;     // null outside of kernels
  Entry* end = nullptr;      // of the running lane's log
  std::uint64_t stacks = 0;  // where the stacks of all lanes begin
  std::uint64_t stack = 0;   // and that of the running one
  // The block's shared memory: its static variables, of each 16 bytes there how many from the first
  // on a variable has, and dynamic shared memory.
  std::uint64_t shared = 0, shared_bytes = 0;
  const std::uint8_t* room = nullptr;
  std::uint64_t dynamic = 0, dynamic_bytes = 0;
  std::uint16_t path = 0;    // of the running lane
  int products = 0;          // of warpgroups that are under way in the block
  bool block_scope = false;  // of the running lane's next atomic
  bool early = false;        // no lane of the block has waited for the kernel before
  std::uint32_t hops = 0;    // from lane to lane, so far
  // The running lane's last store, of which is not known yet what it stores, and what was there.
  Entry* store = nullptr;
  std::uint64_t before[2] = {};
};
template <class T>
[[gnu::always_inline]] inline T loaded(std::uint64_t address) {
  T value;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}
/// Of 1 to 8 bytes: what they hold. By a load of that size, since a larger one would have to wait
/// until a store just before it has reached the cache.
[[gnu::always_inline]] inline std::uint64_t word_at(std::uint64_t address, unsigned bytes) {
  if (bytes == 4) return loaded<std::uint32_t>(address);
  if (bytes >= 8) return loaded<std::uint64_t>(address);
  return bytes == 2 ? loaded<std::uint16_t>(address) : loaded<std::uint8_t>(address);
}
/// Of 1 to 16 bytes: what they hold, as far as 64 bits tell.
[[gnu::always_inline]] inline std::uint64_t value_at(std::uint64_t address, unsigned bytes) {
  const std::uint64_t word = word_at(address, bytes);
  return bytes <= 8 ? word : word + word_at(address + 8, 8) * 31;
}
/// That the lane stores there next.
[[gnu::always_inline]] inline void begin_store(Hot& here, std::uint64_t address, unsigned bytes) {
  here.store = here.next;
  here.before[0] = word_at(address, bytes);
  if (bytes == 16) here.before[1] = word_at(address + 8, 8);
}
/// Adds to the entry of the last store what it has stored by now.
[[gnu::always_inline]] inline void settle_store(Hot& here) {
  if (here.store == nullptr) return;
  Entry& entry = *here.store;
  here.store = nullptr;
  const std::uint64_t address = entry.address;
  const std::uint64_t word = word_at(address, entry.bytes);
  bool same = word == here.before[0];
  std::uint64_t value = word;
  if (entry.bytes == 16) {
    const std::uint64_t behind = word_at(address + 8, 8);
    same = same && behind == here.before[1];
    value += behind * 31;
  }
  const std::uint64_t sum = value * mixer >> 49;
  entry.address = address | sum << address_bits | std::uint64_t{same} << 63;
}
extern thread_local constinit Hot hot __attribute__((tls_model("initial-exec")));

}  // namespace ridgeline::emulated
