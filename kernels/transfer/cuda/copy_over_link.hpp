#pragma once

#include <cuda_runtime.h>

#include "harness/device/cuda/language.cuh"
#include "kernels/transfer/transfer.hpp"

namespace ridgeline::transfer::on_cuda {

inline void copy_over_link(const Problem& problem, const Operands& operands,
                           device::Stream& stream) {
  const bool to_device = problem.direction == Direction::to_device;
  device::check_cuda(cudaMemcpyAsync(to_device ? operands.device : operands.host,
                                     to_device ? operands.host : operands.device,
                                     sizeof(float) * static_cast<std::size_t>(problem.elements),
                                     to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                                     static_cast<cudaStream_t>(stream.native)),
                     "copying between host and device");
}

inline device::Support any_transfer(const Problem&, const device::Facts&) {
  return device::Support::yes();
}

}  // namespace ridgeline::transfer::on_cuda
