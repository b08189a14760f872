#include <cstddef>

#include <cuda_runtime.h>

#include "harness/device/cuda/language.cuh"
#include "kernels/stream/stream.hpp"

// Vendor variant: what the CUDA runtime copies with on a device. A roof that it beats is none, so
// it sets the roof of copies as others do.
namespace ridgeline::stream::on_cuda {

static void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  for (int pass = 0; pass < problem.passes; ++pass)
    device::check_cuda(
        cudaMemcpyAsync(operands.out, operands.a, 4 * static_cast<std::size_t>(problem.elements),
                        cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream.native)),
        "copying on the device");
}

static device::Support any_copy(const Problem&, const device::Facts&) {
  return device::Support::yes();
}

Variant cuda_memcpy() {
  Variant variant{
      "cudaMemcpyAsync on the device", Operation::copy, {kernels::Level::dram}, any_copy, launch};
  // In a graph it copies this much at four fifths of the rate of a call (docs/measurement.md).
  variant.single_launches = true;
  return variant;
}

}  // namespace ridgeline::stream::on_cuda
