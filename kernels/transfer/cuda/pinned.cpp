#include "kernels/transfer/cuda/copy_over_link.hpp"

// The host's pages are locked, so that the GPU's copy engine reads and writes them by itself while
// the host goes on. Bound by the link.
namespace ridgeline::transfer::on_cuda {

static std::shared_ptr<float> allocate_pinned(std::size_t floats) {
  void* memory = nullptr;
  device::check_cuda(cudaHostAlloc(&memory, floats * sizeof(float), cudaHostAllocDefault),
                     "locking pages of the host");
  return {static_cast<float*>(memory), [](float* pages) { cudaFreeHost(pages); }};
}

Variant pinned() {
  return {"locked pages: the copy engine works on them by itself", any_transfer, allocate_pinned,
          copy_over_link, /*measures_link=*/true};
}

}  // namespace ridgeline::transfer::on_cuda
