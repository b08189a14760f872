// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void release_and_acquire(int* data, int* flag, int* to) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  } else {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
    to[blockIdx.x] = data[0];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 1), flag = zeros(device, 1), to = zeros(device, 4);
  run(device, {.grid = dim3(4), .block = dim3(1)}, release_and_acquire, data.data(), flag.data(),
      to.data());
  expect_each(to, [](std::size_t i) { return i == 0 ? 0 : 42; });
}
