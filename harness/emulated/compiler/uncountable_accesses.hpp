#pragma once

#include <string>
#include <vector>

#include "harness/emulated/compiler/dumped_functions.hpp"

// Accesses to memory that -fsanitize=thread does not tell of, and accesses that nvcc makes
// otherwise than the source says: they would be counted wrongly or not at all, so that sources with
// them are refused. See docs/emulated-device.md.
namespace ridgeline::emulated {

/// One of them, in a kernel or a function that kernels call.
struct UncountableAccess {
  std::string place;     // "kernels/x.cu:12:5"; empty when the compiler does not know
  std::string function;  // plain name
  std::string what, hint;
  bool operator==(const UncountableAccess&) const = default;
};

/// What is wrong in a compiler's dump after it has instrumented a file (g++
/// -fdump-tree-tsan-asmname-lineno). Kernels are known by the attribute that language.hpp gives
/// them as __global__. Pointers are taken to lead to the device's memory unless they are seen to
/// come from a variable of the function's own. Each place and mistake is told once.
std::vector<UncountableAccess> uncountable_accesses(const std::vector<DumpedFunction>& functions);

}  // namespace ridgeline::emulated
