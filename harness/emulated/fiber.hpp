#pragma once

#include <cstddef>

#ifndef __x86_64__
#include <boost/context/detail/fcontext.hpp>
#endif

// Stacks that take turns on an OS thread.

/// Of the functions in which fibers wait for each other. A processor foresees where `ret` leads
/// from the calls before it. Here they are those of the fiber that waits now, and the one that goes
/// on mostly came from elsewhere, so each `ret` behind a switch would cost as much as some 50
/// instructions. Where a jump leads it foresees from where it led before, and the lanes of a warp
/// go on from the same place one after the other.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RIDGELINE_JUMPS_BACK
#define RIDGELINE_RETURNS_BY_JUMP __attribute__((function_return("thunk-extern")))
#else
#define RIDGELINE_RETURNS_BY_JUMP
#endif

namespace ridgeline::emulated {

#ifdef __x86_64__

/// Where a fiber goes on: the top of its stack, on which the address of its next instruction lies.
using Fiber = void*;

/// A fiber that begins with `first`, which does not return. `top`: the end of its stack, a multiple
/// of 16.
template <void (*first)()>
Fiber make_fiber(std::byte* top, std::size_t /*bytes*/) {
  void** const at = reinterpret_cast<void**>(top) - 2;
  at[0] = reinterpret_cast<void*>(first);
  at[1] = nullptr;  // where it returns to
  return reinterpret_cast<Fiber>(at);
}

/// Goes on with `to`, and returns when somebody goes on with `from`, which is set.
///
/// Not by a library's function, which would return by `ret`, see RIDGELINE_RETURNS_BY_JUMP. The
/// state of floating-point control, which no lane changes, is not switched.
[[gnu::always_inline]] inline void go_on(Fiber& from, Fiber to) {
  Fiber* in = &from;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // what a function may use without saying so
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%%rdi)\n\t"
      "movq %%rsi, %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n"
      "1:\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+D"(in), "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

#else

using Fiber = boost::context::detail::fcontext_t;

template <void (*first)()>
Fiber make_fiber(std::byte* top, std::size_t bytes) {
  return boost::context::detail::make_fcontext(top, bytes,
                                               [](boost::context::detail::transfer_t back) {
                                                 *static_cast<Fiber*>(back.data) = back.fctx;
                                                 first();
                                               });
}

inline void go_on(Fiber& from, Fiber to) {
  const auto back = boost::context::detail::jump_fcontext(to, &from);
  *static_cast<Fiber*>(back.data) = back.fctx;
}

#endif

}  // namespace ridgeline::emulated
