#include "harness/measure/sensors.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

constexpr auto interval = std::chrono::milliseconds(50);

using Quantity = std::optional<double> device::Reading::*;

std::vector<double> present(const std::vector<device::Reading>& readings, Quantity quantity) {
  std::vector<double> values;
  for (const device::Reading& reading : readings)
    if (reading.*quantity) values.push_back(*(reading.*quantity));
  return values;
}

std::optional<double> middle(const std::vector<device::Reading>& readings, Quantity quantity) {
  const std::vector<double> values = present(readings, quantity);
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

std::optional<double> highest(const std::vector<device::Reading>& readings, Quantity quantity) {
  const std::vector<double> values = present(readings, quantity);
  if (values.empty()) return std::nullopt;
  return *std::max_element(values.begin(), values.end());
}

}  // namespace

void Sensors::read() {
  readings_.push_back(device_.read_sensors());
  last_ = std::chrono::steady_clock::now();
}

void Sensors::poll() {
  if (readings_.empty() || std::chrono::steady_clock::now() - last_ >= interval) read();
}

record::Telemetry Sensors::summary() const {
  record::Telemetry telemetry;
  telemetry.sm_clock_mhz = middle(readings_, &device::Reading::sm_clock_mhz);
  telemetry.memory_clock_mhz = middle(readings_, &device::Reading::memory_clock_mhz);
  telemetry.power_w = highest(readings_, &device::Reading::power_w);
  telemetry.temperature_c = highest(readings_, &device::Reading::temperature_c);
  std::set<std::string> reasons;
  for (const device::Reading& reading : readings_) {
    for (std::size_t from = 0; from < reading.throttle.size();) {
      const std::size_t comma = std::min(reading.throttle.find(',', from), reading.throttle.size());
      if (comma > from) reasons.insert(reading.throttle.substr(from, comma - from));
      from = comma + 1;
    }
    telemetry.throttled_by_hardware |= reading.throttled_by_hardware;
    if (reading.other_processes)
      telemetry.other_processes =
          std::max(telemetry.other_processes.value_or(0), *reading.other_processes);
  }
  telemetry.throttle = fmt::format("{}", fmt::join(reasons, ","));
  return telemetry;
}

}  // namespace ridgeline::measure
