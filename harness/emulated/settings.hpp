#pragma once

#include <cstdint>

namespace ridgeline::emulated {

/// How a machine goes about its launches. Counts do not depend on it.
struct Settings {
  int workers = 0;  // OS threads that run independent blocks; 0: one for each core that the process
                    // may use
  std::uint64_t seed = 0;  // of the order in which lanes and warps go on; 0: in theirs
};

}  // namespace ridgeline::emulated
