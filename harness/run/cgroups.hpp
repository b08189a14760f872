#pragma once

#include <filesystem>
#include <optional>

/// What the control groups of this process leave it: those of cgroup v2 and of v1, its own and all
/// above it that can be seen. `root` is the folder that stands for `/`.
/// Sources: cgroups(7), cgroup_namespaces(7), proc_pid_mountinfo(5); the kernel's
/// admin-guide/cgroup-v2, scheduler/sched-bwc and admin-guide/cgroup-v1/memory.
namespace ridgeline::run {

/// How many processors' time the tightest quota allows; absent where no group has one.
std::optional<double> processor_quota(const std::filesystem::path& root);

struct MemoryLimit {
  double bytes = 0, free = 0;
};

/// The limit that leaves the least memory free; absent where no group has one.
std::optional<MemoryLimit> memory_limit(const std::filesystem::path& root);

}  // namespace ridgeline::run
