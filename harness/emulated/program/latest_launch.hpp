#pragma once

#include <cstdint>

#include <vector_types.h>

namespace ridgeline::program {

/// The launch that runs, or the one that ran last.
struct LatestLaunch {
  std::uint64_t kernel = 0;  // 0: there was none
  dim3 grid, block;
  bool runs = false;
};
const LatestLaunch& latest_launch();

}  // namespace ridgeline::program
