#pragma once

// libcu++'s cuda::pipeline of a block or a thread, on the mbarriers and copies of the emulated
// device. Source: libcu++, "cuda::pipeline".

#include "harness/emulated/program/library_barrier.hpp"

namespace cuda {

#define RIDGELINE_WORD [[gnu::always_inline]] inline

enum class pipeline_role { producer, consumer };

template <thread_scope scope, std::uint8_t stage_count>
struct pipeline_shared_state {
  barrier<thread_scope_block> filled[stage_count], emptied[stage_count];
};

/// Of threads that share stages: those are filled one after the other, and emptied so.
template <thread_scope scope>
class pipeline {
 public:
  using Barrier = barrier<thread_scope_block>;
  pipeline() = default;
  RIDGELINE_WORD pipeline(Barrier* filled, Barrier* emptied, unsigned stage_count)
      : filled_(filled), emptied_(emptied), stages_(stage_count) {}
  RIDGELINE_WORD void producer_acquire() {
    emptied_[filling_ % stages_].wait_parity((filling_ / stages_ + 1) % 2 != 0);
  }
  RIDGELINE_WORD void producer_commit() {
    ridgeline::emulated::copy_commit();
    ridgeline::emulated::copy_wait(0);  // the copies arrive before the thread does
    filled_[filling_++ % stages_].arrive();
  }
  RIDGELINE_WORD void consumer_wait() {
    filled_[emptying_ % stages_].wait_parity(emptying_ / stages_ % 2 != 0);
  }
  RIDGELINE_WORD void consumer_release() { emptied_[emptying_++ % stages_].arrive(); }
  RIDGELINE_WORD bool quit() { return true; }

 private:
  Barrier *filled_ = nullptr, *emptied_ = nullptr;
  unsigned stages_ = 1, filling_ = 0, emptying_ = 0;  // stages so far
};

/// Of a thread for itself.
template <>
class pipeline<thread_scope_thread> {
 public:
  RIDGELINE_WORD void producer_acquire() {}
  RIDGELINE_WORD void producer_commit() {
    ridgeline::emulated::copy_commit();
    ++waiting_;
  }
  RIDGELINE_WORD void consumer_wait() {
    if (waiting_ != 0) --waiting_;
    ridgeline::emulated::copy_wait(waiting_);
  }
  RIDGELINE_WORD void consumer_wait_prior(int groups) {
    ridgeline::emulated::copy_wait(groups);
    if (waiting_ > groups) waiting_ = groups;
  }
  RIDGELINE_WORD void consumer_release() {}
  RIDGELINE_WORD bool quit() { return true; }

 private:
  int waiting_ = 0;  // groups of copies
};

RIDGELINE_WORD pipeline<thread_scope_thread> make_pipeline() { return {}; }

namespace ridgeline_details {

template <class Group, thread_scope scope, std::uint8_t stage_count>
RIDGELINE_WORD pipeline<scope> begin_pipeline(const Group& group,
                                              pipeline_shared_state<scope, stage_count>* state,
                                              std::size_t producers, std::size_t consumers) {
  if (group.thread_rank() == 0)
    for (unsigned i = 0; i < stage_count; ++i) {
      init(&state->filled[i], static_cast<std::ptrdiff_t>(producers));
      init(&state->emptied[i], static_cast<std::ptrdiff_t>(consumers));
    }
  group.sync();
  return {state->filled, state->emptied, stage_count};
}

}  // namespace ridgeline_details

/// All threads of the group fill and empty.
template <class Group, thread_scope scope, std::uint8_t stage_count>
RIDGELINE_WORD pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stage_count>* state) {
  return ridgeline_details::begin_pipeline(group, state, group.size(), group.size());
}
/// So many of them fill, and the others empty.
template <class Group, thread_scope scope, std::uint8_t stage_count>
RIDGELINE_WORD pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stage_count>* state,
                                             std::size_t producers) {
  return ridgeline_details::begin_pipeline(group, state, producers, group.size() - producers);
}
template <class Group, thread_scope scope, std::uint8_t stage_count>
RIDGELINE_WORD pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stage_count>* state,
                                             pipeline_role role) {
  namespace emulated = ::ridgeline::emulated;
  const int producers = emulated::block_barrier(0xC0004u, emulated::Combine::count,
                                                role == pipeline_role::producer ? 1 : 0);
  return make_pipeline(group, state, static_cast<std::size_t>(producers));
}

template <class Group, thread_scope scope>
RIDGELINE_WORD void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes,
                                 pipeline<scope>&) {
  cooperative_groups::details::begin_copy(group, to, from, bytes);
}
template <thread_scope scope>
RIDGELINE_WORD void memcpy_async(void* to, const void* from, std::size_t bytes,
                                 pipeline<scope>& of) {
  memcpy_async(ridgeline_details::OneThread{}, to, from, bytes, of);
}

template <std::uint8_t groups>
RIDGELINE_WORD void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& of) {
  of.consumer_wait_prior(groups);
}
template <thread_scope scope>
RIDGELINE_WORD void pipeline_producer_commit(pipeline<thread_scope_thread>& of, barrier<scope>&) {
  of.producer_commit();
  of.consumer_wait();
}

#undef RIDGELINE_WORD
}  // namespace cuda
