#pragma once

#include <filesystem>
#include <vector>

#include "harness/device/facts.hpp"

namespace ridgeline::device::cpu {

/// What the operating system says below `root` (proc/cpuinfo, sys/devices/system/cpu,
/// etc/machine-id ...) of a CPU of which the cores `cpus` are used. What it does not say stays 0 or
/// empty; never throws for a missing file.
Facts read_facts(const std::vector<int>& cpus, const std::filesystem::path& root = "/");

/// This machine's CPU as this process may use it: one logical CPU a core of the affinity mask, at
/// most OMP_NUM_THREADS. Decided at the first call, because opening the device pins threads and so
/// narrows their masks.
const Facts& facts();

}  // namespace ridgeline::device::cpu
