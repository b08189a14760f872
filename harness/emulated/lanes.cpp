#include "harness/emulated/lanes.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>

#include "harness/base/error.hpp"
#include "harness/emulated/block.hpp"

// Each lane is a fiber with a stack of its own.
namespace ridgeline::emulated {

thread_local constinit Hot hot;

// Logs of a warp that are longer do not stay in a first-level cache with what else its lanes touch:
// they are looked at where all lanes meet.
static constexpr std::ptrdiff_t long_log = 16;
// Room to have stacks begin at a multiple of their size.
static constexpr std::size_t mapped_bytes = lane_private_bytes + stack_bytes;

/// What the lane does before it waits for other warps is not all in its log.
static bool goes_on(LaneState state) {
  return state == LaneState::log_full || state == LaneState::ready || state == LaneState::spinning;
}

Lanes::Lanes(Findings& findings) : findings_(findings) {
  void* const mapped = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw OutOfMemory("allocating stacks for the emulated device failed: out of memory");
  mapped_ = static_cast<std::byte*>(mapped);
  stacks_ = mapped_ + (-reinterpret_cast<std::uint64_t>(mapped) & (stack_bytes - 1));
  free_stacks_.reserve(most_threads);
}

Lanes::~Lanes() { ::munmap(mapped_, mapped_bytes); }

void Lanes::begin_launch(dim3 block, const KernelCall& call, std::uint64_t seed) {
  require(call.bytes <= stack_bytes, "a kernel's arguments are small");
  call_ = call;
  call_.arguments = std::memcpy(stacks_ + most_threads * stack_bytes, call.arguments, call.bytes);
  shuffles_ = seed != 0;
  random_ = seed * 0x9E3779B97F4A7C15u + 0x139408DCBBF7A44Du;
  const unsigned threads = block.x * block.y * block.z;
  threads_ = static_cast<int>(threads);
  for (unsigned i = 0; i < threads; ++i)
    lanes_[i] = {.index = {i % block.x, i / block.x % block.y, i / block.x / block.y},
                 .thread = static_cast<std::uint16_t>(i)};
  for (std::vector<Entry>& kept : kept_) kept.clear();
  std::ranges::fill(keeps_, 0u);
  paths_ = {};
  free_stacks_.clear();
  for (std::size_t i = most_threads; i-- > 0;)
    free_stacks_.push_back(stacks_ + (i + 1) * stack_bytes - stagger * i % most_stagger);
}

void Lanes::begin_block() {
  for (Lane& lane : all()) {
    lane.state = LaneState::fresh;
    lane.path = 0;
    lane.arrived = false;
    lane.log_end = log_of(lane);
  }
  for (int warp = 0; warp < warps(); ++warp)
    meetings_[warp] = {.lanes = 0xFFFFFFFFu >> (32 - std::min(threads_ - 32 * warp, 32))};
  std::ranges::fill(keeps_, 0u);
  spins_ = 0;
  hot.stacks = reinterpret_cast<std::uint64_t>(stacks_);
}

std::size_t Lanes::draw(std::size_t below) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return (random_ >> 16) % below;
}

bool Lanes::run(int warp, Warp& aligned) {
  const std::span<Lane> mine = of_warp(warp);
  const auto let_spin = [&] {
    bool any = false;
    const std::uint32_t bit = 1u << warp;
    if ((std::exchange(spins_, spins_ & ~bit) & bit) == 0) return any;
    for (Lane& lane : mine)
      if (lane.state == LaneState::spinning) any = true, lane.state = LaneState::ready;
    return any;
  };
  let_spin();
  bool keeps = restore_logs(warp);
  for (;;) {
    bool full = false;
    queue_size_ = queue_at_ = 0;
    for (Lane& lane : mine) {
      if (lane.state == LaneState::fresh || lane.state == LaneState::ready)
        queue_[queue_size_++] = &lane;
      full = full || lane.state == LaneState::log_full;
    }
    if (queue_size_ != 0) {
      arrange(std::span(queue_, queue_size_));
      hop(next_ready());
      if (findings_.stopped()) return false;
      keeps = !align(mine, false, aligned);
    } else if (!full) {
      break;
    } else if (!let_spin()) {
      // Every lane that could go on has a full log, and waits for one that cannot: align what there
      // is.
      keeps = !align(mine, true, aligned);
    }
  }
  // What lanes have done comes before what other warps and blocks do behind it, also where a lane
  // of theirs waits for those.
  if ((spins_ >> warp & 1) != 0) keeps = !align(mine, true, aligned);
  if (keeps) keep_logs(warp);
  return true;
}

