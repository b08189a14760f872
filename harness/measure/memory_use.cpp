#include "harness/measure/memory_use.hpp"

namespace ridgeline::measure {
namespace {

std::size_t kept_bytes(device::Device& device) {
  return device.keeper() ? device.keeper()->bytes() : 0;
}

}  // namespace

MemoryUse::MemoryUse(const Setup& setup)
    : setup_(setup),
      used_before_(setup.device.memory_in_use()),
      pool_before_(setup.inputs.bytes()),
      kept_before_(kept_bytes(setup.device)) {}

std::optional<double> MemoryUse::needed(const Workload& workload) const {
  const std::optional<std::uint64_t> used = setup_.device.memory_in_use();
  if (!used || !used_before_) return std::nullopt;
  const double grown = static_cast<double>(*used) - static_cast<double>(*used_before_),
               pool =
                   static_cast<double>(setup_.inputs.bytes()) - static_cast<double>(pool_before_),
               given_back = static_cast<double>(kept_before_) -
                            static_cast<double>(kept_bytes(setup_.device)),
               views = static_cast<double>(setup_.inputs.taken_bytes()),
               bytes = grown + given_back - pool + views - workload.spare_bytes;
  if (bytes < 0) return std::nullopt;
  return bytes;
}

}  // namespace ridgeline::measure
