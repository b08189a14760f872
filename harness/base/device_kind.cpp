#include "harness/base/device_kind.hpp"

namespace ridgeline {
namespace {

constexpr Name<DeviceKind> kinds[] = {
    {DeviceKind::cpu, "cpu"},
    {DeviceKind::cuda, "cuda"},
    {DeviceKind::emulated, "emulated"},
    {DeviceKind::fake, "fake"},
};

}  // namespace

std::span<const Name<DeviceKind>> names(DeviceKind) { return kinds; }

}  // namespace ridgeline
