#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/calls.hpp"
#include "harness/emulated/program_variables.hpp"

// Kernels for the emulated device are compiled with -fsanitize=thread, which makes the compiler
// call a function before every access to memory that is not a local variable in a register. The
// sanitizer's own library is not linked: these are ours. Host code of the same files calls them,
// too; outside of kernels they do nothing but what an atomic operation has to do.

namespace ridgeline::emulated {

void Block::look_closer(std::uint64_t address, std::uint32_t pc, int bytes) {
  const bool misaligned = (address & (static_cast<std::uint64_t>(bytes) - 1)) != 0;
  if (is_global(address)) {
    if (hot.early) lanes.stop("too early", pc, -1, too_early);
    lanes.stop(misaligned ? "misaligned" : "out of bounds (global)", pc, -1,
               memory.describe(address), address);
  }
  constexpr std::uint64_t far = std::uint64_t{1} << 40;
  if (address - (global_base - far) < far + global_span + far)
    lanes.stop("out of bounds (global)", pc, -1,
               fmt::format("{:#x} lies beside all memory of the device", address));
  constexpr std::uint64_t first_page = 65536;
  if (address < first_page)
    lanes.stop("null pointer", pc, -1, fmt::format("{} bytes at {:#x}", bytes, address));
  const bool is_near = shared.is_near(address);
  if (misaligned)
    lanes.stop("misaligned", pc, -1,
               is_near ? shared.describe(address) : fmt::format("{:#x}", address));
  if (others.holder_of(address, bytes) != nullptr) return;
  if (ProgramVariables::are_at(address)) {
    if (ProgramVariables::have(address, static_cast<std::uint64_t>(bytes))) return;
    lanes.stop("out of bounds (variable)", pc, -1, ProgramVariables::describe(address));
  }
  if (is_near) lanes.stop("out of bounds (shared)", pc, -1, shared.describe(address, bytes));
  if (shared.is_unasked(address))
    lanes.stop(
        "out of bounds (shared)", pc, -1,
        "the launch has no dynamic shared memory: it asks for the bytes by the third argument "
        "in <<<>>>");
  lanes.stop("host memory", pc, -1,
             fmt::format("{:#x} is no address of the device's memory", address));
}

namespace {

/// `of_object`: see Entry.
[[gnu::always_inline]] inline void log(Hot& here, std::uint64_t address, std::uint32_t pc, Act act,
                                       std::uint64_t bytes, std::uint64_t of_object) {
  const bool writes = is_store(act);
  if (writes) {
    // Not behind it, where what it stores is not known yet.
    if (__builtin_expect(here.next >= here.end, 0))
      Block::current().lanes.park(LaneState::log_full);
    settle_store(here);
    begin_store(here, address, static_cast<unsigned>(bytes));
  }
  *here.next = {address | of_object << address_bits, pc, act, static_cast<std::uint8_t>(bytes),
                here.path};
  if (__builtin_expect(++here.next >= here.end, 0) && !writes)
    Block::current().lanes.park(LaneState::log_full);
}

// What is rare stands in functions of its own, called last, so that what is common needs no stack.

[[gnu::noinline, gnu::cold]] void log_elsewhere(std::uint64_t address, std::uint32_t pc, Act act,
                                                std::uint64_t bytes, std::uint64_t of_object) {
  Block::current().look_closer(address, pc, static_cast<int>(bytes));
  log(hot, address, pc, act, bytes, of_object);
}

[[gnu::noinline, gnu::cold]] void look_at_private(std::uint64_t address, std::uint32_t pc) {
  if (address - hot.stack >= stack_bytes)
    Block::current().lanes.stop("local memory of another thread", pc, -1,
                                "a thread's variables are its own");
  Block::current().async.touch_private(address, pc);
}

[[gnu::always_inline]] inline void access(const void* at, std::uint32_t pc, Act act,
                                          std::uint64_t bytes, std::uint64_t of_object = 0) {
  Hot& here = hot;
  const auto address = reinterpret_cast<std::uint64_t>(at);
  if (here.next == nullptr) {
    if (__builtin_expect(is_global(address), 0)) note_host_access(address, pc);
    return;
  }
  if (address - here.stacks < lane_private_bytes) {  // registers and local memory
    if (__builtin_expect(address - here.stack >= stack_bytes || here.products != 0, 0))
      look_at_private(address, pc);
    return;
  }
  if (__builtin_expect(!Block::is_fine(here, address, bytes), 0))
    return log_elsewhere(address, pc, act, bytes, of_object);
  log(here, address, pc, act, bytes, of_object);
}

/// In pieces of at most 4 bytes that are the same for all lanes with an element of one array each.
void range(void* at, std::size_t bytes, std::uint32_t pc, Act act) {
  std::size_t piece = 4;
  while ((reinterpret_cast<std::uint64_t>(at) | bytes) % piece != 0) piece /= 2;
  for (std::size_t i = 0; i < bytes; i += piece)
    access(static_cast<char*>(at) + i, pc, act, piece,
           act == Act::read ? std::min(1 + i / piece, unknown_piece) : 0);
}

/// Logs an atomic operation of a kernel with the fences that its order amounts to, the one behind
/// it at its end.
class Ordered {
 public:
  Ordered(const volatile void* at, std::uint32_t pc, Act act, int bytes, int order) : pc_(pc) {
    if (hot.next == nullptr) return;
    if (std::exchange(hot.block_scope, false)) {  // before another lane runs
      fence_ = Act::block_fence;
      act = of_block(act);
    }
    if (order >= __ATOMIC_RELEASE) fence();
    if (!is_store(act))
      Block::current().others.spin_point(reinterpret_cast<std::uint64_t>(at), pc, bytes);
    access(const_cast<const void*>(at), pc, act, static_cast<std::uint64_t>(bytes));
    acquires_ = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
  }
  Ordered(const Ordered&) = delete;
  ~Ordered() {
    if (acquires_) fence();
  }

