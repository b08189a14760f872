#include "harness/gate/devices.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::gate {
namespace {

void check_options(const GateOptions& options, const record::Device& device) {
  if (!analysis::gives_counts(device.kind)) return;
  const std::pair<const char*, bool> of_times[] = {{"--delta", options.delta.has_value()},
                                                   {"--alpha", options.alpha.has_value()},
                                                   {"--beta", options.beta.has_value()},
                                                   {"--budget", !options.budget.empty()},
                                                   {"--all", options.all},
                                                   {"--believe-code", options.believe_code},
                                                   {"--spread", options.spread},
                                                   {"--counts-first", options.counts_first}};
  for (const auto& [name, given] : of_times)
    if (given && options.resume.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{} is for times, and {} gives counts, which are exact", name,
                              printable(device.id)),
                  "the rules (--config) can say how much counts may grow: counts = \"1%\"");
}

}  // namespace

std::vector<std::string> device_names(const std::string& typed) {
  std::vector<std::string> names;
  std::stringstream text(typed);
  std::string name;
  do {
    std::getline(text, name, ',');
    if (name.empty() && !typed.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("--device {}: a name between commas is empty", printable(typed)));
    names.push_back(name);
  } while (text.good());
  return names;
}

void check_devices(const GateOptions& options, std::span<const record::Device> devices) {
  if (options.counts_first &&
      std::ranges::all_of(devices, [](const auto& each) { return each.kind == DeviceKind::cpu; }))
    throw Error(ErrorKind::usage, "--counts-first is for GPUs: what a CPU does is not counted",
                "name one with --device");
  for (const record::Device& device : devices) {
    const auto refuse = [&](const char* why, const char* advice) {
      throw Error(
          ErrorKind::usage,
          fmt::format("--device {}: {} {}", printable(options.device), printable(device.id), why),
          advice);
    };
    if (std::ranges::count(devices, device.uuid, &record::Device::uuid) > 1)
      refuse("is named twice", "");
    if (devices.size() > 1 && analysis::gives_counts(device.kind))
      refuse("gives counts, which share nothing with times", "a gate of counts is one of its own");
    check_options(options, device);
  }
}

void check_device_names(const GateOptions& options) {
  std::vector<record::Device> devices;
  for (const std::string& name : device_names(options.device)) {
    record::Device& device = devices.emplace_back();
    device.id = device.uuid = name;
    // What no kind of device is called by may be of any: the workers know.
    device.kind = parse<DeviceKind>(name.substr(0, name.find(':'))).value_or(DeviceKind::fake);
  }
  check_devices(options, devices);
}

}  // namespace ridgeline::gate
