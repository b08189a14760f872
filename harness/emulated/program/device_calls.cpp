#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/async_calls.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/program/device_functions.hpp"
#include "harness/emulated/program/session.hpp"

// What the words of device_words.hpp come down to, on lanes.
namespace ridgeline::program {
namespace {

constexpr std::size_t heap_bytes = 8 << 20;  // as CUDA's is, unless it is told otherwise

/// Marks a lane that asks which others have come to the same place, and one that was told.
constexpr std::uint8_t asks = 255, knows = 254;

}  // namespace

void* device_malloc(std::size_t bytes) {
  static std::mutex together;
  static std::byte* begin = nullptr;
  static std::size_t used = 0;
  const std::lock_guard lock(together);
  if (begin == nullptr) {
    emulated::GlobalMemory& memory = Session::here().machine().memory();
    begin = static_cast<std::byte*>(memory.allocate(heap_bytes, "heap of the device"));
  }
  const std::size_t room = (bytes + 15) / 16 * 16 + 16;  // a gap, to see an overrun as unwritten
  if (room > heap_bytes - used) return nullptr;
  return begin + std::exchange(used, used + room);
}

void device_free(void*) {}  // what a launch has used of the heap stays used

void device_assert(const char* expression, const char* file, unsigned line, const char*) {
  emulated::Block::current().lanes.stop("assertion failed", RIDGELINE_CALLER, -1,
                                        fmt::format("{}:{}: {}", file, line, expression));
}

void device_trap() {
  emulated::Block::current().lanes.stop("trap", RIDGELINE_CALLER, -1, "the kernel ends itself");
}

unsigned active_lanes() {
  emulated::Lanes& lanes = emulated::Block::current().lanes;
  emulated::Lane& me = lanes.running();
  Session::here().note(
      "__activemask() and coalesced_threads() give the lanes that wait at the same "
      "place here; CUDA promises no more than that the caller is one of them");
  const std::uint32_t pc = RIDGELINE_CALLER;
  me.collective = asks;
  me.pc = pc;
  lanes.park(emulated::LaneState::log_full);  // until no lane of the warp can come any more
  if (me.collective != knows) {
    std::uint32_t mask = 0;
    const auto warp = lanes.of_warp(me.thread / 32);
    for (const emulated::Lane& lane : warp)
      if (lane.collective == asks && lane.pc == pc && lane.path == me.path)
        mask |= 1u << lane.thread % 32;
    mask |= 1u << me.thread % 32;
    for (emulated::Lane& lane : warp)
      if ((mask >> lane.thread % 32 & 1) != 0) lane.collective = knows, lane.mask = mask;
  }
  me.collective = 0;
  return me.mask;
}

unsigned units() { return static_cast<unsigned>(Session::here().machine().limits().units); }

unsigned unit_of_block() {
  const uint3 at = emulated::Block::current().index();
  const dim3 grid = emulated::Block::current().config().grid;
  return ((at.z * grid.y + at.y) * grid.x + at.x) % units();
}

void* shared_pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
      emulated::Block::current().shared.address_of(static_cast<std::uint32_t>(address)));
}

}  // namespace ridgeline::program

/// A word of nvcc's own, by which CUDA's headers call it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" std::uint32_t __nvvm_get_smem_pointer(void* shared) {
  return ridgeline::emulated::shared_address(shared);
}

/// In the place of the C++ library's: a kernel may delete what it has made by new, and a virtual
/// destructor comes here by itself.
void operator delete(void* memory) noexcept {
  if (ridgeline::emulated::is_global(reinterpret_cast<std::uint64_t>(memory)))
    ridgeline::program::device_free(memory);
  else
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