 private:
  void fence() const { Block::current().lanes.log_fence(pc_, fence_); }
  const std::uint32_t pc_;
  Act fence_ = Act::fence;
  bool acquires_ = false;
};

}  // namespace

template <int bytes>
std::uint64_t load_read_only(const void* at) {
  access(at, RIDGELINE_CALLER, Act::read_only_load, bytes);
  return word_at(reinterpret_cast<std::uint64_t>(at), bytes);
}
template std::uint64_t load_read_only<1>(const void*);
template std::uint64_t load_read_only<2>(const void*);
template std::uint64_t load_read_only<4>(const void*);
template std::uint64_t load_read_only<8>(const void*);
TwoWords load_read_only_16(const void* at) {
  access(at, RIDGELINE_CALLER, Act::read_only_load, sizeof(TwoWords));
  return loaded<TwoWords>(reinterpret_cast<std::uint64_t>(at));
}

}  // namespace ridgeline::emulated

#define RIDGELINE_ACCESSES(prefix, bytes)                                                         \
  void __tsan_##prefix##read##bytes(void* at) { access(at, RIDGELINE_CALLER, Act::read, bytes); } \
  void __tsan_##prefix##write##bytes(void* at) { access(at, RIDGELINE_CALLER, Act::write, bytes); }
#define RIDGELINE_ACCESSES_OF_ALL_SIZES(prefix) \
  RIDGELINE_ACCESSES(prefix, 1)                 \
  RIDGELINE_ACCESSES(prefix, 2)                 \
  RIDGELINE_ACCESSES(prefix, 4)                 \
  RIDGELINE_ACCESSES(prefix, 8)                 \
  RIDGELINE_ACCESSES(prefix, 16)

using ridgeline::emulated::access;
using ridgeline::emulated::Act;
using ridgeline::emulated::Block;
using ridgeline::emulated::hot;
using ridgeline::emulated::Ordered;
using ridgeline::emulated::range;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the compiler says what
// they are called.
extern "C" {

RIDGELINE_ACCESSES_OF_ALL_SIZES()
RIDGELINE_ACCESSES_OF_ALL_SIZES(unaligned_)
#define RIDGELINE_VOLATILE_ACCESSES(bytes)                                                    \
  void __tsan_volatile_read##bytes(void* at) {                                                \
    if (hot.next == nullptr) return;                                                          \
    Block::current().others.spin_point(reinterpret_cast<std::uint64_t>(at), RIDGELINE_CALLER, \
                                       bytes);                                                \
    access(at, RIDGELINE_CALLER, Act::volatile_read, bytes);                                  \
  }                                                                                           \
  void __tsan_volatile_write##bytes(void* at) {                                               \
    access(at, RIDGELINE_CALLER, Act::volatile_write, bytes);                                 \
  }
