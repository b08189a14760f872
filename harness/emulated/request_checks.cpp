#include <algorithm>

#include <fmt/core.h>

#include "harness/emulated/aggregate_copies.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/requests.hpp"

// Requests against what was touched before them: races, and bytes that nobody has written.
namespace ridgeline::emulated {

static constexpr const char* same_value = "same value stored without order";
static constexpr const char* read_only_cache =
    ", where this launch has stored before: the read-only cache, of __ldg() and ld.global.nc, may "
    "still hold what was there";
static constexpr const char* not_in_step =
    ": lanes of a warp are not in step, and volatile accesses do not order them";
static constexpr const char* read_by_last_block =
    ", which may still be what was there before the other block's store: volatile accesses do not "
    "order each other";

/// What a race is by, where that is no plain access. `other_is_strong`: atomic or volatile.
static const char* kind_of_race(bool is_atomic, bool is_of_block, bool other_is_strong) {
  if (is_atomic) return is_of_block ? ", by an atomic of block scope" : ", by an atomic";
  return other_is_strong ? ", by a plain access, against an atomic or volatile one" : "";
}

static constexpr const char* read_behind_flag =
    ", which may still be what was there before the other block's store, although the flag that it "
    "stores behind that was seen: volatile accesses and atomics do not order each other";

bool Requests::ordered_by_lock(const Request& request, int thread, int other) const {
  if (other < 0 || thread / 32 != warp_ || other / 32 != warp_) return false;
  const auto comes_before = [&](int first, int second) {
    const OfLane& got = lanes_[static_cast<std::size_t>(second)];
    const LaneLog& log = request.logs[static_cast<std::size_t>(first % 32)];
    const Entry* entry = std::find_if(log.next, log.end, [](const Entry& each) {
      return each.act == Act::fence || each.act == Act::block_fence;
    });
    if (entry == log.end || entry->address > got.fence) return false;
    entry = std::find_if(entry, log.end, [](const Entry& each) {
      return each.act == Act::atomic || each.act == Act::block_atomic ||
             each.act == Act::volatile_write || each.act == Act::block_store;
    });
    return entry != log.end && (entry->address & address_mask) == got.flag;
  };
  // Several lanes may come between the two, which hand the lock on.
  return comes_before(thread, other) || comes_before(other, thread);
}

void Requests::touch_global(const GlobalMemory::Accesses& accesses, std::uint32_t pc,
                            bool by_threads) {
  const GlobalMemory::Toucher toucher{
      .block = static_cast<std::uint32_t>(block_.others.owner()),
      .by_threads = by_threads,
      .strong = accesses.act == Act::atomic || (by_threads && strong_),
      .in_block = by_threads && of_block_,
      .alone = !block_.others.in_cluster()};
  if (strong_ && by_threads && !of_block_)
    if (const auto early = block_.memory.touch_flags(
            accesses, toucher,
            {plain_but_checked_, polls_, flag_kind(accesses.act, pc), block_.barriers(), pc})) {
      const std::uint64_t address = accesses.addresses[early->access];
      block_.findings.add("missing fence", pc,
                          accesses.first_thread + accesses.threads[early->access], -1,
                          block_.memory.describe(address) +
                              (early->behind_flag ? read_behind_flag : read_by_last_block),
                          address, block_.memory.allocation_of(address));
    }
  if (read_only_ && by_threads)
    if (const auto changed = block_.memory.changed_by_launch(accesses)) {
      const std::uint64_t address = accesses.addresses[*changed];
      block_.findings.add("read-only load of what the kernel stores", pc,
                          accesses.first_thread + accesses.threads[*changed], -1,
                          block_.memory.describe(address) + read_only_cache, address,
                          block_.memory.allocation_of(address));
    }
  std::size_t next = 0;
  while (const auto mistake = block_.memory.touch(accesses, next, toucher, block_.shared.history)) {
    const std::uint64_t address = accesses.addresses[mistake->access];
    const int thread = accesses.first_thread + accesses.threads[mistake->access];
    const auto find = [&](const char* check, int other, const char* kind = "") {
      return &block_.findings.add(check, pc, thread, other, block_.memory.describe(address) + kind,
                                  address, block_.memory.allocation_of(address));
    };
    if (mistake->unwritten) {
      constexpr const char* check = "uninitialised (global)";
      const CopiedObject object = accesses.request == nullptr
                                      ? CopiedObject{}
                                      : copied_object(*accesses.request, mistake->access);
      if (object.bytes != 0 && block_.memory.any_written(object.begin, object.bytes))
        block_.findings.note(check, pc, thread, -1,
                             in_copied(object, block_.memory.describe(address)), address,
                             block_.memory.allocation_of(address));
      else
        find(check, -1);
    }
    if (mistake->race.launch != 0) {
      block_.findings.add(mistake->race.what, pc, thread, -1,
                          fmt::format("{}, {}", block_.memory.describe(address),
                                      block_.memory.describe_launch(mistake->race.launch)),
                          address, block_.memory.allocation_of(address));
      continue;
    }
    // Who has come to a counter last sets it back: the counter itself says that all others have.
    if (mistake->race.with_strong && accesses.act == Act::write && accesses.request != nullptr &&
        lanes_[static_cast<std::size_t>(thread)].strong ==
            accesses.request->addresses[mistake->access])
      continue;
    if (accesses.request != nullptr &&
        ordered_by_lock(*accesses.request, thread, mistake->race.other))
      continue;
    if (mistake->race.same_value ||
        (accesses.request != nullptr &&
         stored_the_same(*accesses.request, mistake->access, mistake->race)))
      block_.findings.note(same_value, pc, thread, mistake->race.other,
                           block_.memory.describe(address), address,
                           block_.memory.allocation_of(address));
    else if (mistake->race.what != nullptr) {
      Finding* const found = find(mistake->race.what, mistake->race.other,
                                  kind_of_race(accesses.act == Act::atomic, toucher.in_block,
                                               !toucher.strong && mistake->race.with_strong));
      if (mistake->race.other_block < 0 || found->count != 1) continue;
      found->other = mistake->race.thread_there;
      found->other_block = mistake->race.other_block;
    }
  }
}

/// `offset`: from addresses to where the history keeps them.
void Requests::touch_shared(const Request& request, std::uint64_t offset) {
  const SharedHistory::Quick quick(block_.shared.history, warp_);
  const std::size_t words = static_cast<std::size_t>(request.bytes) / 4,
                    count = request.active_lanes().size();
  const int first_thread = 32 * warp_;
  const bool reads = request.act == Act::read && !strong_,
             writes = request.act == Act::write && !strong_;
  if (words == 0 || (!reads && !writes)) {
    for (std::size_t i = 0; i < count; ++i) touch_lane(request, i);
    return;
  }
  const auto each_word = [&](std::size_t i, const auto& is_done) {
    std::uint64_t word = (request.addresses[i] + offset) / 4;
    const std::uint64_t end = word + words;
    do {  // words are there
      if (!is_done(word)) return false;
    } while (++word != end);
    return true;
  };
  for (std::size_t i = 0, end; i < count; i = end) {
    end = i + 1;
    while (reads && end < count && request.addresses[end] == request.addresses[i]) ++end;
    if (end - i > 1 && each_word(i, [&](std::uint64_t word) {
          return quick.read(word, request.active_lanes().subspan(i, end - i), first_thread);
        }))
      continue;
    for (std::size_t lane = i; lane < end; ++lane) {
      const int thread = first_thread + request.lanes[lane];
      const bool done =
          reads ? each_word(lane, [&](std::uint64_t word) { return quick.read(word, thread); })
                : each_word(lane, [&](std::uint64_t word) { return quick.write(word, thread); });
      if (!done) touch_lane(request, lane);
    }
  }
}

/// What a volatile access races with. Flags are volatile, and not in `conflict`, which is with
/// plain ones, too, unless lanes of a warp access different words by this instruction.
std::optional<SharedHistory::Conflict> Requests::volatile_conflict(
    const Request& request, std::size_t i, bool was_written,
    const std::optional<SharedHistory::Conflict>& conflict) {
  if (plain_but_checked_) return std::nullopt;
  std::uint32_t elsewhere = 0;  // lanes
  for (std::size_t other = 0; other < request.active_lanes().size(); ++other)
    if (request.addresses[other] != request.addresses[i]) elsewhere |= 1u << request.lanes[other];
  const std::uint64_t offset = block_.shared.offset_of(request.addresses[i]);
  const int thread = 32 * warp_ + request.lanes[i];
  const auto found =
      request.act == Act::read
          ? exchange_.read(offset, request.bytes, thread, polls_)
          : exchange_.write(offset, request.bytes, thread, was_written ? elsewhere : ~0u);
  if (found || !conflict || polls_ || conflict->other / 32 != warp_) return found;
  const bool is_race = conflict->what == SharedHistory::read_after_write ||
                       conflict->what == SharedHistory::write_after_write ||
                       conflict->what == SharedHistory::write_after_read;
  return is_race && (elsewhere >> conflict->other % 32 & 1) != 0 ? conflict : std::nullopt;
}

/// Lane number `i` of the request, where more is to be said or noted than SharedHistory::Quick
/// does.
void Requests::touch_lane(const Request& request, std::size_t i) {
  SharedHistory& history = block_.shared.history;
  const std::uint64_t offset = block_.shared.offset_of(request.addresses[i]);
  const int thread = 32 * warp_ + request.lanes[i];
  if ((request.act == Act::read || request.act == Act::atomic) &&
      !history.written(offset, request.bytes)) {
    constexpr const char* check = "uninitialised (shared)";
    const CopiedObject object = copied_object(request, i);
    const std::string place = block_.shared.describe(request.addresses[i], request.bytes);
    const std::uint64_t variable = block_.shared.variable_of(request.addresses[i]);
    if (object.bytes != 0 &&
        history.any_written(offset - (request.addresses[i] - object.begin), object.bytes))
      block_.findings.note(check, request.pc, thread, -1, in_copied(object, place), 0, variable);
    else
      block_.findings.add(check, request.pc, thread, -1, place, 0, variable);
  }
  Stored stored{.is_strong = strong_};
  if (request.act == Act::write)
    stored = {request.with(i), same_as_before(request.stored[i]), strong_};
  const bool is_volatile = strong_ && request.act != Act::atomic;
  const bool was_written = is_volatile && history.written(offset, request.bytes);
  auto conflict = history.access(offset, request.bytes, request.act, thread, stored);
  if (is_volatile) conflict = volatile_conflict(request, i, was_written, conflict);
  if (!conflict || ordered_by_lock(request, thread, conflict->other)) return;
  const std::string place = block_.shared.describe(request.addresses[i], request.bytes) +
                            (is_volatile ? not_in_step : "");
  const std::uint64_t variable = block_.shared.variable_of(request.addresses[i]);
  if (conflict->same_value || stored_the_same(request, i, *conflict))
    block_.findings.note(same_value, request.pc, thread, conflict->other, place, 0, variable);
  else
    block_.findings.add(
        conflict->what, request.pc, thread, conflict->other,
        place + kind_of_race(request.act == Act::atomic, false, !strong_ && conflict->with_strong),
        0, variable);
}

}  // namespace ridgeline::emulated
