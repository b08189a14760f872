#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/device/counts.hpp"
#include "harness/device/facts.hpp"
#include "harness/device/occupancy.hpp"

// What nvcc made of the kernels that are emulated: known at build time, without a GPU.
namespace ridgeline::emulated {

/// A kernel's machine code for one architecture.
struct BuiltKernel {
  std::string_view file;          // that was compiled, relative to the source tree
  std::string_view name;          // as qualified_name() gives it
  std::string_view architecture;  // "sm_90a"
  device::KernelResources resources;
};

/// The kernels of this build: a table that `ci/golden/kernel_resources --cpp` writes, in programs
/// that link it (CMake target built_kernels); empty in others.
std::span<const BuiltKernel> built_kernels();

/// Of the kernel's code for this capability (80, 90). Several kernels of one name are told apart by
/// their file; absent where that does not tell, or none is known.
std::optional<device::KernelResources> resources_of(std::span<const BuiltKernel> kernels,
                                                    std::string_view name, std::string_view file,
                                                    int capability);

/// A demangled name without return type, own namespaces and arguments, as
/// ci/golden/kernel_resources writes it: "gemm::on_cuda::naive<float>".
std::string qualified_name(std::string demangled);

/// Adds what built_kernels() knows of the launched kernels, on a GPU as `facts` describes it.
void add_resources(std::span<device::LaunchCount> kernels, const device::Facts& facts);

}  // namespace ridgeline::emulated
