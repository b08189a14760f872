#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/traffic.hpp"

// What a block's requests come to: they are counted, and checked against memory and its history.

// Where the program begins and ends, by the linker.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" char __executable_start, _end;

namespace ridgeline::emulated {
namespace {

bool is_constant(std::uint64_t address) {
  return address - reinterpret_cast<std::uint64_t>(&__executable_start) <
         static_cast<std::uint64_t>(&_end - &__executable_start);
}

}  // namespace

void Block::barrier() {
  shared.history.warp_barrier(aligned_warp_);
  loads_[aligned_warp_].end();
}

void Block::collective() { loads_[aligned_warp_].end(); }

/// Appends the lines that the request touches to what its warp has touched.
void Block::touch_lines(const Request& request, bool row) {
  const std::uint64_t kind = request.act == Act::write    ? LineTouch::writes
                             : request.act == Act::atomic ? LineTouch::reads | LineTouch::writes
                                                          : LineTouch::reads;
  if (row)
    for (std::uint64_t at = request.addresses[0]; at < request.row_end(); at = (at / sector_bytes + 1) * sector_bytes)
      touch_line(at, kind);
  else
    for (const std::uint64_t address : request.active_addresses()) touch_line(address, kind);
}

/// What follows on the same line in the same way joins it.
void Block::touch_line(std::uint64_t address, std::uint64_t kind) {
  if (limits_.l2_bytes == 0) return;
  std::vector<LineTouch>& touched = touched_of_warp_[aligned_warp_];
  const LineTouch touch = LineTouch::of(address, kind);
  if (!touched.empty() && (touch.bits ^ touched.back().bits) < 16)
    touched.back().bits |= touch.bits;
  else
    touched.push_back(touch);
}

/// Between two barriers, the warps go in the order of their numbers, whatever the order in which they have run.
void Block::order_touched() {
  for (int warp = 0; warp < warps_; ++warp) {
    std::vector<LineTouch>& of_warp = touched_of_warp_[warp];
    touched_.insert(touched_.end(), of_warp.begin(), of_warp.end());
    of_warp.clear();
  }
}

/// Of the block that has run.
void Block::note_in_flight() {
  for (int warp = 0; warp < warps_; ++warp) {
    std::uint64_t copies = 0;
    for (int lane = 0; has_copies_ && lane < lanes_of(warp); ++lane)
      copies += copies_[static_cast<std::size_t>(32 * warp + lane)].most_bytes;
    in_flight_bytes_ = std::max({in_flight_bytes_, copies, loads_[warp].most_bytes});
  }
}

void Block::request(const Request& asked) {
  if (asked.act == Act::event) {
    for (int i = 0; i < asked.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      async_.event(asked.addresses[at], 32 * aligned_warp_ + asked.lanes[at], asked.pc);
    }
    return;
  }
  if (asked.act == Act::fence) {
    shared.history.thread_fence(aligned_warp_);
    return memory_.fence(static_cast<std::uint32_t>(owner_), shared.history.published());
  }
  strong_ = asked.act == Act::atomic || asked.act == Act::volatile_read || asked.act == Act::volatile_write;
  if (asked.act != Act::volatile_read && asked.act != Act::volatile_write) return memory_request(asked);
  Request counted = asked;  // like others
  counted.act = asked.act == Act::volatile_read ? Act::read : Act::write;
  memory_request(counted);
}

void Block::memory_request(const Request& request) {
  accesses_ += static_cast<std::uint64_t>(request.count);
  const bool row = request.is_row();
  if (row && is_global(request.addresses[0]) && is_global(request.row_end())) return global_request(request, true);
  int global = 0;
  for (const std::uint64_t address : request.active_addresses()) global += is_global(address) ? 1 : 0;
  if (global == request.count) return global_request(request, false);
  if (global == 0) return shared_request(request);
  // Generic addresses of both kinds: the hardware takes them apart, too.
  for (const bool wanted : {true, false}) {
    Request part = request;
    part.count = 0;
    for (int i = 0; i < request.count; ++i) {
      const auto at = static_cast<std::size_t>(i), to = static_cast<std::size_t>(part.count);
      if (is_global(request.addresses[at]) != wanted) continue;
      part.addresses[to] = request.addresses[at];
      part.lanes[to] = request.lanes[at];
      ++part.count;
    }
    wanted ? global_request(part, false) : shared_request(part);
  }
}

/// `row`: request.is_row(), which most are, and which is sooner counted.
void Block::global_request(const Request& request, bool row) {
  Site& site = sites_.at(request.pc, Space::global, request.act, request.bytes);
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(request.count);
  if (request.act == Act::copy_read)  // how many sectors depends on where they go
    copied_ = request;
  else
    site.sectors += row ? (request.row_end() - 1) / sector_bytes - request.addresses[0] / sector_bytes + 1
                        : static_cast<std::uint64_t>(sectors(request.active_addresses()));
  if (limits_.l2_bytes != 0) touch_lines(request, row);
  if (request.act == Act::read)
    loads_[aligned_warp_].load(request.pc, static_cast<std::uint64_t>(request.count * request.bytes));
  else if (request.act != Act::copy_read)
    loads_[aligned_warp_].end();
  const Act act = request.act == Act::copy_read ? Act::read : request.act;  // to memory they are the same
  touch_global({request.active_addresses(), request.active_lanes(), 32 * aligned_warp_, request.bytes, act}, request.pc,
               true);
}

/// The sectors of copies whose sources came with the last request: some lanes may only write zeros.
void Block::count_copied(const Request& to) {
  std::uint64_t destinations[32];
  int known = 0;
  for (int i = 0; i < to.count && known < copied_.count; ++i)
    if (to.lanes[static_cast<std::size_t>(i)] == copied_.lanes[static_cast<std::size_t>(known)])
      destinations[known++] = to.addresses[static_cast<std::size_t>(i)];
  sites_.at(to.pc, Space::global, Act::copy_read, copied_.bytes).sectors +=
      static_cast<std::uint64_t>(copied_sectors(copied_.active_addresses().first(static_cast<std::size_t>(known)),
                                                {destinations, static_cast<std::size_t>(known)}));
  copied_.count = 0;
}

void Block::touch_global(const GlobalMemory::Accesses& accesses, std::uint32_t pc, bool by_threads) {
  const GlobalMemory::Toucher toucher{.block = static_cast<std::uint32_t>(owner_),
                                      .by_threads = by_threads,
                                      .strong = by_threads && strong_,
                                      .alone = residents_ == nullptr};
  std::size_t next = 0;
  while (const auto mistake = memory_.touch(accesses, next, toucher, shared.history)) {
    const std::uint64_t address = accesses.addresses[mistake->access];
    const int thread = accesses.first_thread + accesses.threads[mistake->access];
    if (mistake->unwritten) findings.add("uninitialised (global)", pc, thread, -1, memory_.describe(address), address);
    const GlobalMemory::Race race = mistake->race;
    if (race.what != nullptr) findings.add(race.what, pc, thread, race.other, memory_.describe(address), address);
  }
}

void Block::shared_request(const Request& request) {
  const std::uint64_t address = request.addresses[0];
  const SharedMemory::Place place = shared.place_of(address);
  if (!place.is_shared) {
    for (std::size_t rank = 0; in_cluster() && rank < residents_->size(); ++rank)
      if (residents_->block(rank).shared.holds(address, request.bytes))
        return cluster_request(request, residents_->block(rank));
    accesses_ -= static_cast<std::uint64_t>(request.count);
    if (!is_constant(address))
      findings.add("host memory", request.pc, 32 * aligned_warp_ + request.lanes[0], -1, fmt::format("{:#x}", address));
    return;
  }
  if (place.is_guard) {
    accesses_ -= static_cast<std::uint64_t>(request.count);
    return;
  }
  if (request.act == Act::write || request.act == Act::atomic) loads_[aligned_warp_].end();
  if (request.act == Act::copy_end) {  // counted when it began
    accesses_ -= static_cast<std::uint64_t>(request.count);
  } else {
    Site& site = sites_.at(request.pc, Space::shared, request.act, request.bytes);
    ++site.requests;
    site.lanes += static_cast<std::uint64_t>(request.count);
    site.wavefronts +=
        static_cast<std::uint64_t>(wavefronts(request.active_addresses(), request.active_lanes(), request.bytes));
    if (request.act == Act::copy_begin && copied_.count != 0 && copied_.pc == request.pc) count_copied(request);
  }
  const auto bytes = static_cast<std::uint64_t>(request.bytes);
  for (int i = 0; i < request.count; ++i) {
    const std::uint64_t bad = request.addresses[static_cast<std::size_t>(i)];
    if (bad >= place.begin && bad + bytes <= place.end) continue;
    findings.add("out of bounds (shared)", request.pc, 32 * aligned_warp_ + request.lanes[static_cast<std::size_t>(i)],
                 -1,
                 fmt::format("{} of {} bytes {} {}", place.name, place.end - place.begin, bad < place.begin ? "-" : "+",
                             bad < place.begin ? place.begin - bad : bad - place.begin));
    return;
  }
  const std::uint64_t offset_of_zero = shared.offset_of(address) - address;
  for (int i = 0; i < request.count; ++i) {
    const std::uint64_t offset = request.addresses[static_cast<std::size_t>(i)] + offset_of_zero;
    const int thread = 32 * aligned_warp_ + request.lanes[static_cast<std::size_t>(i)];
    if (request.bytes >= 4 && (request.act == Act::read || request.act == Act::write)) {
      bool quick = true;
      for (std::uint64_t word = offset / 4; quick && word < (offset + bytes) / 4; ++word)
        quick = request.act == Act::read ? shared.history.quick_read(word, thread)
                                         : shared.history.quick_write(word, thread);
      if (quick) continue;
    }
    if ((request.act == Act::read || request.act == Act::atomic) && !shared.history.written(offset, request.bytes))
      findings.add("uninitialised (shared)", request.pc, thread, -1, place.name);
    const auto conflict = shared.history.access(offset, request.bytes, request.act, thread);
    if (conflict && (!strong_ || request.act == Act::atomic))  // flags are made of volatile accesses
      findings.add(conflict->what, request.pc, thread, conflict->other, place.name);
  }
}

}  // namespace ridgeline::emulated
