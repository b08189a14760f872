#include "harness/emulated/others.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/aggregate_copies.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/program_variables.hpp"

namespace ridgeline::emulated {

// A loop over others' progress, in which nothing that it sees changes so often, never ends.
constexpr std::uint32_t most_rounds = 1u << 20;
// Behind so many, others may help.
constexpr std::uint64_t few_vain_rounds = 4;
// A lane that counts is waited for while it has looked so often, or all of its block together so
// often, without anything new. That takes some six seconds for 1024 lanes; a block of one lane has
// had all its turns before, after one second.
constexpr std::uint32_t most_counted_by_lane = 1u << 15, most_counted_by_block = 1u << 23;
// Other blocks go on after so many looks of a lane that counts: to have them go on each time costs
// more than all the rest.
constexpr std::uint32_t looks_in_turn = 64;

// Logs with the same few accesses before a lane counts as waiting; and of a lane, and of all lanes
// of its block without progress, until it does so for ever: 32 thousand and 4 million accesses.
constexpr std::uint32_t idle_logs = 16, endless_of_lane = 128, endless_of_block = 16384;
// Logs of a block without progress: 2^30 accesses, which take a minute.
constexpr std::uint64_t most_full_logs = (std::uint64_t{1} << 30) / log_entries;

void Others::begin_block(ResidentBlocks* residents, std::size_t place, BlockTurns* turns) {
  if (std::exchange(has_spins_, false)) std::ranges::fill(spins_, Spin{});
  residents_ = residents;
  turns_ = turns;
  place_ = place;
  clock_at_ = nullptr;
  vain_rounds_ = full_logs_ = idle_logs_ = counted_ = 0;
  patience_.renew();
  progress_ = counts_ = has_arrived_ = relaxed_[0] = relaxed_[1] = false;
}

std::uint64_t Others::owner() const {
  return in_cluster() ? residents_->number() : block_.number();
}

bool Others::end_round() {
  const bool progress = std::exchange(progress_, false), counts = std::exchange(counts_, false);
  if (!waits_) return true;
  vain_rounds_ = progress ? 0 : vain_rounds_ + 1;
  if (let_others_run(progress, counts)) return true;
  if (turns_ != nullptr ? turns_->is_deadlocked() : none() || residents_->is_deadlocked())
    block_.say_who_waits();
  block_.findings.stop();
  return false;
}

bool Others::let_others_run(bool progress, bool counts) {
  if (!none()) return residents_->pass(place_, progress, counts);
  if (turns_ == nullptr) return patience_.lasts(progress, counts, 1);
  if (vain_rounds_ < few_vain_rounds) return true;
  return turns_->pass(block_.number(), progress, counts);
}

/// Whether a store of the running lane that nobody has looked at yet has changed something.
static bool has_stored() {
  settle_store(hot);
  return std::ranges::any_of(Lanes::logged(), [](const Entry& entry) {
    return is_store(entry.act) &&
           !same_as_before(static_cast<std::uint16_t>(entry.address >> address_bits));
  });
}

// Registers that functions keep for their callers may hold what a loop counts by. They come to lie
// on the stack here, above what is allocated last.
[[gnu::noinline]] void Others::spin_point(std::uint64_t address, std::uint32_t pc, int bytes) {
  __builtin_unwind_init();
  auto* const last = static_cast<std::uint64_t*>(__builtin_alloca(sizeof(std::uint64_t)));
  *last = 0;
  look(address, pc, bytes, reinterpret_cast<const std::byte*>(last));
}

/// `stack`: where that of the running lane begins, as far as it decides what the lane does next.
void Others::look(std::uint64_t address, std::uint32_t pc, int bytes, const std::byte* stack) {
  has_spins_ = true;
  Lane& lane = block_.lanes.running();
  Spin& spin = spins_[lane.thread];
  const bool looped = pc <= spin.pc;
  spin.pc = pc;
  // What is no memory of the kernel's is found when the access is logged.
  if (!looped || (is_global(address)
                      ? !is_inside(address, static_cast<std::uint64_t>(bytes))
                      : !block_.shared.holds(address, bytes) && !ProgramVariables::are_at(address)))
    return;
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address),  // NOLINT(performance-no-int-to-ptr)
              static_cast<std::size_t>(std::min(bytes, 8)));
  spin.address = address;
  if (spin.is_new(address, value, {stack, static_cast<const std::byte*>(lane.stack)})) {
    progress_ = true;
    spin.rounds = spin.counted = spin.logs = 0;
    spin.log = counted_ = 0;
  } else if ((spin.counts() || has_stored()) && may_count(spin)) {
    counts_ = true;
    waits_ = waits_ || spin.counted % looks_in_turn == 0;
  } else {
    waits_ = true;
    if (++spin.rounds > most_rounds) {
      block_.say_who_waits();  // the others
      block_.lanes.stop("deadlock", pc, -1, awaited_in_loop(lane));
    }
  }
  lane.pc = pc;
  block_.lanes.park(LaneState::spinning);
}

