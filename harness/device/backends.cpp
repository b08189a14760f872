#include <charconv>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/cpu_device.hpp"
#include "harness/device/cpu/cpu_facts.hpp"
#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/device.hpp"

namespace ridgeline::device {
namespace {

[[noreturn]] void refuse(std::string_view id) {
  const Discovery found = discover();
  std::string there;
  for (const Facts& device : found.devices)
    there += fmt::format("{}{} ({})", there.empty() ? "" : ", ", device.id, device.name);
  for (const auto& [kind, reason] : found.unavailable)
    there += fmt::format("; no {} device: {}", to_string(kind), reason);
  throw Error(ErrorKind::dependency, fmt::format("there is no device '{}' here", id),
              "there is " + there);
}

}  // namespace

Discovery discover() {
  Discovery found;
#ifdef RIDGELINE_HAVE_CUDA
  cuda::discover(found);
#else
  found.unavailable.push_back({Kind::cuda, "built without CUDA"});
#endif
  found.devices.push_back(cpu::facts());
  return found;
}

std::unique_ptr<Device> open(std::string_view id) {
  if (id == "cpu") return cpu::open();
#ifdef RIDGELINE_HAVE_CUDA
  const Discovery found = discover();
  for (const Facts& device : found.devices) {
    int index = 0;
    if (device.kind == Kind::cuda && device.id == id &&
        std::from_chars(id.data() + id.find(':') + 1, id.data() + id.size(), index).ec ==
            std::errc{})
      return cuda::open(index, device);
  }
#endif
  refuse(id);
}

}  // namespace ridgeline::device
