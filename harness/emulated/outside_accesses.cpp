#include "harness/emulated/outside_accesses.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"

namespace ridgeline::emulated {
namespace {

constexpr std::size_t most_of_word = 8;
constexpr SharedHistory::Clock for_ever = 0xFFFF;

std::string_view name_of(int thread) {
  return thread == SharedHistory::unit_thread ? "asynchronous unit" : "thread";
}

/// The same two accesses, told by the one that came first.
const char* turned(std::string_view race, bool first_writes) {
  if (race == SharedHistory::write_after_write) return SharedHistory::write_after_write;
  return first_writes ? SharedHistory::read_after_write : SharedHistory::write_after_read;
}

}  // namespace

bool OutsideAccesses::knows(int warp, const Access& of) const {
  const SharedHistory::Knowledge* const known = block_.async.known_of(warp, of.rank);
  return known != nullptr && known->epoch == of.epoch &&
         SharedHistory::clock_of(of.moment) < known->seen[static_cast<std::size_t>(of.thread / 32)];
}

template <class Each>
void OutsideAccesses::each_access(const Each& each) const {
  for (const auto& [word, accesses] : by_word_)
    for (const Access& access : accesses)
      if (access.offset / 4 == word) each(access);
}

void OutsideAccesses::note(Block& from, int warp, const Request& request, std::size_t i,
                           bool strong) {
  const SharedHistory& history = block_.shared.history;
  const std::size_t offset = block_.shared.offset_of(request.addresses[i]);
  const int here = block_.others.cluster_rank(), thread = 32 * warp + request.lanes[i];
  const SharedHistory::Knowledge* const known = from.async.known_of(warp, here);
  Access access{.offset = offset,
                .bytes = request.bytes,
                .writes = request.act != Act::read,
                .strong = strong,
                .rank = from.others.cluster_rank(),
                .thread = thread,
                .block = from.number(),
                .pc = request.pc,
                .moment = from.shared.history.moment(thread, 15, strong),
                .epoch = from.shared.history.epoch(),
                .epoch_here = history.epoch(),
                .seen = history.seen_by(known == nullptr ? SharedHistory::Knowledge{} : *known)};
  const bool judged = !from.requests.has_fences() && !block_.requests.has_fences() &&
                      !(request.act == Act::write && same_as_before(request.stored[i]));
  const auto find = [&](const char* what, int other, std::uint64_t block) {
    from.findings.add(what, request.pc, thread, -1,
                      fmt::format("{} of block {}, with {} {} of block {}",
                                  block_.shared.describe(request.addresses[i], request.bytes),
                                  block_.number(), name_of(other), other, block));
  };
  const auto conflict =
      history.access_from_outside(offset, access.bytes, access.writes, strong, access.seen);
  if (judged && conflict) find(conflict->what, conflict->other, block_.number());
  bool found = false;
  for (std::size_t word = offset / 4; 4 * word < offset + static_cast<std::size_t>(access.bytes);
       ++word) {
    std::vector<Access>& of_word = by_word_[word];
    for (const Access& other : of_word) {
      const bool overlap = offset < other.offset + static_cast<std::size_t>(other.bytes) &&
                           other.offset < offset + static_cast<std::size_t>(access.bytes);
      if (found || !judged || !overlap || !(access.writes || other.writes) ||
          (strong && other.strong))
        continue;
      const bool of_same_block = other.rank == access.rank;
      if (of_same_block && request.act == Act::write && other.thread / 32 == warp &&
          (request.with(i) >> other.thread % 32 & 1) != 0)
        continue;
      const bool ordered = of_same_block
                               ? !from.shared.history.races(other.moment, thread, 15, strong)
                               : from.outside.knows(warp, other);
      if (ordered) continue;
      find(!access.writes ? SharedHistory::read_after_write
           : other.writes ? SharedHistory::write_after_write
                          : SharedHistory::write_after_read,
           other.thread, other.block);
      found = true;
    }
    std::erase_if(of_word, [&](const Access& other) {
      return other.rank == access.rank && other.thread / 32 == warp &&
             other.writes == access.writes && other.strong == strong;
    });
    if (of_word.size() == most_of_word) of_word.erase(of_word.begin());
    of_word.push_back(access);
  }
}

void OutsideAccesses::check() const {
  if (by_word_.empty() || block_.requests.has_fences()) return;
  SharedHistory& history = block_.shared.history;
  each_access([&](const Access& access) {
    if (access.epoch_here != history.epoch()) return;
    SharedHistory::Clocks seen = access.seen;
    for (int warp = 0; warp < block_.lanes.warps(); ++warp)
      if (knows(warp, access)) seen[static_cast<std::size_t>(warp)] = for_ever;
    seen[SharedHistory::most_warps] = for_ever;  // the unit's copies are begun by threads
    const auto conflict = history.access_from_outside(access.offset, access.bytes, access.writes,
                                                      access.strong, seen);
    if (conflict)
      block_.findings.add(
          turned(conflict->what, access.writes), access.pc, conflict->other, -1,
          fmt::format("{}, with thread {} of block {}, which made this access",
                      block_.shared.describe(block_.shared.at_offset(access.offset), access.bytes),
                      access.thread, access.block));
  });
}

void OutsideAccesses::forget_known() {
  for (auto& [word, accesses] : by_word_)
    std::erase_if(accesses, [&](const Access& access) { return knows(0, access); });
  std::erase_if(by_word_, [](const auto& of_word) { return of_word.second.empty(); });
}

void OutsideAccesses::end_block() {
  check();
  if (block_.requests.has_fences()) return;
  each_access([&](const Access& access) {
    for (int warp = 0; warp < block_.lanes.warps(); ++warp)
      if (knows(warp, access)) return;
    block_.findings.add(
        "shared memory of a block that may have ended", access.pc, 0, -1,
        fmt::format("{}: the block ends without a barrier of the cluster behind the access of "
                    "thread {} of block {}",
                    block_.shared.describe(block_.shared.at_offset(access.offset), access.bytes),
                    access.thread, access.block));
  });
}

}  // namespace ridgeline::emulated
