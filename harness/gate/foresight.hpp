#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/gate/commit_build.hpp"

namespace ridgeline::gate {

/// What is asked of commits.
struct Asked {
  std::string device;  // of --device: names between commas, or empty
  std::vector<std::string> patterns;
  bool no_wait = false;
};

/// What can be known of `commits`, and of what is asked of them, before the first of them is built,
/// which takes minutes. Throws a dependency Error for one that cannot be built. Unless all are
/// built, the workers of this build are asked, where it has any: throws a usage Error for a CPU or
/// a GPU that is not here, and for what names no kind of device, which no commit's worker will see;
/// and a dependency Error for a device that is named, in use and not to be waited for. Cases, and
/// emulated devices, are known to the commits alone: of what this build does not know, `say` gets a
/// line.
void look_ahead(std::span<const Commit> commits, const Asked& asked,
                const std::function<void(const std::string&)>& say);

}  // namespace ridgeline::gate
