#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/cache_model.hpp"
#include "harness/emulated/traffic.hpp"

// Bulk and tensor copies. Sources: PTX ISA, "Data Movement and Conversion Instructions: Bulk copy"
// and "Tensor copy"; CUDA C++ Programming Guide, "Tensor Memory Access".
namespace ridgeline::emulated {

void AsyncUnit::check_shared(const void* at, std::uint64_t bytes, unsigned alignment,
                             std::uint32_t pc) {
  const auto address = reinterpret_cast<std::uint64_t>(at);
  const SharedMemory::Place place = block_.shared.place_of(address);
  if (!place.is_shared)
    block_.lanes.stop("not in shared memory", pc, -1, fmt::format("{:#x}", address));
  if (address % alignment != 0)
    block_.lanes.stop("misaligned", pc, -1,
                      fmt::format("{}: a multiple of {} bytes is needed",
                                  block_.shared.describe(address), alignment));
  if (address < place.begin || address + bytes > place.end)
    block_.lanes.stop("out of bounds (shared)", pc, -1,
                      fmt::format("{} bytes at {} of {} bytes", bytes,
                                  block_.shared.describe(address), place.end - place.begin));
}

void AsyncUnit::check_global(const Copy& copy) {
  for (const Chunk& chunk : copy.chunks) {
    if (chunk.first == chunk.end) continue;
    const std::uint64_t from = chunk.global + chunk.first;
    const auto bytes = static_cast<std::uint64_t>(chunk.end - chunk.first);
    if (hot.early) block_.lanes.stop("too early", copy.pc, -1, Block::too_early);
    if (!is_global(from)) block_.lanes.stop("host memory", copy.pc, -1, fmt::format("{:#x}", from));
    if (!is_inside(from, bytes))
      block_.lanes.stop("out of bounds (global)", copy.pc, -1,
                        block_.memory.describe(from + bytes - 1));
  }
}

/// The bulk copy of a row of bytes.
AsyncUnit::Copy AsyncUnit::row(const void* shared, const void* global, unsigned bytes, bool is_load,
                               std::uint32_t pc) {
  const auto address = reinterpret_cast<std::uint64_t>(global);
  if (bytes % 16 != 0 || address % 16 != 0)
    block_.lanes.stop("misaligned", pc, -1,
                      fmt::format("{} bytes {} {}: bulk copies take multiples of 16", bytes,
                                  is_load ? "from" : "to", block_.memory.describe(address)));
  check_shared(shared, bytes, 16, pc);
  Copy copy{.is_load = is_load, .thread = block_.lanes.running().thread, .pc = pc, .bytes = bytes};
  auto* const in_shared = const_cast<std::byte*>(static_cast<const std::byte*>(shared));
  for (unsigned i = 0; i < bytes; i += 16)
    copy.chunks.push_back({in_shared + i, address + i, 0, 16});
  return copy;
}

void AsyncUnit::load(void* to_shared, const void* from_global, unsigned bytes, void* barrier,
                     std::uint32_t pc) {
  Copy copy = row(to_shared, from_global, bytes, true, pc);
  barrier_at(barrier, pc);
  copy.barrier = reinterpret_cast<std::uint64_t>(barrier);
  check_global(copy);
  add_copy(std::move(copy));
}

void AsyncUnit::store(void* to_global, const void* from_shared, unsigned bytes, bool adds,
                      std::uint32_t pc) {
  Copy copy = row(from_shared, to_global, bytes, false, pc);
  copy.adds = adds;
  check_global(copy);
  stores_[block_.lanes.running().thread].under_way.push_back(add_copy(std::move(copy)));
}

/// The copy of the map's box whose first element is at those coordinates, which may lie outside of
/// the tensor.
AsyncUnit::Copy AsyncUnit::box(const TensorMap& map, const int* at, std::byte* shared, bool is_load,
                               std::uint32_t pc) {
  const auto element = static_cast<std::uint64_t>(map.element_bytes);
  const std::uint64_t row_bytes = map.box[0] * element;
  if (map.rank < 1 || map.rank > 5)
    block_.lanes.stop("wrong tensor map", pc, -1, "make_tensor_map() has not made it");
  if (map.swizzle_bytes != 0 && row_bytes != map.swizzle_bytes)
    block_.lanes.stop(
        "unsupported", pc, -1,
        "cp.async.bulk.tensor of swizzled rows that are shorter than the swizzle's span");
  std::uint64_t rows = 1;
  for (int d = 1; d < map.rank; ++d) rows *= map.box[d];
  check_shared(shared, rows * row_bytes, 128, pc);
  Copy copy{.is_load = is_load,
            .thread = block_.lanes.running().thread,
            .pc = pc,
            .bytes = rows * row_bytes};
  const auto box_begin = reinterpret_cast<std::uint64_t>(shared);
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::uint64_t rest = row;
    bool inside = true;
    auto from = static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(map.memory));
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t index = at[d] + static_cast<std::int64_t>(rest % map.box[d]);
      rest /= map.box[d];
      inside = inside && index >= 0 && index < static_cast<std::int64_t>(map.sizes[d]);
      from += index * static_cast<std::int64_t>(map.strides[d]);
    }
    from += std::int64_t{at[0]} * map.element_bytes;
    // Bytes of the row that lie in the tensor.
    const auto row_end = static_cast<std::int64_t>(row_bytes);
    const std::int64_t first =
        std::clamp<std::int64_t>(-std::int64_t{at[0]} * map.element_bytes, 0, row_end);
    const std::int64_t end = std::clamp<std::int64_t>(
        (static_cast<std::int64_t>(map.sizes[0]) - at[0]) * map.element_bytes, 0, row_end);
    for (std::int64_t i = 0; i < row_end; i += 16) {
      const std::uint64_t address = box_begin + row * row_bytes + static_cast<std::uint64_t>(i);
      std::byte* const to = shared + (swizzled(address, map.swizzle_bytes) - box_begin);
      Chunk chunk{to, static_cast<std::uint64_t>(from + i), 0, 0};
      if (inside && first < i + 16 && end > i && first < end) {
        chunk.first = static_cast<std::uint8_t>(std::max<std::int64_t>(first - i, 0));
        chunk.end = static_cast<std::uint8_t>(std::min<std::int64_t>(end - i, 16));
      }
      copy.chunks.push_back(chunk);
    }
  }
  check_global(copy);
  return copy;
}

