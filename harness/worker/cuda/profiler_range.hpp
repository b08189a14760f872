#pragma once

#include <string>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace ridgeline::worker {

/// Names a stretch of execution for NVIDIA's profilers (an NVTX range); nothing where NVTX is not
/// installed.
class ProfilerRange {
 public:
#if __has_include(<nvtx3/nvToolsExt.h>)
  explicit ProfilerRange(const std::string& name) { nvtxRangePushA(name.c_str()); }
  ~ProfilerRange() { nvtxRangePop(); }
#else
  explicit ProfilerRange(const std::string&) {}
#endif
  ProfilerRange(const ProfilerRange&) = delete;
};

}  // namespace ridgeline::worker
