#pragma once

#include <cstdint>

namespace ridgeline::emulated {

/// What a lane did. Those from warp_barrier on are done by all lanes of a mask; they keep order
/// when logs are aligned. A copy that goes on beside the lane reads global memory (copy_read), and
/// writes shared memory at any time from its begin to its end, which is the lane's wait for it.
/// Events are the asynchronous unit's, of a lane or of a whole warp. Volatile accesses are told
/// apart until they are counted; a fence has its place among accesses.
enum class Act : std::uint8_t {
  read,
  write,
  atomic,
  copy_read,
  copy_begin,
  copy_end,
  volatile_read,
  volatile_write,
  fence,
  event,
  warp_barrier,
  collective,
  warp_event
};

constexpr bool is_of_one_lane(Act act) { return act <= Act::event; }

/// One act of a lane, in the order of its program.
struct Entry {
  std::uint64_t address;  // of memory; an event's number; of the others the mask of lanes that take
                          // part
  std::uint32_t pc;  // return address of the access; programs lie below 4 GiB, see emulated.cmake
  Act act;
  std::uint8_t bytes;
  std::uint16_t path;  // the functions that led here, see paths.hpp
};
static_assert(sizeof(Entry) == 16);

/// What each access reads and writes; one an OS thread.
struct Hot {
  Entry* next = nullptr;     // null outside of kernels
  Entry* end = nullptr;      // of the running lane's log
  std::uint64_t stacks = 0;  // where the stacks of all lanes begin
  std::uint16_t path = 0;    // of the running lane
  int products = 0;          // of warpgroups that are under way in the block
  bool early = false;        // no lane of the block has waited for the kernel before
};
extern thread_local constinit Hot hot __attribute__((tls_model("initial-exec")));

}  // namespace ridgeline::emulated
