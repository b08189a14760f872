#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/gate/request.hpp"

namespace ridgeline::gate {

/// The names in `--device cpu,cuda:0`; one that is empty where none is named. Throws a usage Error
/// for one that is empty between commas.
std::vector<std::string> device_names(const std::string& typed);

/// Refuses devices that cannot be gated together, and options that would do nothing on them: what
/// says something of times alone, where a device gives counts.
void check_devices(const GateOptions& options, std::span<const record::Device> devices);

/// The same as far as the names of the devices tell: before anything is built for them.
void check_device_names(const GateOptions& options);

}  // namespace ridgeline::gate
