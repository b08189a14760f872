#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/emulated/block.hpp"

// How lanes take turns on their OS thread: each is a fiber with a stack of its own.
namespace ridgeline::emulated {

thread_local constinit Hot hot;
thread_local constinit Block* Block::here_ = nullptr;

namespace {

namespace context = boost::context::detail;

}  // namespace

/// Where the lane goes on, or starts.
[[gnu::always_inline]] inline void Block::resume(Lane& lane) {
  running_ = &lane;
  lane.state = LaneState::ready;
  hot.next = lane.log_end;
  hot.path = lane.path;
  hot.end = log_of(lane.thread % 32) + log_entries;
}

/// Leaves the running lane, or the scheduler, for `to`; null is the scheduler. Returns when this one is resumed.
[[gnu::always_inline]] inline void Block::hop(Lane* to) {
  Lane* const me = running_;
  if (me != nullptr) {
    me->log_end = hot.next;
    me->path = hot.path;
  }
  context::fcontext_t target = scheduler_;
  if (to != nullptr) {
    if (to->state == LaneState::fresh) {
      to->stack = free_stacks_.back();
      free_stacks_.pop_back();
      to->context = context::make_fcontext(to->stack, stack_bytes - most_stagger, enter);
    }
    target = to->context;
    resume(*to);
  } else {
    running_ = nullptr;
    hot.next = nullptr;
  }
  const context::transfer_t from = context::jump_fcontext(target, me);
  if (from.data != nullptr)
    static_cast<Lane*>(from.data)->context = from.fctx;
  else if (running_ != nullptr)
    scheduler_ = from.fctx;
  if (left_stack_ != nullptr) free_stacks_.push_back(std::exchange(left_stack_, nullptr));
}

/// The first function of a stack. A lane that ends hands its stack to the next one that has not started, without a
/// switch.
void Block::enter(context::transfer_t from) {
  Block& block = *here_;
  if (from.data != nullptr)
    static_cast<Lane*>(from.data)->context = from.fctx;
  else
    block.scheduler_ = from.fctx;
  if (block.left_stack_ != nullptr) block.free_stacks_.push_back(std::exchange(block.left_stack_, nullptr));
  for (;;) {
    block.call_.run(block.call_.arguments);
    Lane* const running = block.running_;
    require(running != nullptr, "a kernel runs on a lane");
    Lane& ended = *running;
    ended.state = LaneState::done;
    ended.log_end = hot.next;
    block.progress_ = true;
    if (block.residents_ != nullptr) block.residents_->thread_has_ended();
    Lane* const next = block.next_ready();
    if (next != nullptr && next->state == LaneState::fresh) {
      next->stack = std::exchange(ended.stack, nullptr);
      block.resume(*next);
      continue;
    }
    block.left_stack_ = std::exchange(ended.stack, nullptr);
    context::fcontext_t target = block.scheduler_;
    if (next != nullptr) {
      target = next->context;
      block.resume(*next);
    } else {
      block.running_ = nullptr;
      hot.next = nullptr;
    }
    context::jump_fcontext(target, &ended);  // for good: what it saves is never resumed
  }
}

void Block::run_lanes() { hop(next_ready()); }

void Block::park(LaneState state) {
  running_->state = state;
  progress_ = progress_ || state == LaneState::at_barrier;
  hop(next_ready());
}

void Block::log_is_full() { park(LaneState::log_full); }

// ---- collectives

std::uint32_t Block::arrive(std::uint32_t mask, std::uint32_t pc, Act kept, void* operands) {
  Lane& me = *running_;
  const int here = lanes_of(me.thread / 32);
  if (here < 32) mask &= (1u << here) - 1;  // a last warp that is not whole
  const std::uint32_t mine = 1u << me.thread % 32;
  if ((mask & mine) == 0) refuse_mask(mask, pc);
  log(mask, pc, kept, 0);
  me.operands = operands;
  me.mask = mask;
  me.pc = pc;
  std::uint32_t& arrived = arrived_[me.thread / 32];
  arrived |= mine;
  if ((arrived & mask) != mask) {
    me.state = LaneState::in_collective;
    hop(next_ready());
    return 0;
  }
  const Lane* const warp = warp_of_running();
  for (std::size_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0 && warp[i].mask != mask) refuse_mask(mask, pc);
  return mask;
}

/// Of lanes that want different ones, or one that it is not in.
void Block::refuse_mask(std::uint32_t mask, std::uint32_t pc) {
  const unsigned lane = running_->thread % 32;
  if ((mask >> lane & 1) == 0)
    stop("collective without its caller", pc, -1, fmt::format("lane {} is not in the mask {:#010x}", lane, mask));
  const Lane* const warp = warp_of_running();
  const Lane* const other = std::find_if(
      warp, warp + 32, [&](const Lane& each) { return (mask >> each.thread % 32 & 1) != 0 && each.mask != mask; });
  stop("collective with different masks", pc, other->thread, fmt::format("{:#010x} and {:#010x}", mask, other->mask));
}

void Block::depart(std::uint32_t mask) {
  arrived_[running_->thread / 32] &= ~mask;
  if (queue_at_ == queue_size_) queue_at_ = queue_size_ = 0;
  Lane* const warp = warp_of_running();
  for (std::size_t i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0 || &warp[i] == running_) continue;
    warp[i].state = LaneState::ready;
    if (queue_size_ < 32) queue_[queue_size_++] = &warp[i];  // others are found when the queue is made anew
  }
}

// ---- what is refused

void Block::refuse_path(std::uint32_t pc) {
  stop("too many calls", pc, -1, "functions are reached along more than 65535 ways: inline them");
}

void Block::stop(const char* check, std::uint32_t pc, int other, std::string_view detail, std::uint64_t global) {
  findings.add(check, pc, running_->thread, other, detail, global);
  findings.stop();
  running_->state = LaneState::done;
  hop(nullptr);
  std::abort();  // nobody resumes it
}

}  // namespace ridgeline::emulated
