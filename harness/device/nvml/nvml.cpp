#include "harness/device/nvml/nvml.hpp"

#include <cstring>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/device/nvml/api.hpp"
#include "harness/device/nvml/links.hpp"
#include "harness/device/nvml/neighbours.hpp"
#include "harness/device/nvml/throttle.hpp"

namespace ridgeline::device::nvml {
namespace {

constexpr auto between_neighbour_readings = std::chrono::seconds(1);

/// Asks `function` for one value, the last of its arguments; absent when it is missing or refuses.
template <class Value, class... Parameters, class... Arguments>
std::optional<Value> ask(Status (*function)(Parameters...), Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != 0) return std::nullopt;
  return value;
}

std::optional<double> number(std::optional<unsigned> value, double unit = 1) {
  return value ? std::optional<double>(*value * unit) : std::nullopt;
}

std::optional<std::string> mode(Status (*function)(Handle, unsigned*, unsigned*), Handle handle) {
  unsigned current = 0, pending = 0;
  if (function == nullptr || function(handle, &current, &pending) != 0) return std::nullopt;
  return current != 0 ? "on" : "off";
}

template <class Value>
void put(std::map<std::string, std::string>& facts, const char* key,
         const std::optional<Value>& value) {
  if (value) facts[key] = fmt::format("{}", *value);
}

std::optional<std::string> driver_version() {
  char text[96] = {};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (api().system_driver_version == nullptr ||
      api().system_driver_version(text, sizeof text - 1) != 0)
    return std::nullopt;
  return text;
}

}  // namespace

Gpu::Gpu(const std::string& uuid) {
  if (api().handle_by_uuid == nullptr || api().handle_by_uuid(uuid.c_str(), &handle_) != 0)
    handle_ = nullptr;
}

Reading Gpu::read() {
  Reading reading;
  if (handle_ == nullptr) return reading;
  reading.sm_clock_mhz = read_sm_clock_mhz();
  reading.memory_clock_mhz = number(ask<unsigned>(api().clock, handle_, memory_clock));
  reading.power_w = number(ask<unsigned>(api().power, handle_), 1e-3);
  reading.energy_j = read_energy_j();
  reading.temperature_c = number(ask<unsigned>(api().temperature, handle_, 0));
  if (const auto mask = ask<unsigned long long>(api().throttle_reasons, handle_)) {
    Throttle throttle = read_throttle(*mask);
    reading.throttle = std::move(throttle.reasons);
    reading.throttled_by_hardware = throttle.by_hardware;
  }
  reading.other_processes = neighbours();
  return reading;
}

std::optional<double> Gpu::read_energy_j() {
  if (handle_ == nullptr) return std::nullopt;
  const auto energy = ask<unsigned long long>(api().energy, handle_);
  return energy ? std::optional(static_cast<double>(*energy) * 1e-3) : std::nullopt;
}

std::optional<double> Gpu::read_sm_clock_mhz() {
  if (handle_ == nullptr) return std::nullopt;
  return number(ask<unsigned>(api().clock, handle_, sm_clock));
}

std::optional<int> Gpu::neighbours() {
  const auto now = std::chrono::steady_clock::now();
  if (neighbours_read_ != decltype(now){} && now - neighbours_read_ < between_neighbour_readings)
    return neighbours_;
  neighbours_read_ = now;
  neighbours_.reset();
  std::vector<Process> processes(256);
  auto count = static_cast<unsigned>(processes.size());
  if (api().compute_processes == nullptr ||
      api().compute_processes(handle_, &count, processes.data()) != 0)
    return neighbours_;
  std::vector<pid_t> pids;
  for (unsigned i = 0; i < count; ++i) pids.push_back(static_cast<pid_t>(processes[i].pid));
  neighbours_ = count_neighbours(pids, getpid(), read_kin);
  return neighbours_;
}

void Gpu::describe(Facts& facts) const {
  const std::optional<std::string> driver = driver_version();
  put(facts.recorded, "driver", driver);
  if (driver) facts.comparable["driver_branch"] = driver->substr(0, driver->find('.'));
  if (handle_ == nullptr) return;

  if (const auto memory = ask<Memory>(api().memory_info, handle_)) facts.memory_free = memory->free;
  if (const auto pci = ask<PciInfo>(api().pci_info, handle_)) {
    facts.pci_id = fmt::format("{:04x}", pci->device_and_vendor >> 16);
    facts.recorded["pci_bus"] = std::string(pci->bus_id, strnlen(pci->bus_id, sizeof pci->bus_id));
  }
  put(facts.comparable, "ecc", mode(api().ecc_mode, handle_));
  put(facts.comparable, "mig", mode(api().mig_mode, handle_));
  put(facts.comparable, "power_limit_w", number(ask<unsigned>(api().power_limit, handle_), 1e-3));
  put(facts.comparable, "application_sm_clock_mhz",
      ask<unsigned>(api().application_clock, handle_, sm_clock));
  put(facts.properties, "max_sm_clock_mhz", ask<unsigned>(api().max_clock, handle_, sm_clock));
  put(facts.properties, "max_memory_clock_mhz",
      ask<unsigned>(api().max_clock, handle_, memory_clock));
  facts.recorded.merge(links(api(), handle_));
  put(facts.recorded, "sm_clock_at_rest_mhz", ask<unsigned>(api().clock, handle_, sm_clock));
  put(facts.recorded, "memory_clock_at_rest_mhz",
      ask<unsigned>(api().clock, handle_, memory_clock));
  put(facts.recorded, "default_application_sm_clock_mhz",
      ask<unsigned>(api().default_application_clock, handle_, sm_clock));
  put(facts.recorded, "default_power_limit_w",
      number(ask<unsigned>(api().default_power_limit, handle_), 1e-3));
  if (const auto mask = ask<unsigned long long>(api().throttle_reasons, handle_))
    facts.recorded["clocks_at_rest_held_by"] = read_throttle(*mask & ~gpu_idle).reasons;
  put(facts.recorded, "processes_at_rest_of_others", Gpu(*this).neighbours());
  put(facts.recorded, "temperature_at_rest_c", ask<unsigned>(api().temperature, handle_, 0));
  if (const auto persistence = ask<unsigned>(api().persistence_mode, handle_))
    facts.recorded["persistence_mode"] = *persistence != 0 ? "on" : "off";
  put(facts.recorded, "ecc_corrected_lifetime",
      ask<unsigned long long>(api().ecc_errors, handle_, corrected, lifetime));
  put(facts.recorded, "ecc_uncorrected_lifetime",
      ask<unsigned long long>(api().ecc_errors, handle_, uncorrected, lifetime));
}

}  // namespace ridgeline::device::nvml
