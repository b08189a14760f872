#include "harness/run/environment.hpp"

#include <cstdlib>
#include <fstream>

#include <fmt/core.h>
#include <sys/utsname.h>

#include "harness/base/text.hpp"
#include "harness/run/cgroups.hpp"
#include "harness/run/doubts.hpp"
#include "harness/run/network.hpp"

namespace ridgeline::run {
namespace {

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PRETTY_NAME=")) {
      std::string name = line.substr(12);
      std::erase(name, '"');
      return name;
    }
  return {};
}

std::string first_line(const char* file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

std::string hash(const record::Facts& facts) {
  std::string lines;
  for (const auto& [name, value] : facts) lines += fmt::format("{}={}\n", name, value);
  return fmt::format("{:016x}", fnv1a(lines));
}

record::Environment observe_environment(const record::Device& device, const std::string& ranks) {
  record::Environment environment;
  environment.comparable = device.comparable;
  environment.comparable["model"] = device.model;
  environment.recorded = device.recorded;
  const auto note = [](record::Facts& facts, const std::string& name, const std::string& value) {
    if (!value.empty()) facts.emplace(name, value);
  };
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  note(environment.comparable, "ranks", ranks);
  note(environment.comparable, "runner", variable("RIDGELINE_RUNNER"));
  record::Facts& of_processors =
      device.kind == DeviceKind::cpu ? environment.comparable : environment.recorded;
  for (const char* name :
       {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OPENBLAS_NUM_THREADS"})
    note(of_processors, name, variable(name));
  if (const auto quota = processor_quota("/");
      quota && *quota < static_cast<double>(own_processors().size()))
    note(of_processors, "processor_quota", fmt::format("{:.2f}", *quota));
  note(environment.recorded, "CUDA_VISIBLE_DEVICES", variable("CUDA_VISIBLE_DEVICES"));
  utsname system = {};
  if (uname(&system) == 0) {
    note(environment.recorded, "host", system.nodename);
    note(environment.recorded, "kernel", fmt::format("{} {}", system.sysname, system.release));
  }
  note(environment.recorded, "distribution", distribution());
  note(environment.recorded, "load_average", first_line("/proc/loadavg"));
  note(environment.recorded, "network", network_links("/sys"));
  note(environment.recorded, "uuid", device.uuid);
  environment.hash = hash(environment.comparable);
  return environment;
}

}  // namespace ridgeline::run
