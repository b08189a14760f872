#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/library.hpp"
namespace ridgeline::device::cuda {
void discover(Discovery& found) {
  const Library driver({"libcuda.so.1"});
  if (!driver.loaded()) found.unavailable.push_back({Kind::cuda, driver.reason() + ": no NVIDIA driver"});
}
std::unique_ptr<Device> open(int) { return nullptr; }
}  // namespace ridgeline::device::cuda
