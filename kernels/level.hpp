#pragma once

#include <string_view>

namespace ridgeline::kernels {

/// Where in the memory hierarchy a working set lies. On a GPU the last-level cache is its L2;
/// shared memory, which programs fill themselves, is a GPU's alone.
enum class Level { l1, l2, llc, dram, shared };

constexpr std::string_view to_string(Level level) {
  switch (level) {
    case Level::l1:
      return "l1";
    case Level::l2:
      return "l2";
    case Level::llc:
      return "llc";
    case Level::shared:
      return "shared";
    case Level::dram:
      break;
  }
  return "dram";
}

}  // namespace ridgeline::kernels
