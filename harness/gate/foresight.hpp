#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/gate/commit_build.hpp"

namespace ridgeline::gate {

/// What can be known of `commits`, of --device and of patterns before the first of the commits is
/// built, which takes minutes. Throws a dependency Error for one that cannot be built. Unless all
/// are built, the workers of this build are asked, where it has any: throws a usage Error for a CPU
/// or a GPU that is not here, which no commit's worker will see. Cases, and devices of other kinds,
/// are known to the commits alone: of what this build does not know, `say` gets a line.
void look_ahead(std::span<const Commit> commits, const std::string& device,
                const std::vector<std::string>& patterns,
                const std::function<void(const std::string&)>& say);

}  // namespace ridgeline::gate
