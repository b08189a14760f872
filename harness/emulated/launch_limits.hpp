#pragma once

#include <cstdint>
#include <optional>

#include "harness/device/cuda/launch_config.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/report.hpp"
#include "harness/emulated/shared_variables.hpp"

namespace ridgeline::emulated {

inline std::uint64_t count_of(const dim3& size) { return std::uint64_t{size.x} * size.y * size.z; }

/// Why no GPU with these limits accepts the launch of the kernel that starts at `kernel`: what was
/// asked for, and what there is. Registers and static shared memory are those of nvcc's code; where
/// the program does not have them (built_kernels()), registers limit nothing, and of static shared
/// memory the kernel's own variables are known.
std::optional<Finding> refused(const device::LaunchConfig& config, std::uint64_t kernel,
                               const Limits& limits, const SharedVariables& variables);

}  // namespace ridgeline::emulated
