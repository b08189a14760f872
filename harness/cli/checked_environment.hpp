#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridgeline::cli {

/// What a program that is checked has otherwise in its environment. It has malloc() and free() of
/// its own (harness/worker/check/ending_memory.cpp), and an allocator that is preloaded would free
/// with these what it has given by others, as posix_memalign().
inline std::vector<std::pair<std::string, std::string>> checked_environment() {
  return {{"LD_PRELOAD", ""}};
}

}  // namespace ridgeline::cli