/// Logs are the warp's that runs.
bool Lanes::restore_logs(int warp) {
  const std::uint32_t keeps = std::exchange(keeps_[static_cast<std::size_t>(warp)], 0);
  if (keeps == 0) return false;  // all are empty
  for (Lane& lane : of_warp(warp)) {
    lane.log_end = log_of(lane);
    if ((keeps >> lane.thread % 32 & 1) == 0) continue;
    lane.log_end = std::ranges::copy(kept_[lane.thread], lane.log_end).out;
    kept_[lane.thread].clear();
  }
  return true;
}

void Lanes::keep_logs(int warp) {
  for (const Lane& lane : of_warp(warp)) {
    if (lane.log_end == log_of(lane)) continue;
    keeps_[static_cast<std::size_t>(warp)] |= 1u << lane.thread % 32;
    kept_[lane.thread].assign(log_of(lane), lane.log_end);
  }
}

/// Aligns what the lanes have done. `all`: nothing comes behind what there is, until another warp
/// goes on.
bool Lanes::align(std::span<Lane> warp, bool all, Warp& aligned) {
  const std::span logs(aligned_, warp.size());
  for (std::size_t i = 0; i < warp.size(); ++i)
    logs[i] = {
        log_of(warp[i]),
        warp[i].log_end,
        static_cast<std::uint8_t>(i),
        !all && goes_on(warp[i].state),
        warp[i].state == LaneState::at_mbarrier || (all && warp[i].state == LaneState::spinning),
        log_of(warp[i])};
  emulated::align(logs, paths_, aligned);
  bool empty = true;
  for (std::size_t i = 0; i < warp.size(); ++i) {
    const auto left = static_cast<std::size_t>(logs[i].end - logs[i].next);
    empty = empty && left == 0;
    if (left != 0) std::memmove(log_of(warp[i]), logs[i].next, left * sizeof(Entry));
    warp[i].log_end = log_of(warp[i]) + left;
    if (warp[i].state == LaneState::log_full && left < log_entries)
      warp[i].state = LaneState::ready;
  }
  return empty;
}

/// Where the lane goes on, or starts.
[[gnu::always_inline]] inline void Lanes::resume(Lane& lane) {
  running_ = &lane;
  lane.state = LaneState::ready;
  hot.stack = (reinterpret_cast<std::uint64_t>(lane.stack) - 1) & ~(stack_bytes - 1);
  hot.next = lane.log_end;
  hot.path = lane.path;
  hot.end = log_of(lane) + log_entries;
}

/// Leaves the running lane, or the scheduler, for `to`; null is the scheduler. Returns when this
/// one is resumed.
[[gnu::always_inline]] inline void Lanes::hop(Lane* to) {
  Lane* const me = running_;
  ++hot.hops;
  settle_store(hot);
  if (me != nullptr) {
    me->log_end = hot.next;
    me->path = hot.path;
  }
  Fiber target = scheduler_;
  if (to != nullptr) {
    if (to->state == LaneState::fresh) {
      to->stack = free_stacks_.back();
      free_stacks_.pop_back();
      to->fiber = make_fiber<enter>(to->stack, stack_bytes - most_stagger);
    }
    target = to->fiber;
    resume(*to);
  } else {
    running_ = nullptr;
    hot.next = nullptr;
  }
  go_on(me != nullptr ? me->fiber : scheduler_, target);
  come();
  // Whoever resumes a lane sets these; clang's analyzer cannot see it.
  if (running_ != me || (me != nullptr && hot.next == nullptr)) __builtin_unreachable();
}

/// The first that is done on a fiber when it goes on.
[[gnu::always_inline]] inline void Lanes::come() {
  if (left_stack_ != nullptr) free_stacks_.push_back(std::exchange(left_stack_, nullptr));
}

/// The first function of a stack. A lane that ends hands its stack to the next one that has not
/// started, without a switch.
void Lanes::enter() {
  Block& block = Block::current();
  Lanes& lanes = block.lanes;
  lanes.come();
  for (;;) {
    lanes.call_.run(lanes.call_.arguments);
    Lane* const ended = lanes.running_;
    require(ended != nullptr, "a kernel runs on a lane");
    ended->state = LaneState::done;
    block.others.lane_has_ended();
    Lane* const next = lanes.next_ready();
    std::byte* const stack = std::exchange(ended->stack, nullptr);
    if (next != nullptr && next->state == LaneState::fresh) {
      settle_store(hot);
      ended->log_end = hot.next;
      next->stack = stack;
      lanes.resume(*next);
    } else {
      lanes.left_stack_ = stack;
      lanes.hop(next);  // for good: where it goes on is never asked for
    }
  }
}

