#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/cpu_device.hpp"
#include "harness/device/cpu/cpu_facts.hpp"
#include "harness/device/device.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/limits.hpp"

// The devices of programs whose kernels are compiled for the emulated device: an emulated GPU for
// each architecture of the catalogue.
namespace ridgeline::emulated {

Settings& settings_of_new_devices() {
  static Settings settings;
  return settings;
}

}  // namespace ridgeline::emulated

namespace ridgeline::device {

Discovery discover() {
  Discovery found;
  for (const catalogue::Architecture& each : catalogue::architectures())
    found.devices.push_back(emulated::facts(emulated::limits_of(each)));
  found.devices.push_back(cpu::facts());
  found.unavailable.push_back({Kind::cuda, "this program emulates GPUs"});
  return found;
}

// "emulated:sm_90/3" is one with 3 SMs alone, which discover() does not list: the blocks that run
// together are then few, and a small problem has them take one piece of work after the other, as
// large ones do. "emulated:sm_90/3/7" has its lanes, warps and blocks go on in the order of seed 7.
std::unique_ptr<Device> open(std::string_view id) {
  if (id == "cpu") return cpu::open();
  const std::size_t slash = std::min(id.find('/'), id.size());
  const std::string_view units = id.substr(std::min(slash + 1, id.size()));
  std::string there;
  for (const catalogue::Architecture& each : catalogue::architectures()) {
    emulated::Limits limits = emulated::limits_of(each);
    const std::string known = emulated::facts(limits).id;
    there += known + ", ";
    if (id.substr(0, slash) != known) continue;
    emulated::Settings settings = emulated::settings_of_new_devices();
    if (slash == id.size()) return emulated::open(limits, settings);
    std::from_chars_result read = std::from_chars(units.begin(), units.end(), limits.units);
    if (read.ec == std::errc{} && read.ptr != units.end() && *read.ptr == '/')
      read = std::from_chars(read.ptr + 1, units.end(), settings.seed);
    if (read.ec == std::errc{} && read.ptr == units.end() && limits.units > 0)
      return emulated::open(limits, settings);
  }
  throw Error(ErrorKind::dependency, fmt::format("there is no device '{}' here", id),
              "there are " + there + "cpu");
}

}  // namespace ridgeline::device
