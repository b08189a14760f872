#include "harness/emulated/fiber.hpp"

// What functions that are RIDGELINE_RETURNS_BY_JUMP end with, by the name that the compiler gives
// it. No caller expects anything in r11.
#ifdef RIDGELINE_JUMPS_BACK
asm(R"(
  .pushsection .text
  .globl __x86_return_thunk
  .hidden __x86_return_thunk
  .type __x86_return_thunk, @function
__x86_return_thunk:
  popq %r11
  jmpq *%r11
  .size __x86_return_thunk, . - __x86_return_thunk
  .popsection
)");
#endif
