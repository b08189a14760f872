// bug: which is freed
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void use_after_free(int* data) { data[threadIdx.x] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  int* data = nullptr;
  {
    const auto freed = zeros(device, 64);
    data = freed.data();
  }
  run(device, {.block = dim3(64)}, use_after_free, data);
}