void AsyncUnit::load(void* to_shared, const TensorMap& map, const int* at, void* barrier,
                     std::uint32_t pc) {
  barrier_at(barrier, pc);
  Copy copy = box(map, at, static_cast<std::byte*>(to_shared), true, pc);
  copy.barrier = reinterpret_cast<std::uint64_t>(barrier);
  add_copy(std::move(copy));
}

void AsyncUnit::store(const TensorMap& map, const int* at, const void* from_shared,
                      std::uint32_t pc) {
  Copy copy =
      box(map, at, const_cast<std::byte*>(static_cast<const std::byte*>(from_shared)), false, pc);
  stores_[block_.lanes.running().thread].under_way.push_back(add_copy(std::move(copy)));
}

void AsyncUnit::commit_stores() { stores_[block_.lanes.running().thread].commit(); }

/// The copy is the unit's from here on: it is counted, and races with what is not ordered before
/// its issue.
void AsyncUnit::begin_copy(Copy& copy) {
  copy.state = Copy::State::under_way;
  Site& site =
      block_.requests.sites.at(copy.pc, Space::bulk, copy.is_load ? Act::read : Act::write, 0);
  site.bytes = 1;
  ++site.requests;
  for (const Chunk& chunk : copy.chunks)
    site.lanes += static_cast<std::uint64_t>(chunk.end - chunk.first);
  std::vector<std::uint64_t> sectors;
  for (const Chunk& chunk : copy.chunks) {
    if (chunk.first == chunk.end) continue;
    sectors.push_back((chunk.global + chunk.first) / sector_bytes);
    // A chunk lies in one sector: it begins at a multiple of 16 bytes.
    block_.requests.touch_line(chunk.global + chunk.first,
                               copy.is_load ? LineTouch::reads
                               : copy.adds  ? LineTouch::reads | LineTouch::writes
                                            : LineTouch::writes);
  }
  std::ranges::sort(sectors);
  site.sectors +=
      static_cast<std::uint64_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  if (copy.is_load) {
    check_fenced(copy, block_.findings);
    touch_global(copy);
  }
  begin_elsewhere(copy);
  for (const Chunk& chunk : copy.chunks) {
    const auto address = reinterpret_cast<std::uint64_t>(chunk.shared);
    const std::size_t offset = block_.shared.offset_of(address);
    const auto conflict = block_.shared.history.begin_unit(offset, copy.thread, copy.is_load);
    if (!conflict) continue;
    block_.findings.add(conflict->what, copy.pc, copy.thread, conflict->other,
                        block_.shared.describe(address));
    break;  // one finding a copy tells enough; what is left would repeat it
  }
}

