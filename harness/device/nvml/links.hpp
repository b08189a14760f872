#pragma once

#include <map>
#include <string>

#include "harness/device/nvml/api.hpp"

namespace ridgeline::device::nvml {

/// What `nvml` says of the links of a GPU:
///   pcie:      the generation of PCI Express and the lanes that it can have, "5 x16"
///   pcie_now:  those that it has at rest, where generations are lowered to save power
///   nvlink:    the active NVLinks and what each carries in one direction, "18 x 26562 MB/s", or
///              "18 active" where that is not known, or "none active"
///   nvlink_to: where they end, by address on the bus: "0000:85:00.0 x4, 0000:86:00.0 x5"
/// What it does not answer is left out.
/// Source: NVML API Reference Guide, "NvLink Methods", "Field Value Enums" and "Device Queries".
std::map<std::string, std::string> links(const Api& nvml, Handle gpu);

}  // namespace ridgeline::device::nvml
