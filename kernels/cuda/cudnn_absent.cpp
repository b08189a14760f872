#include "harness/base/error.hpp"
#include "kernels/cuda/cudnn_attention.hpp"

// In place of cudnn_attention.cpp in builds that do not find what it includes.

namespace ridgeline::kernels::cudnn {

device::Support support(DType, const device::Facts&) {
  return device::Support::unavailable(
      "built without the headers of cuDNN's front end; run ci/setup, then build again");
}

std::size_t workspace_bytes(const Shape&) { return 0; }
std::size_t gradient_workspace_bytes(const Shape&) { return 0; }

void forward(const Shape&, const Forward&, device::Stream&) {
  throw Error(ErrorKind::internal, "cuDNN was called although it is unavailable");
}
void backward(const Shape&, const Backward&, device::Stream&) {
  throw Error(ErrorKind::internal, "cuDNN was called although it is unavailable");
}

}  // namespace ridgeline::kernels::cudnn