/// That this block's barrier, which the copy arrives at, is known to the unit.
void AsyncUnit::check_fenced(const Copy& copy, Findings& findings) const {
  const auto barrier = barriers_.find(copy.barrier);
  if (barrier != barriers_.end() && !barrier->second.fenced)
    findings.add("missing fence (mbarrier)", copy.pc, copy.thread, barrier->second.thread,
                 block_.shared.describe(copy.barrier) +
                     ", an mbarrier, is initialised, and no fence makes it known to the "
                     "asynchronous unit");
}

void AsyncUnit::touch_global(const Copy& copy) {
  const Act act = copy.is_load ? Act::read : copy.adds ? Act::atomic : Act::write;
  for (const Chunk& chunk : copy.chunks) {
    // In the largest pieces that are aligned.
    for (std::uint64_t at = chunk.global + chunk.first; at < chunk.global + chunk.end;) {
      const std::uint64_t left = chunk.global + chunk.end - at;
      int bytes = 16;
      while (at % static_cast<std::uint64_t>(bytes) != 0 ||
             static_cast<std::uint64_t>(bytes) > left)
        bytes /= 2;
      const std::uint8_t one[] = {0};
      block_.requests.touch_global({std::span(&at, 1), one, copy.thread, bytes, act}, copy.pc,
                                   false);
      at += static_cast<std::uint64_t>(bytes);
    }
  }
}

/// To numbers that other blocks may add to at the same time.
static void add_numbers(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof(float)) {
    float number = 0;
    std::memcpy(&number, from + i, sizeof number);
    std::atomic_ref(*reinterpret_cast<float*>(to + i)).fetch_add(number, std::memory_order_relaxed);
  }
}

/// Moves the bytes; a load's barrier is told.
void AsyncUnit::deliver(Copy& copy) {
  for (const Chunk& chunk : copy.chunks) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the emulated device
    auto* const global = reinterpret_cast<std::byte*>(chunk.global);
    const auto bytes = static_cast<std::size_t>(chunk.end - chunk.first);
    if (!copy.is_load) {
      if (copy.adds)
        add_numbers(global + chunk.first, chunk.shared + chunk.first, bytes);
      else if (bytes != 0)
        std::memcpy(global + chunk.first, chunk.shared + chunk.first, bytes);
      continue;
    }
    std::memset(chunk.shared, 0, 16);
    if (bytes != 0) std::memcpy(chunk.shared + chunk.first, global + chunk.first, bytes);
    const auto address = reinterpret_cast<std::uint64_t>(chunk.shared);
    block_.shared.history.end_unit_write(block_.shared.offset_of(address));
  }
  if (!copy.is_load) return;
  copy.state = Copy::State::done;
  copy.chunks = {};
  const auto barrier = barriers_.find(copy.barrier);
  if (barrier == barriers_.end()) return;
  block_.shared.history.release_unit(barrier->second.known);
  barrier->second.bytes -= static_cast<std::int64_t>(copy.bytes);
  complete_phase(barrier->second);
}

void AsyncUnit::end_store(Copy& copy) {
  touch_global(copy);
  for (const Chunk& chunk : copy.chunks) {
    const auto address = reinterpret_cast<std::uint64_t>(chunk.shared);
    block_.shared.history.end_unit_read(block_.shared.offset_of(address), copy.thread);
  }
  copy.state = Copy::State::done;
  copy.chunks = {};
}

void AsyncUnit::end_block() {
  if (!used_) return;
  for (const Copy& copy : copies_)
    if (copy.state != Copy::State::done)
      block_.findings.add("copy never waited for", copy.pc, copy.thread, -1,
                          copy.is_load ? "to shared memory" : "from shared memory");
  for (int warp = 0; warp < block_.lanes.warps(); ++warp) {
    const WarpProducts& mine = products_[static_cast<std::size_t>(warp)];
    if (!mine.started.under_way.empty())
      block_.findings.add("product never waited for", mine.started.under_way[0].pc, 32 * warp, -1,
                          "its sums are not defined");
    const WarpProducts& first = products_[static_cast<std::size_t>(warp / 4) * 4];
    if (mine.sequence != first.sequence)
      block_.findings.add("divergent warpgroup", block_.lanes.of_warp(warp)[0].pc, 32 * warp,
                          warp / 4 * 128,
                          "its warps do not issue the same products and changes of registers");
  }
}

}  // namespace ridgeline::emulated
