#pragma once

#include <optional>
#include <string_view>

namespace ridgeline {

/// What a device is, which decides what can be asked of it: an emulated one counts and has no times, a fake one has the
/// times that a script gives it.
enum class DeviceKind { cpu, cuda, emulated, fake };

std::string_view to_string(DeviceKind kind);
std::optional<DeviceKind> parse_device_kind(std::string_view text);

}  // namespace ridgeline