bool Others::may_count(Spin& spin) {
  ++counted_;
  ++spin.counted;
  return counted_ < most_counted_by_block || spin.counted < most_counted_by_lane;
}

std::uint64_t Others::read_clock() {
  Spin& spin = spins_[block_.lanes.running().thread];
  has_spins_ = true;
  spin.act();
  clock_reads_ = std::exchange(clock_at_, hot.next) == hot.next ? clock_reads_ + 1 : 0;
  return 1 + spin.vain_looks() + clock_reads_;
}

bool Others::is_idle() {
  const std::span<const Entry> log = Lanes::logged();
  Lane& lane = block_.lanes.running();
  if (++full_logs_ > most_full_logs)
    block_.lanes.stop("endless loop", log.back().pc, -1,
                      "the block makes a thousand million accesses without a barrier, and none of "
                      "its threads ends");
  constexpr std::size_t few = 4;
  Entry found[few];
  std::size_t count = 0;
  for (const Entry& entry : log) {
    if (entry.act == Act::fence || entry.act == Act::block_fence) continue;
    const bool known = std::any_of(found, found + count, [&](const Entry& other) {
      return other.pc == entry.pc && other.act == entry.act &&
             (other.address & address_mask) == (entry.address & address_mask);
    });
    if (known) continue;
    if (count == few || entry.act >= Act::event || entry.act == Act::copy_begin) return false;
    found[count++] = entry;
  }
  if (count == 0) return false;
  std::uint64_t seen = 1;
  for (const Entry& entry : std::span(found, count)) {
    const std::uint64_t address = entry.address & address_mask;
    const std::uint64_t value = entry.bytes == 0 ? 0 : value_at(address, entry.bytes);
    // In whatever order they were found: a log begins anywhere in the loop.
    seen += (value + address * 31 + entry.pc) * mixer;
  }
  has_spins_ = true;
  Spin& spin = spins_[lane.thread];
  if (spin.log != seen) {
    spin.log = seen;
    spin.logs = 0;
    return false;
  }
  if (++spin.logs < idle_logs) return false;
  waits_ = progress_ = true;  // others may go on, and how often they did says nothing
  lane.pc = found[0].pc;
  spin.address = found[0].address & address_mask;
  if (++idle_logs_ > endless_of_block && spin.logs > endless_of_lane) {
    block_.say_who_waits();
    block_.lanes.stop("endless loop", lane.pc, -1, awaited_in_loop(lane));
  }
  return true;
}

bool Others::waits_at(int thread, std::uint64_t address) const {
  return block_.lanes.all()[static_cast<std::size_t>(thread)].state == LaneState::spinning &&
         spins_[static_cast<std::size_t>(thread)].address == address;
}

std::string Others::awaited_in_loop(const Lane& lane) const {
  const std::string at = block_.memory.describe(spins_[lane.thread].address);
  const auto later = turns_ == nullptr ? std::nullopt : turns_->not_started();
  if (!later) return fmt::format("reads the same value for ever: {}", at);
  return fmt::format(
      "reads the same value until block {} begins, and blocks begin in the order of their numbers, "
      "perhaps one after the other: launch it cooperatively, or wait for lower numbers alone: {}",
      *later, at);
}

// ---- clusters

void Others::cluster_arrive(bool relaxed, std::uint32_t pc) {
  Lane& lane = block_.lanes.running();
  if (!in_cluster())
    block_.lanes.stop("unsupported", pc, -1, "the barrier of a cluster of one block");
  if (lane.arrived) block_.lanes.stop("cluster barrier", pc, -1, "arrives twice without a wait");
  lane.arrived = true;
  // The same for all threads of the block: the phase ends when all have arrived.
  const bool is_first = !has_arrived_ || awaited_phase_ != residents_->phase();
  has_arrived_ = true;
  awaited_phase_ = residents_->phase();
  bool& of_phase = relaxed_[awaited_phase_ % 2];
  of_phase = relaxed || (of_phase && !is_first);
  residents_->arrive();
}

