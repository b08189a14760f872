#include "harness/emulated/alignment.hpp"

#include <cstddef>
#include <cstring>

namespace ridgeline::emulated {
namespace {

bool same_place(const Entry& a, const Entry& b) {
  return a.pc == b.pc && a.path == b.path && a.act == b.act;
}

/// The entry that the program reaches first among the lanes' next accesses; null when all wait for
/// each other.
const Entry* first_access(std::span<const LaneLog> logs, const Paths& paths) {
  const Entry* first = nullptr;
  for (const LaneLog& log : logs) {
    if (log.next == log.end || !is_of_one_lane(log.next->act)) continue;
    if (first == nullptr || (!same_place(*log.next, *first) && paths.before(*log.next, *first)))
      first = log.next;
  }
  return first;
}

bool takes_part(const LaneLog& log, const Entry& together) {
  return (together.address >> log.lane & 1) != 0;
}

bool stands_at(const LaneLog& log, const Entry& together) {
  return log.next != log.end && log.next->act == together.act &&
         log.next->address == together.address;
}

/// Whether every lane that takes part stands at it, as far as its log tells.
bool complete(std::span<const LaneLog> logs, const Entry& together) {
  for (const LaneLog& log : logs)
    if (takes_part(log, together) && (log.next != log.end ? !stands_at(log, together) : log.waits))
      return false;
  return true;
}

void pass(const Entry& together, Warp& warp) {
  together.act == Act::warp_barrier ? warp.barrier() : warp.collective();
  if (together.act == Act::warp_event) warp.event();
}

/// What mostly is so: all lanes stand at one barrier or collective of all. Passes it, or does
/// nothing.
bool pass_converged(std::span<LaneLog> logs, Warp& warp) {
  const LaneLog& front = logs.front();
  if (front.next == front.end || is_of_one_lane(front.next->act)) return false;
  const Entry together = *front.next;
  for (const LaneLog& log : logs)
    if (!stands_at(log, together) || !takes_part(log, together)) return false;
  pass(together, warp);
  for (LaneLog& log : logs) ++log.next;
  return true;
}

/// Passes a barrier or collective at which all its lanes stand. When there is none, because the
/// kernel is wrong, the first. False where a lane may still come.
bool pass_together(std::span<LaneLog> logs, Warp& warp) {
  const Entry* found = nullptr;
  bool may_come = false;
  for (const LaneLog& log : logs) {
    may_come = may_come || log.waits;
    if (log.next == log.end) continue;
    if (found == nullptr) found = log.next;
    if (!complete(logs, *log.next)) continue;
    found = log.next;
    may_come = false;
    break;
  }
  if (found == nullptr || may_come) return false;
  const Entry together = *found;
  pass(together, warp);
  for (LaneLog& log : logs)
    if (stands_at(log, together) && (takes_part(log, together) || &*log.next == found)) ++log.next;
  return true;
}

/// Everything of an entry but its address.
std::uint64_t place_of(const Entry& entry) {
  std::uint64_t place = 0;
  static_assert(offsetof(Entry, pc) == 8 && sizeof(Entry) == 16);
  std::memcpy(&place, &entry.pc, sizeof place);
  return place;
}

/// Whether the upper bits of the addresses say more; of all lanes of a request alike.
bool says_more(const Entry& entry) {
  return is_store(entry.act) || (entry.act == Act::read && entry.address >> address_bits != 0);
}

/// Takes what was stored, or the number of the piece, out of the addresses.
void split_addresses(Request& request, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    request.stored[i] = static_cast<std::uint16_t>(request.addresses[i] >> address_bits);
    request.addresses[i] &= address_mask;
  }
}

/// What mostly is so: all lanes stand at one access to memory. Fills the request and moves on, or
/// does nothing.
bool take_converged(std::span<LaneLog> logs, Request& request) {
  const LaneLog& front = logs.front();
  if (front.next == front.end || !is_of_one_lane(front.next->act)) return false;
  const Entry place = *front.next;
  const std::uint64_t wanted = place_of(place);
  std::size_t count = 0;
  for (LaneLog& log : logs) {
    if (log.next == log.end || place_of(*log.next) != wanted) {
      for (LaneLog& moved : logs.first(count)) --moved.next;
      return false;
    }
    request.addresses[count] = log.next->address;
    request.lanes[count++] = log.lane;
    ++log.next;
  }
  if (says_more(place)) split_addresses(request, count);
  request.pc = place.pc;
  request.act = place.act;
  request.bytes = place.bytes;
  request.count = static_cast<int>(count);
  return true;
}

}  // namespace

bool Request::stored_by(std::size_t i, std::size_t other) const {
  if (other >= logs.size()) return false;
  for (const Entry* entry = logs[other].next; entry != logs[other].begin && entry != nullptr;) {
    --entry;
    const std::uint64_t at = entry->address & address_mask;
    if (entry->act != Act::write || at >= addresses[i] + static_cast<std::uint64_t>(bytes) ||
        addresses[i] >= at + entry->bytes)
      continue;
    return at == addresses[i] && entry->bytes == bytes &&
           sum_of(static_cast<std::uint16_t>(entry->address >> address_bits)) == sum_of(stored[i]);
  }
  return false;
}

void align(std::span<LaneLog> logs, const Paths& paths, Warp& warp) {
  Request request;
  request.logs = logs;
  if (logs.empty()) return;
  for (;;) {
    if (take_converged(logs, request)) {
      warp.request(request);
      continue;
    }
    if (pass_converged(logs, warp)) continue;
    bool any = false;
    for (const LaneLog& log : logs) {
      if (log.next == log.end && log.goes_on) return;
      any = any || log.next != log.end;
    }
    if (!any) return;
    const Entry* const first = first_access(logs, paths);
    if (first == nullptr) {
      if (!pass_together(logs, warp)) return;
      continue;
    }
    const Entry place = *first;
    request.pc = place.pc;
    request.act = place.act;
    request.bytes = place.bytes;
    request.count = 0;
    for (LaneLog& log : logs) {
      if (log.next == log.end || !same_place(*log.next, place)) continue;
      request.addresses[static_cast<std::size_t>(request.count)] = log.next->address;
      request.lanes[static_cast<std::size_t>(request.count++)] = log.lane;
      ++log.next;
    }
    if (says_more(place)) split_addresses(request, static_cast<std::size_t>(request.count));
    warp.request(request);
  }
}

}  // namespace ridgeline::emulated
