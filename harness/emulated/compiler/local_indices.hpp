#pragma once

#include <string>
#include <vector>

#include "harness/emulated/compiler/dumped_functions.hpp"

namespace ridgeline::emulated {

/// Places at which the compiler compares the index into an array of the function's own, a thread's
/// local memory, with the array's size (-fsanitize=bounds): "kernel.cu:8:17", and behind each
/// "mine, whose last index is 3". Arrays elsewhere are judged by the access itself.
std::vector<std::string> local_indices(const std::vector<DumpedFunction>& functions);

/// Variables of kernels' own that some way through the function may read before they are written,
/// as far as the compiler sees, arrays and structs always: "acc at kernel.cu:8:17". It marks them
/// when it fills them (-ftrivial-auto-var-init).
std::vector<std::string> unset_variables(const std::vector<DumpedFunction>& functions);

}  // namespace ridgeline::emulated
