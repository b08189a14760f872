#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/device/cuda/launch_config.hpp"

namespace ridgeline::program {

/// A launch that can be repeated: its arguments are the bytes that they were.
struct KernelWork {
  device::LaunchConfig config;
  void (*run)(const void*) = nullptr;  // see emulated::KernelCall
  void (*kernel)() = nullptr;
  std::vector<std::byte> arguments;
  std::vector<std::vector<std::byte>> each;
  std::uint32_t pc = 0;  // behind what launched it
};

/// Runs it now.
cudaError_t launch(const KernelWork& work);
/// Of a kernel by its address and its arguments' addresses, as cudaGraphAddKernelNode() is given
/// them.
KernelWork kernel_work(const cudaKernelNodeParams& from, std::uint32_t pc);

}  // namespace ridgeline::program
