#include "harness/base/device_kind.hpp"

#include "harness/base/names.hpp"

namespace ridgeline {
namespace {

constexpr Name<DeviceKind> kinds[] = {
    {DeviceKind::cpu, "cpu"},
    {DeviceKind::cuda, "cuda"},
    {DeviceKind::emulated, "emulated"},
    {DeviceKind::fake, "fake"},
};

}  // namespace

std::string_view to_string(DeviceKind kind) { return name_of(kinds, kind); }
std::optional<DeviceKind> parse_device_kind(std::string_view text) { return value_of(kinds, text); }

}  // namespace ridgeline
