#pragma once

#include <vector>

#include "ci/studies/fuzzing/targets/target.hpp"

namespace ridgeline::fuzzing {

struct NamedTarget {
  const char* name;
  Target target;
};

/// All of this folder that this build has. Written by CMake.
std::vector<NamedTarget> all_targets();

}  // namespace ridgeline::fuzzing
