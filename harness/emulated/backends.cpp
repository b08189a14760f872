#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/cpu_device.hpp"
#include "harness/device/cpu/cpu_facts.hpp"
#include "harness/device/device.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/limits.hpp"

// The devices of programs whose kernels are compiled for the emulated device: an emulated GPU for
// each architecture of the catalogue.
namespace ridgeline::device {

Discovery discover() {
  Discovery found;
  for (const catalogue::Architecture& each : catalogue::architectures())
    found.devices.push_back(emulated::facts(emulated::limits_of(each)));
  found.devices.push_back(cpu::facts());
  found.unavailable.push_back({Kind::cuda, "this program emulates GPUs"});
  return found;
}

std::unique_ptr<Device> open(std::string_view id) {
  if (id == "cpu") return cpu::open();
  std::string there;
  for (const catalogue::Architecture& each : catalogue::architectures()) {
    const emulated::Limits limits = emulated::limits_of(each);
    const std::string known = emulated::facts(limits).id;
    if (id == known) return emulated::open(limits);
    there += known + ", ";
  }
  throw Error(ErrorKind::dependency, fmt::format("there is no device '{}' here", id),
              "there are " + there + "cpu");
}

}  // namespace ridgeline::device
