#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::ptx {

/// The stages of a ring in turn; a stage's barriers go through a phase each time round. Whoever
/// waits until a stage is free begins with `parity ^ 1`: a barrier that nobody has arrived at takes
/// the phase before its first one for ended.
template <unsigned stages>
struct Turn {
  unsigned stage = 0, parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

}  // namespace ridgeline::ptx