void Others::cluster_wait(std::uint32_t pc) {
  Lane& lane = block_.lanes.running();
  if (!lane.arrived) block_.lanes.stop("cluster barrier", pc, -1, "waits without having arrived");
  block_.barrier(cluster_barrier, pc, Combine::any, 0);
  lane.arrived = false;
}

std::string Others::awaited_by_cluster() const {
  return fmt::format("waits for threads of its cluster: {} of {} have arrived",
                     residents_->arrived(), residents_->threads());
}

constexpr const char* out_of_cluster = "out of bounds (cluster)";

void Others::check_rank(int rank, std::uint32_t pc) const {
  if (rank < 0 || rank >= cluster_size())
    block_.lanes.stop(out_of_cluster, pc, -1,
                      fmt::format("block {} of a cluster of {}", rank, cluster_size()));
}

/// What is wrong with reaching into `there` now; null for nothing.
const char* Others::absence_of(const Block& there) const {
  if (there.others.residents_ == residents_) return nullptr;
  return residents_->has_left(there) ? "shared memory of a block that has ended"
                                     : "shared memory of a block that has not begun";
}

Block& Others::running_block(int rank, std::uint32_t pc) const {
  check_rank(rank, pc);
  Block& there = residents_->block(static_cast<std::size_t>(rank));
  if (const char* const absence = absence_of(there))
    block_.lanes.stop(absence, pc, -1, fmt::format("block {} of the cluster", rank));
  return there;
}

Block* Others::holder_of(std::uint64_t address, int bytes) const {
  for (std::size_t rank = 0; in_cluster() && rank < residents_->size(); ++rank)
    if (residents_->block(rank).shared.holds(address, bytes)) return &residents_->block(rank);
  return nullptr;
}

void* Others::in_block(void* in_shared, int rank, std::uint32_t pc) const {
  const auto address = reinterpret_cast<std::uint64_t>(in_shared);
  check_rank(rank, pc);
  if (!block_.shared.holds(address, 1))
    block_.lanes.stop(out_of_cluster, pc, -1, "no address of the block's shared memory");
  if (!in_cluster()) return in_shared;
  const SharedMemory& there = residents_->block(static_cast<std::size_t>(rank)).shared;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void*>(there.at_offset(block_.shared.offset_of(address)));
}

bool Others::request(const Request& request, int warp, bool strong) {
  Block* const first = holder_of(request.addresses[0], request.bytes);
  if (first == nullptr) return false;
  Site& site = block_.requests.sites.at(request.pc, Space::cluster, request.act, request.bytes);
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(request.count);
  for (std::size_t i = 0; i < request.active_lanes().size(); ++i) {
    const std::uint64_t address = request.addresses[i];
    Block* const owner = holder_of(address, request.bytes);  // lanes may reach different blocks
    const auto place = [&] {
      return fmt::format("shared memory of block {}", (owner == nullptr ? first : owner)->number());
    };
    const int thread = 32 * warp + request.lanes[i];
    const auto find = [&](const char* check) {
      block_.findings.add(check, request.pc, thread, -1, place());
      return true;
    };
    if (owner == nullptr) return find(out_of_cluster);
    const std::uint64_t offset = owner->shared.offset_of(address);
    if (const char* const absence = absence_of(*owner)) return find(absence);
    // What goes to the own block this way may be in order by an mbarrier within a warp, which the
    // clocks of warps do not tell: it is not judged.
    if (owner != &block_) owner->outside.note(block_, warp, request, i, strong);
    if (request.act == Act::write) {
      owner->shared.history.mark_written(offset, request.bytes);
    } else if (!owner->shared.history.written(offset, request.bytes)) {
      constexpr const char* check = "uninitialised (cluster)";
      const CopiedObject object = copied_object(request, i);
      if (object.bytes != 0 &&
          owner->shared.history.any_written(offset - (address - object.begin), object.bytes))
        block_.findings.note(check, request.pc, thread, -1, in_copied(object, place()));
      else
        find(check);
    }
  }
  return true;
}

}  // namespace ridgeline::emulated
