#include "harness/device/nvml/links.hpp"

#include <cstring>
#include <optional>

#include <fmt/core.h>

namespace ridgeline::device::nvml {
namespace {

constexpr unsigned most_links = 64;  // more than any GPU has; NVML refuses those that there are not

std::optional<std::string> pcie(Status (*generation)(Handle, unsigned*),
                                Status (*lanes)(Handle, unsigned*), Handle gpu) {
  unsigned number = 0, width = 0;
  if (generation == nullptr || lanes == nullptr || generation(gpu, &number) != 0 ||
      lanes(gpu, &width) != 0)
    return std::nullopt;
  return fmt::format("{} x{}", number, width);
}

/// In 1e6 B/s, of `link`.
std::optional<unsigned long long> nvlink_speed(const Api& nvml, Handle gpu, unsigned link) {
  for (const unsigned field : nvlink_speed_fields) {
    FieldValue asked;
    asked.field = field;
    asked.scope = link;
    if (nvml.field_values == nullptr || nvml.field_values(gpu, 1, &asked) != 0 || asked.status != 0)
      continue;
    if (asked.value_type == unsigned_int && asked.value.number > 0) return asked.value.number;
    if (asked.value_type == unsigned_long_long && asked.value.long_number > 0)
      return asked.value.long_number;
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, std::string> links(const Api& nvml, Handle gpu) {
  std::map<std::string, std::string> facts;
  if (const auto most = pcie(nvml.pcie_generation, nvml.pcie_lanes, gpu)) facts["pcie"] = *most;
  if (const auto now = pcie(nvml.pcie_generation_now, nvml.pcie_lanes_now, gpu))
    facts["pcie_now"] = *now;

  int answered = 0, active = 0;
  std::optional<unsigned long long> speed;  // of the first active link: they are all alike
  std::map<std::string, int> ends;
  for (unsigned link = 0; link < most_links && nvml.nvlink_state != nullptr; ++link) {
    int is_active = 0;
    if (nvml.nvlink_state(gpu, link, &is_active) != 0) continue;
    ++answered;
    if (is_active == 0) continue;
    ++active;
    if (!speed) speed = nvlink_speed(nvml, gpu, link);
    PciInfo end{};
    if (nvml.nvlink_remote != nullptr && nvml.nvlink_remote(gpu, link, &end) == 0)
      ++ends[std::string(end.bus_id, strnlen(end.bus_id, sizeof end.bus_id))];
  }
  if (answered == 0) return facts;
  facts["nvlink"] = active == 0 ? "none active"
                    : speed     ? fmt::format("{} x {} MB/s", active, *speed)
                                : fmt::format("{} active", active);
  std::string to;
  for (const auto& [bus, count] : ends)
    to += fmt::format("{}{} x{}", to.empty() ? "" : ", ", bus, count);
  if (!to.empty()) facts["nvlink_to"] = to;
  return facts;
}

}  // namespace ridgeline::device::nvml
