#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/cpu_device.hpp"
#include "harness/device/cpu/cpu_facts.hpp"
#include "harness/device/device.hpp"
#include "harness/device/emulated/emulated_device.hpp"

// The devices of programs whose kernels are compiled for the emulated device.
namespace ridgeline::device {
namespace {

constexpr int capabilities[] = {90, 80};

}  // namespace

Discovery discover() {
  Discovery found;
  for (const int capability : capabilities) found.devices.push_back(emulated::facts(capability));
  found.devices.push_back(cpu::facts());
  found.unavailable.push_back({Kind::cuda, "this program emulates GPUs"});
  return found;
}

std::unique_ptr<Device> open(std::string_view id) {
  if (id == "cpu") return cpu::open();
  for (const int capability : capabilities)
    if (id == emulated::facts(capability).id) return emulated::open(capability);
  throw Error(ErrorKind::dependency, fmt::format("there is no device '{}' here", id),
              "there are emulated:sm_90, emulated:sm_80 and cpu");
}

}  // namespace ridgeline::device