RIDGELINE_RETURNS_BY_JUMP void Lanes::park(LaneState state) {
  if (state == LaneState::log_full && Block::current().others.is_idle())
    state = LaneState::spinning;
  running_->state = state;
  if (state == LaneState::spinning) spins_ |= 1u << running_->thread / 32;
  hop(next_ready());
}

// ---- collectives

std::uint8_t next_kind_of_collective() {
  static std::uint8_t kinds = 0;
  require(kinds < 255, "kinds of collectives have a byte");
  return ++kinds;
}

RIDGELINE_RETURNS_BY_JUMP std::uint32_t Lanes::arrive(std::uint32_t mask, std::uint32_t pc,
                                                      Act kept, void* operands, std::uint8_t kind) {
  Lane& me = *running_;
  Meeting& meeting = meetings_[me.thread / 32];
  mask &= meeting.lanes;
  const std::uint32_t mine = 1u << me.thread % 32;
  if ((mask & mine) == 0)
    stop("collective without its caller", pc, -1,
         fmt::format("lane {} is not in the mask {:#010x}", me.thread % 32, mask));
  log(mask, pc, kept, 0);
  me.operands = operands;
  me.collective = kind;
  me.mask = mask;
  me.pc = pc;
  if (meeting.arrived == 0)
    meeting = {meeting.lanes, 0, mask, kind};
  else if (meeting.mask != mask || meeting.kind != kind)
    meeting.several = true;
  meeting.arrived |= mine;
  const std::uint32_t here_for_it = meeting.several ? arrived_for(me) : meeting.arrived;
  if ((here_for_it & mask) != mask) {
    me.state = LaneState::in_collective;
    hop(next_ready());
    return 0;
  }
  const Lane* const warp = warp_of_running();
  for (std::size_t i = 0; meeting.several && i < 32; ++i)
    if ((mask >> i & 1) != 0 && warp[i].collective != kind)
      stop("different collectives", pc, warp[i].thread, "lanes of one mask wait in different ones");
  return mask;
}

/// The lanes that wait for the same ones as `lane` does. Those that wait for others come later.
std::uint32_t Lanes::arrived_for(const Lane& lane) const {
  const std::size_t warp = lane.thread / 32;
  std::uint32_t same = meetings_[warp].arrived;
  for (std::size_t i = 0; i < 32; ++i)
    if ((same >> i & 1) != 0 && lanes_[32 * warp + i].mask != lane.mask) same &= ~(1u << i);
  return same;
}

const Lane* Lanes::waits_with_another_mask(const Lane& lane) const {
  const std::size_t warp = lane.thread / 32;
  const std::uint32_t elsewhere = meetings_[warp].arrived & lane.mask & ~arrived_for(lane);
  for (std::size_t i = 0; i < 32; ++i) {
    const Lane& other = lanes_[32 * warp + i];
    if ((elsewhere >> i & 1) != 0 && (other.mask >> lane.thread % 32 & 1) != 0) return &other;
  }
  return nullptr;
}

void Lanes::depart(std::uint32_t mask) {
  Meeting& meeting = meetings_[running_->thread / 32];
  meeting.arrived &= ~mask;
  if (queue_at_ == queue_size_) queue_at_ = queue_size_ = 0;
  Lane* const warp = warp_of_running();
  for (std::size_t i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0 || &warp[i] == running_) continue;
    warp[i].state = LaneState::ready;
    if (queue_size_ < 32)
      queue_[queue_size_++] = &warp[i];  // others are found when the queue is made anew
  }
  if (mask == meeting.lanes && std::ssize(logged()) >= long_log) hop(nullptr);
}

std::string Lanes::awaited_in_collective(const Lane& lane) {
  const std::uint32_t missing = lane.mask & ~arrived_for(lane);
  int ended = 0;
  for (const Lane& other : of_warp(lane.thread / 32))
    if ((missing >> other.thread % 32 & 1) != 0 && other.state == LaneState::done) ++ended;
  const int elsewhere = std::popcount(missing) - ended;
  return fmt::format(
      "a warp's lanes {:#010x} are waited for, and {:#010x} of them never come:{}{}{}", lane.mask,
      missing, ended != 0 ? fmt::format(" {} have ended", ended) : "",
      ended != 0 && elsewhere != 0 ? "," : "",
      elsewhere != 0 ? fmt::format(" {} wait elsewhere", elsewhere) : "");
}

void Lanes::stop(const char* check, std::uint32_t pc, int other, std::string_view detail,
                 std::uint64_t global) {
  findings_.add(check, pc, running_->thread, other, detail, global);
  findings_.stop();
  running_->state = LaneState::done;
  hop(nullptr);
  std::abort();  // nobody resumes it
}

}  // namespace ridgeline::emulated
