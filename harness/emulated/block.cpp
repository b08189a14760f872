#include "harness/emulated/block.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "harness/emulated/source_lines.hpp"
#include "harness/emulated/thread_names.hpp"

namespace ridgeline::emulated {

thread_local constinit Block* Block::here_ = nullptr;

void Block::begin(const device::LaunchConfig& config, const KernelCall& call, std::uint64_t seed) {
  config_ = config;
  barriers_ = 0;
  findings.begin_launch(call.each);
  shared.begin_launch(config.shared_bytes);
  shared.show(hot);
  lanes.begin_launch(config.block, call, seed);
  requests.begin_launch();
}

bool Block::run(std::uint64_t number, ResidentBlocks* residents, std::size_t place,
                BlockTurns* turns) {
  here_ = this;
  hot.early = config_.early;
  number_ = number;
  const dim3 grid = config_.grid;
  index_ = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
            static_cast<unsigned>(number / grid.x / grid.y)};
  findings.begin_block(number);
  shared.history.begin_block(lanes.warps());
  lanes.begin_block();
  copies.begin_block();
  others.begin_block(residents, place, turns);
  async.begin_block();
  outside.begin_block();
  requests.begin_block();
  int warps[32] = {};
  const std::span<int> in_order(warps, static_cast<std::size_t>(lanes.warps()));
  for (;;) {
    others.begin_round();
    std::iota(in_order.begin(), in_order.end(), 0);
    lanes.arrange(in_order);
    for (const int warp : in_order) {
      requests.begin_warp(warp);
      if (!lanes.run(warp, requests)) return false;
    }
    if (async.go_on()) {
      others.get_on();
      continue;
    }
    if (!release_barrier()) break;
    if (!others.end_round()) return false;
  }
  if (findings.stopped()) return false;
  async.end_block();
  outside.end_block();
  requests.end_block();
  copies.end_block(findings);
  others.end_block();
  return true;
}

RIDGELINE_RETURNS_BY_JUMP int Block::barrier(std::uint32_t barrier, std::uint32_t pc,
                                             Combine combine, int predicate) {
  Lane& me = lanes.running();
  me.mask = barrier;
  me.pc = pc;
  me.operation = static_cast<std::uint8_t>(combine);
  me.predicate = predicate;
  others.get_on();
  lanes.park(LaneState::at_barrier);
  return me.predicate;
}

/// Lets the lanes that wait at a barrier go on when all are there. False when no lane of the block
/// will ever go on.
bool Block::release_barrier() {
  int ended = 0, spinning = 0, at_mbarrier = 0, come = 0, predicates = 0;
  const Lane *first = nullptr, *elsewhere = nullptr;  // at a barrier, and at another one
  for (const Lane& lane : lanes.all()) {
    ended += lane.state == LaneState::done ? 1 : 0;
    spinning += lane.state == LaneState::spinning ? 1 : 0;
    at_mbarrier += lane.state == LaneState::at_mbarrier ? 1 : 0;
    if (lane.state != LaneState::at_barrier) continue;
    ++come;
    predicates += lane.predicate != 0 ? 1 : 0;
    if (first == nullptr) first = &lane;
    if (lane.mask != first->mask) elsewhere = &lane;
  }
  if (ended == lanes.threads()) return false;
  if (spinning != 0) return true;
  if (at_mbarrier != 0 && others.in_cluster()) {  // where other blocks may arrive, too
    others.wait();
    return true;
  }
  if (elsewhere != nullptr || ended + come != lanes.threads()) {
    if (ended + come != lanes.threads())
      say_who_waits();
    else
      findings.add(
          "divergent barrier", first->pc, first->thread, elsewhere->thread,
          "threads of the block wait at different __syncthreads(): " + who_is_where(*first));
    findings.stop();
    return false;
  }
  const bool of_cluster = first->mask == cluster_barrier;
  if (of_cluster && !others.cluster_has_arrived()) {
    others.wait();
    return true;
  }
  // Since compute capability 7.0 a barrier waits for the threads that have not ended (CUDA C++
  // Programming Guide, Independent Thread Scheduling).
  constexpr const char* are_missed = "barrier after threads have ended";
  if (ended != 0 && !of_cluster && !findings.notes_again(are_missed, first->pc))
    findings.note(are_missed, first->pc, first->thread, -1,
                  fmt::format("{} of {} threads have, and are not waited for: {}", ended,
                              lanes.threads(), who_is_where(*first)));
  ++barriers_;
  others.get_on();
  if (!of_cluster || !others.arrived_relaxed(others.awaited_phase()))
    shared.history.block_barrier();
  if (of_cluster) outside.check();
  async.block_barrier(of_cluster);
  if (of_cluster) outside.forget_known();
  requests.block_barrier();
  for (Lane& lane : lanes.all()) {
    if (lane.state != LaneState::at_barrier) continue;
    lane.state = LaneState::ready;
    const auto combine = static_cast<Combine>(lane.operation);
    lane.predicate = combine == Combine::count ? predicates
                     : combine == Combine::any ? static_cast<int>(predicates != 0)
                                               : static_cast<int>(predicates == come);
  }
  return true;
}