RIDGELINE_VOLATILE_ACCESSES(1)
RIDGELINE_VOLATILE_ACCESSES(2)
RIDGELINE_VOLATILE_ACCESSES(4)
RIDGELINE_VOLATILE_ACCESSES(8)
RIDGELINE_VOLATILE_ACCESSES(16)

// Whole objects that the compiler copies or sets at once.
void __tsan_read_range(void* at, std::size_t bytes) {
  range(at, bytes, RIDGELINE_CALLER, Act::read);
}
void __tsan_write_range(void* at, std::size_t bytes) {
  range(at, bytes, RIDGELINE_CALLER, Act::write);
}

void __tsan_init() {}
void __tsan_func_entry(void* returns_to) {
  if (hot.next != nullptr)
    Block::current().lanes.enter_function(
        static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(returns_to)));
}
void __tsan_func_exit() {
  if (hot.next != nullptr) Block::current().lanes.leave_function();
}
void __tsan_vptr_update(void** at, void*) {
  access(reinterpret_cast<const void*>(at), RIDGELINE_CALLER, Act::write, 8);
}
void __tsan_vptr_read(void* at) { access(at, RIDGELINE_CALLER, Act::read, 8); }

// cuda::atomic and cuda::atomic_ref end here; host code does, too.
// NOLINTBEGIN(bugprone-macro-parentheses): of types
#define RIDGELINE_UPDATE(bits, name, update)                                                      \
  Bits##bits __tsan_atomic##bits##_##name(volatile Bits##bits* at, Bits##bits value, int order) { \
    const Ordered here(at, RIDGELINE_CALLER, Act::atomic, bits / 8, order);                       \
    return update(at, value, __ATOMIC_SEQ_CST);                                                   \
  }
#define RIDGELINE_COMPARE_EXCHANGE(bits, kind)                                                     \
  int __tsan_atomic##bits##_compare_exchange_##kind(volatile Bits##bits* at, Bits##bits* expected, \
                                                    Bits##bits value, int order, int) {            \
    const Ordered here(at, RIDGELINE_CALLER, Act::atomic, bits / 8, order);                        \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                          \
  }
#define RIDGELINE_ATOMICS(bits)                                                            \
  using Bits##bits = std::uint##bits##_t;                                                  \
  Bits##bits __tsan_atomic##bits##_load(const volatile Bits##bits* at, int order) {        \
    const Ordered here(at, RIDGELINE_CALLER, Act::volatile_read, bits / 8, order);         \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                          \
  }                                                                                        \
  void __tsan_atomic##bits##_store(volatile Bits##bits* at, Bits##bits value, int order) { \
    const Ordered here(at, RIDGELINE_CALLER, Act::volatile_write, bits / 8, order);        \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                        \
  RIDGELINE_UPDATE(bits, exchange, __atomic_exchange_n)                                    \
  RIDGELINE_UPDATE(bits, fetch_add, __atomic_fetch_add)                                    \
  RIDGELINE_UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                    \
  RIDGELINE_UPDATE(bits, fetch_and, __atomic_fetch_and)                                    \
  RIDGELINE_UPDATE(bits, fetch_or, __atomic_fetch_or)                                      \
  RIDGELINE_UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                    \
  RIDGELINE_COMPARE_EXCHANGE(bits, strong)                                                 \
  RIDGELINE_COMPARE_EXCHANGE(bits, weak)
RIDGELINE_ATOMICS(8)
RIDGELINE_ATOMICS(16)
RIDGELINE_ATOMICS(32)
RIDGELINE_ATOMICS(64)
// NOLINTEND(bugprone-macro-parentheses)
void __tsan_atomic_thread_fence(int) {
  if (hot.next != nullptr) Block::current().lanes.log_fence(RIDGELINE_CALLER, Act::fence);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
// In the place of libc's, so that a kernel's assert() ends the launch and not the program.
[[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned line,
                                const char* function) noexcept {
  if (hot.next != nullptr)
    Block::current().lanes.stop("failed assertion", RIDGELINE_CALLER, -1, condition);
  std::fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", file, line, function, condition);
  std::abort();
}

void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
