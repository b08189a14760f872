#pragma once

#include <optional>

// What a CUDA variant may ask of memory. Tests assert it on the emulated device, where counts have
// no noise.
namespace ridgeline::kernels {

/// The most that a variant asks for, the mean over all its requests, on a problem of its first
/// element type whose sizes are multiples of its tiles. Absent: it makes no such request, or its
/// family states it otherwise (Traffic).
struct Budget {
  // Of 32 bytes, per global request.
  std::optional<double> sectors_per_load = {}, sectors_per_store = {};
  std::optional<double> wavefronts_per_shared_request = {};  // 1 is the least
};

}  // namespace ridgeline::kernels
