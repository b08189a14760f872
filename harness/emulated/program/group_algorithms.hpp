#pragma once

// Reductions, scans and copies of cooperative groups.

#include "harness/emulated/program/cooperative_groups.hpp"

namespace cooperative_groups {

#define RIDGELINE_WORD [[gnu::always_inline]] inline
#define RIDGELINE_OPERATION(name, of)                                                    \
  template <class Value = void>                                                          \
  struct name {                                                                          \
    RIDGELINE_WORD Value operator()(const Value& a, const Value& b) const { return of; } \
  };
RIDGELINE_OPERATION(plus, a + b)
RIDGELINE_OPERATION(less, b < a ? b : a)
RIDGELINE_OPERATION(greater, a < b ? b : a)
RIDGELINE_OPERATION(bit_and, a& b)
RIDGELINE_OPERATION(bit_or, a | b)
RIDGELINE_OPERATION(bit_xor, a ^ b)
#undef RIDGELINE_OPERATION

/// The lanes' values, combined in the order of their ranks.
template <class Group, class Value, class Operation>
RIDGELINE_WORD Value reduce(const Group& group, Value value, Operation&& operation) {
  const auto size = static_cast<unsigned>(group.num_threads());
  if ((size & (size - 1)) == 0) {
    for (unsigned by = size / 2; by != 0; by /= 2)
      value = operation(value, group.shfl_xor(value, by));
    return value;
  }
  Value all = group.shfl(value, 0);
  for (unsigned rank = 1; rank < size; ++rank)
    all = operation(all, group.shfl(value, static_cast<int>(rank)));
  return all;
}
template <class Group, class Value>
RIDGELINE_WORD Value reduce(const Group& group, Value value) {
  return reduce(group, value, plus<Value>{});
}

template <class Group, class Value, class Operation>
RIDGELINE_WORD Value inclusive_scan(const Group& group, Value value, Operation&& operation) {
  const auto size = static_cast<unsigned>(group.num_threads());
  for (unsigned by = 1; by < size; by *= 2) {
    const Value other = group.shfl_up(value, by);
    if (group.thread_rank() >= by) value = operation(other, value);
  }
  return value;
}
template <class Group, class Value>
RIDGELINE_WORD Value inclusive_scan(const Group& group, Value value) {
  return inclusive_scan(group, value, plus<Value>{});
}
template <class Group, class Value, class Operation>
RIDGELINE_WORD Value exclusive_scan(const Group& group, Value value, Operation&& operation) {
  const Value before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? Value{} : before;
}
template <class Group, class Value>
RIDGELINE_WORD Value exclusive_scan(const Group& group, Value value) {
  return exclusive_scan(group, value, plus<Value>{});
}

template <class Group, class Value, class Operation>
RIDGELINE_WORD void reduce_update_async(const Group& group, Value& at, Value value,
                                        Operation&& operation) {
  const Value all = reduce(group, value, operation);
  if (group.thread_rank() == 0) at.fetch_add(all);
}

namespace details {

/// Shares the copy between the threads, by cp.async where places, addresses and size allow.
template <class Group>
RIDGELINE_WORD void begin_copy(const Group& group, void* to, const void* from, std::size_t bytes) {
  const auto all =
      !__isShared(to) || !__isGlobal(from)
          ? 1
          : reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  const std::size_t rank = group.thread_rank(), thread_count = group.num_threads();
  auto* const to_bytes = static_cast<char*>(to);
  const auto* const from_bytes = static_cast<const char*>(from);
  if (all % 16 == 0) {
    for (std::size_t at = rank * 16; at < bytes; at += thread_count * 16)
      emulated::copy_async(to_bytes + at, from_bytes + at, true);
  } else if (all % 4 == 0) {
    for (std::size_t at = rank * 4; at < bytes; at += thread_count * 4)
      emulated::copy_async_4(to_bytes + at, from_bytes + at, true);
  } else {
    for (std::size_t at = rank; at < bytes; at += thread_count) to_bytes[at] = from_bytes[at];
  }
}
template <class Group>
RIDGELINE_WORD void copy(const Group& group, void* to, const void* from, std::size_t bytes) {
  begin_copy(group, to, from, bytes);
  emulated::copy_commit();
}

}  // namespace details

template <class Group, class To, class From>
RIDGELINE_WORD void memcpy_async(const Group& group, To* to, const From* from, std::size_t bytes) {
  details::copy(group, to, from, bytes);
}
template <class Group, class To, class From, class Size>
requires requires(Size size) { size.value; }
RIDGELINE_WORD void memcpy_async(const Group& group, To* to, const From* from, const Size& bytes) {
  details::copy(group, to, from, bytes.value);
}
/// Of arrays of `to_count` and `from_count` elements.
template <class Group, class Value, class Count>
RIDGELINE_WORD void memcpy_async(const Group& group, Value* to, Count to_count, const Value* from,
                                 Count from_count) {
  const std::size_t count = to_count < from_count ? to_count : from_count;
  details::copy(group, to, from, count * sizeof(Value));
}
template <class Group>
RIDGELINE_WORD void wait(const Group& group) {
  emulated::copy_wait(0);
  group.sync();
}
template <unsigned groups, class Group>
RIDGELINE_WORD void wait_prior(const Group& group) {
  emulated::copy_wait(groups);
  group.sync();
}

#undef RIDGELINE_WORD
}  // namespace cooperative_groups
