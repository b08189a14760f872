#include <cstdlib>

#include "harness/emulated/block.hpp"

// What a function that forgets to return a value goes on to is left as it is without optimisation,
// where the compiler may not take its end for unreachable (-fsanitize=unreachable, without
// -fsanitize=return): programs get away with it under nvcc. What a program itself calls unreachable
// comes here. The sanitizer's own library is not linked.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[noreturn]] void __ubsan_handle_builtin_unreachable(const void*) {
  using namespace ridgeline::emulated;
  if (hot.next != nullptr)
    Block::current().lanes.stop("trap", RIDGELINE_CALLER, -1,
                                "the kernel comes to what it calls unreachable");
  std::abort();
}
