#include "harness/device/cpu/cpu_sensors.hpp"

#include <charconv>
#include <string>

#include <fmt/core.h>

#include "harness/device/cpu/cpu_files.hpp"

namespace ridgeline::device::cpu {
namespace {

namespace fs = std::filesystem;

std::optional<double> number(const std::string& text, double unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value * unit;
}

// The package's sensor: AMD's driver is called k10temp or zenpower, Intel's coretemp.
fs::path find_temperature(const fs::path& root) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root / "sys/class/hwmon", failed)) {
    const std::string driver = first_line(entry.path() / "name");
    if (driver == "k10temp" || driver == "zenpower" || driver == "coretemp")
      return entry.path() / "temp1_input";
  }
  return {};
}

}  // namespace

Sensors::Sensors(int cpu, const fs::path& root)
    : frequency_(root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu)),
      cpuinfo_(root / "proc/cpuinfo"),
      temperature_(find_temperature(root)) {
  std::error_code failed;
  if (!fs::exists(frequency_, failed)) frequency_.clear();
}

Reading Sensors::read() const {
  Reading reading;
  reading.sm_clock_mhz = frequency_.empty() ? number(value_of(cpuinfo_, "cpu MHz"), 1)
                                            : number(first_line(frequency_), 1e-3);
  if (!temperature_.empty()) reading.temperature_c = number(first_line(temperature_), 1e-3);
  return reading;
}

}  // namespace ridgeline::device::cpu
