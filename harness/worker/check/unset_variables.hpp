#pragma once

#include "harness/base/json.hpp"

namespace ridgeline::worker {

inline constexpr double most_repeated_accesses = 20e6;  // that are made once more in a second or
                                                        // two

/// Of a check with so many accesses, for whoever runs the program once more: variables that kernels
/// may read before they are written, and the digest of what the host has got. Of more accesses than
/// are repeated, and of programs without such variables, nothing.
void add_unset_variables(json::Value& report, double accesses);

}  // namespace ridgeline::worker
