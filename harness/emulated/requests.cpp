#include "harness/emulated/requests.hpp"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program_variables.hpp"
#include "harness/emulated/traffic.hpp"

namespace ridgeline::emulated {

void Requests::block_barrier() {
  lines.order(block_.lanes.warps());
  exchange_.order_all();
  for (LoadRun& loads : loads_) loads.end();
}

void Requests::end_block() {
  lines.order(block_.lanes.warps());
  for (int warp = 0; warp < block_.lanes.warps(); ++warp)
    in_flight_bytes =
        std::max({in_flight_bytes, block_.copies.most_bytes(warp), loads_[warp].most_bytes});
}

void Requests::barrier() {
  block_.shared.history.warp_barrier(warp_);
  exchange_.order(warp_);
  loads_[warp_].end();
}

void Requests::event() {
  exchange_.order(warp_);
  block_.async.warp_event(warp_);
}

void Requests::request(const Request& asked) {
  if (asked.act == Act::event || asked.act == Act::fence || asked.act == Act::block_fence)
    exchange_.order(warp_);
  if (asked.act == Act::event) {
    for (std::size_t i = 0; i < asked.active_lanes().size(); ++i)
      block_.async.event(asked.addresses[i], 32 * warp_ + asked.lanes[i], asked.pc);
    return;
  }
  const std::size_t of_warp = static_cast<std::size_t>(warp_) * 32;
  if (asked.act == Act::fence || asked.act == Act::block_fence)
    for (std::size_t i = 0; i < asked.active_lanes().size(); ++i) {
      OfLane& lane = lanes_[of_warp + asked.lanes[i]];
      lane.fence = asked.addresses[i];
      lane.flag = lane.strong;
      fenced_ = true;
    }
  if (asked.act == Act::block_fence) return block_.shared.history.thread_fence(warp_);
  if (asked.act == Act::fence) {
    block_.shared.history.thread_fence(warp_);
    return block_.memory.fence(static_cast<std::uint32_t>(block_.others.owner()),
                               block_.shared.history.published());
  }
  if (is_store(asked.act) && block_.others.has_spins())
    for (std::size_t i = 0; i < asked.active_lanes().size(); ++i)
      if (!same_as_before(asked.stored[i])) block_.others.stores(32 * warp_ + asked.lanes[i]);
  plain_but_checked_ = asked.act == Act::read && is_checked(asked);
  of_block_ = is_of_block(asked.act);
  read_only_ = asked.act == Act::read_only_load;
  strong_ = asked.act == Act::atomic || of_block_ || asked.act == Act::volatile_read ||
            asked.act == Act::volatile_write || plain_but_checked_;
  polls_ = asked.act == Act::volatile_read && is_poll(asked);
  for (std::size_t i = 0; strong_ && i < asked.active_lanes().size(); ++i)
    lanes_[of_warp + asked.lanes[i]].strong = asked.addresses[i];
  if (counted_as(asked.act) == asked.act) return memory_request(asked);
  Request counted = asked;  // like others
  counted.act = counted_as(asked.act);
  memory_request(counted);
}

/// Whether the lanes change what they read by an atomic right behind it, which tells whether it was
/// still so. All do what the first does, and what lanes have done there before: others may have
/// seen that there is nothing to change.
bool Requests::is_checked(const Request& asked) {
  const LaneLog& log = asked.logs[asked.lanes[0]];
  const bool is_last = log.next == log.end;
  const Act next = is_last ? Act::read : log.next->act;
  const bool is_before_atomic =
      is_last ? block_.others.spins_at(32 * warp_ + asked.lanes[0], asked.addresses[0])
              : (next == Act::atomic || next == Act::block_atomic) &&
                    log.next->address == asked.addresses[0];
  if (__builtin_expect(!is_before_atomic && checked_.empty(), 1)) return false;
  const bool known = std::ranges::find(checked_, asked.pc) != checked_.end();
  if (is_before_atomic && !known) checked_.push_back(asked.pc);
  return is_before_atomic || known;
}

/// Whether a lane comes to the same load of the same place again at once, or lanes have done so
/// there before: it waits for what others write.
bool Requests::is_poll(const Request& asked) {
  if (std::ranges::find(polled_, asked.pc) != polled_.end()) return true;
  for (std::size_t i = 0; i < asked.active_lanes().size(); ++i) {
    const LaneLog& log = asked.logs[asked.lanes[i]];
    const bool again = log.next == log.end
                           ? block_.others.spins_at(32 * warp_ + asked.lanes[i], asked.addresses[i])
                           : log.next->pc == asked.pc && log.next->address == asked.addresses[i];
    if (!again) continue;
    polled_.push_back(asked.pc);
    return true;
  }
  return false;
}

void Requests::note_atomic(std::uint32_t pc, UnfencedFlags::Kind kind) {
  const bool is_known =
      std::ranges::any_of(atomics_, [&](const auto& each) { return each.first == pc; });
  if (!is_known) atomics_.emplace_back(pc, kind);
}

UnfencedFlags::Kind Requests::flag_kind(Act act, std::uint32_t pc) const {
  if (act == Act::read) return UnfencedFlags::Kind::load;
  if (act == Act::write) return UnfencedFlags::Kind::store;
  for (const auto& [known, kind] : atomics_)
    if (known == pc) return kind;
  return UnfencedFlags::Kind::update;
}

void Requests::memory_request(const Request& request) {
  lane_accesses += static_cast<std::uint64_t>(request.count);
  static_assert(std::has_single_bit(global_span) && global_base % global_span == 0);
  const std::uint64_t spread = request.spread();
  if (spread < global_span)  // all on one side
    return is_global(request.addresses[0]) ? global_request(request, request.is_row())
                                           : shared_request(request, spread);
  int global = 0;
  for (const std::uint64_t address : request.active_addresses())
    global += is_global(address) ? 1 : 0;
  if (global == request.count) return global_request(request, false);
  if (global == 0) return shared_request(request, spread);
  // Generic addresses of both kinds: the hardware takes them apart, too.
  for (const bool wanted : {true, false}) {
    Request part = request;
    part.count = 0;
    for (std::size_t i = 0; i < request.active_lanes().size(); ++i) {
      if (is_global(request.addresses[i]) != wanted) continue;
      const auto to = static_cast<std::size_t>(part.count++);
      part.addresses[to] = request.addresses[i];
      part.stored[to] = request.stored[i];
      part.lanes[to] = request.lanes[i];
    }
    wanted ? global_request(part, false) : shared_request(part, part.spread());
  }
}

/// `row`: request.is_row(), which most are, and which is sooner counted.
void Requests::global_request(const Request& request, bool row) {
  Site& site = sites.at(request.pc, Space::global, request.act, request.bytes);
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(request.count);
  if (request.act == Act::copy_read && request.bytes == 16)  // past L1: how many sectors depends on
    copied_ = request;                                       // where they go
  else
    site.sectors +=
        row ? (request.row_end() - 1) / sector_bytes - request.addresses[0] / sector_bytes + 1
            : static_cast<std::uint64_t>(sectors(request.active_addresses()));
  const std::uint64_t kind = request.act == Act::write    ? LineTouch::writes
                             : request.act == Act::atomic ? LineTouch::reads | LineTouch::writes
                                                          : LineTouch::reads;
  for (std::uint64_t at = request.addresses[0]; keeps_lines_ && row && at < request.row_end();
       at = (at / sector_bytes + 1) * sector_bytes)
    lines.touch(warp_, at, kind);
  if (keeps_lines_ && !row)
    for (const std::uint64_t address : request.active_addresses())
      lines.touch(warp_, address, kind);
  if (request.act == Act::read)
    loads_[warp_].load(request.pc, request.bytes_of_all());
  else if (request.act != Act::copy_read)
    loads_[warp_].end();
  // To memory they are the same.
  const Act act = request.act == Act::copy_read ? Act::read : request.act;
  touch_global({request.active_addresses(), request.active_lanes(), 32 * warp_, request.bytes, act,
                &request, row},
               request.pc, true);
}

/// The sectors of copies whose sources came with the last request: some lanes may only write zeros.
void Requests::count_copied(const Request& to) {
  std::uint64_t destinations[32];
  std::size_t known = 0;
  for (std::size_t i = 0; i < to.active_lanes().size() && known < copied_.active_lanes().size();
       ++i)
    if (to.lanes[i] == copied_.lanes[known]) destinations[known++] = to.addresses[i];
  sites.at(to.pc, Space::global, Act::copy_read, copied_.bytes).sectors +=
      static_cast<std::uint64_t>(
          copied_sectors(copied_.active_addresses().first(known), {destinations, known}));
  copied_.count = 0;
}

/// To variables outside of functions: checked like global memory, and not counted, since a GPU
/// reads those that are constant another way.
void Requests::variable_request(const Request& request) {
  lane_accesses -= static_cast<std::uint64_t>(request.count);
  std::uint64_t addresses[32];
  std::uint8_t lanes[32];
  std::size_t count = 0;
  for (std::size_t i = 0; i < request.active_lanes().size(); ++i) {
    const std::uint64_t address = request.addresses[i];
    if (!ProgramVariables::are_at(address) || ProgramVariables::are_constant_at(address)) continue;
    addresses[count] = global_of_variable(address);
    lanes[count++] = request.lanes[i];
  }
  if (count == 0) return;
  const bool all = count == request.active_lanes().size();
  touch_global({.addresses = {addresses, count},
                .threads = {lanes, count},
                .first_thread = 32 * warp_,
                .bytes = request.bytes,
                .act = request.act == Act::copy_read ? Act::read : request.act,
                .request = all ? &request : nullptr},
               request.pc, true);
}

/// `spread`: request.spread().
void Requests::shared_request(const Request& request, std::uint64_t spread) {
  const std::uint64_t address = request.addresses[0];
  const SharedMemory::Place place = block_.shared.place_of(address);
  const auto is_elsewhere = [&](std::size_t lane) {
    return !block_.shared.holds(request.addresses[lane], request.bytes);
  };
  bool elsewhere = !place.is_shared;  // of some lane, where others may stay in this block
  for (std::size_t i = 1; block_.others.in_cluster() && i < request.active_lanes().size(); ++i)
    elsewhere = elsewhere || is_elsewhere(i);
  if (elsewhere && block_.others.request(request, warp_, strong_)) return;
  if (!place.is_shared) return variable_request(request);
  if (place.is_guard) {
    lane_accesses -= static_cast<std::uint64_t>(request.count);
    return;
  }
  if (request.act == Act::write || request.act == Act::atomic) loads_[warp_].end();
  if (request.act == Act::copy_end) {  // counted when it began
    lane_accesses -= static_cast<std::uint64_t>(request.count);
  } else {
    Site& site = sites.at(request.pc, Space::shared, request.act, request.bytes);
    ++site.requests;
    site.lanes += static_cast<std::uint64_t>(request.count);
    site.wavefronts +=
        spread < row_of_banks && request.bytes <= bank_bytes
            ? 1
            : static_cast<std::uint64_t>(
                  wavefronts(request.active_addresses(), request.active_lanes(), request.bytes));
    if (request.act == Act::copy_begin && copied_.count != 0 && copied_.pc == request.pc)
      count_copied(request);
  }
  const auto bytes = static_cast<std::uint64_t>(request.bytes);
  const std::size_t count = request.active_lanes().size();
  const std::uint64_t size = place.end - place.begin, room = size < bytes ? 0 : size - bytes + 1;
  // No address lies before the first one without the bits in which they differ, nor behind it with
  // all up to the highest of them.
  const std::uint64_t differ = std::bit_ceil(spread + 1) - 1;
  const bool is_inside =
      (address & ~differ) - place.begin < room && (address | differ) - place.begin < room;
  for (std::size_t i = 0; i < count && !is_inside; ++i) {
    const std::uint64_t bad = request.addresses[i];
    if (bad - place.begin < room) continue;
    block_.findings.add(
        "out of bounds (shared)", request.pc, 32 * warp_ + request.lanes[i], -1,
        fmt::format("{} of {} bytes {} {}", place.name, size, bad < place.begin ? "-" : "+",
                    bad < place.begin ? place.begin - bad : bad - place.begin));
    return;
  }
  touch_shared(request, block_.shared.offset_of(address) - address);
}

}  // namespace ridgeline::emulated