/// "threads 0 to 2 are here, threads 3 to 30 at kernels/x.cu:12, thread 31 has ended": `here` waits
/// at a barrier, like all that have not ended.
std::string Block::who_is_where(const Lane& here) {
  std::vector<const Lane*> barriers{&here};  // of each one lane that waits there
  std::vector<std::vector<int>> waiting(1);
  std::vector<int> ended;
  for (const Lane& lane : lanes.all()) {
    if (lane.state != LaneState::at_barrier) {
      ended.push_back(lane.thread);
      continue;
    }
    const auto known = std::ranges::find(barriers, lane.mask, &Lane::mask);
    const auto at = static_cast<std::size_t>(known - barriers.begin());
    if (known == barriers.end()) {
      barriers.push_back(&lane);
      waiting.emplace_back();
    }
    waiting[at].push_back(lane.thread);
  }
  std::string text;
  for (std::size_t i = 0; i < barriers.size(); ++i) {
    text += (i == 0 ? "" : ", ") + names_of(waiting[i], config_.block);
    if (i == 0) {
      text += waiting[i].size() == 1 ? " is here" : " are here";
    } else if (barriers[i]->mask == cluster_barrier) {
      text += " at the cluster's barrier";
    } else {
      const std::uint32_t pcs[] = {barriers[i]->pc};
      const SourceLine line = source_lines(pcs).at(pcs[0]);
      text +=
          line.file.empty() ? " at another one" : fmt::format(" at {}:{}", line.file, line.line);
    }
  }
  if (!ended.empty())
    text += fmt::format(", {} {} ended", names_of(ended, config_.block),
                        ended.size() == 1 ? "has" : "have");
  return text;
}

void Block::say_who_waits() {
  const auto in = [&](LaneState state) {
    return std::ranges::count(lanes.all(), state, &Lane::state);
  };
  const auto ended = in(LaneState::done), come = in(LaneState::at_barrier),
             elsewhere = lanes.threads() - come - ended;
  std::vector<int> others_wait;  // than at a barrier
  for (const Lane& lane : lanes.all())
    if (lane.state != LaneState::done && lane.state != LaneState::at_barrier)
      others_wait.push_back(lane.thread);
  const std::string named =
      elsewhere == 0 ? "" : fmt::format(" ({})", names_of(others_wait, config_.block));
  for (const Lane& lane : lanes.all()) {
    const bool at_barrier = lane.state == LaneState::at_barrier,
               of_cluster = lane.mask == cluster_barrier;
    if (lane.state == LaneState::in_collective)
      if (const Lane* const other = lanes.waits_with_another_mask(lane)) {
        findings.add("collective with different masks", lane.pc, lane.thread, other->thread,
                     fmt::format("{:#010x} and {:#010x}", lane.mask, other->mask));
        continue;
      }
    std::string what;
    if (lane.state == LaneState::spinning) what = others.awaited_in_loop(lane);
    if (lane.state == LaneState::at_mbarrier) what = async.awaited();
    if (lane.state == LaneState::in_collective) what = lanes.awaited_in_collective(lane);
    if (at_barrier)
      what = of_cluster ? others.awaited_by_cluster()
                        : fmt::format(
                              "waits for threads of its block: of {}, {} have come, {} have ended, "
                              "{} wait elsewhere{}",
                              lanes.threads(), come, ended, elsewhere, named);
    if (what.empty()) continue;
    findings.add("deadlock", lane.pc, lane.thread, -1, what).follows =
        at_barrier && !of_cluster && elsewhere != 0;
  }
}

Report Block::end() {
  Report report;
  report.config = config_;
  report.accesses = requests.lane_accesses;
  report.barriers = barriers_;
  report.in_flight_bytes = requests.in_flight_bytes;
  report.completed = !findings.stopped();
  report.has_unit = async.take_worked();
  report.sites = requests.sites.take();
  report.findings = findings.take();
  report.notes = findings.take_notes();
  hot.next = nullptr;
  here_ = nullptr;
  return report;
}

}  // namespace ridgeline::emulated
