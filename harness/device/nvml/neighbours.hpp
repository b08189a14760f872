#pragma once

#include <functional>
#include <optional>
#include <span>

#include <sys/types.h>

namespace ridgeline::device::nvml {

/// A process as far as kinship goes: its parent (0 when unknown) and whether it is a program of
/// Ridgeline's.
struct Kin {
  pid_t parent = 0;
  bool of_ridgeline = false;
};

/// From /proc; {0, false} for a process that is not visible.
Kin read_kin(pid_t pid);

/// How many of the processes on a GPU are not of this run: `self`, its children, and whatever else
/// descends from the topmost program of Ridgeline's above it, such as the worker of the other side
/// of a comparison. Absent when `self` is not among two or more of them: then the driver counts
/// processes in another namespace than ours, and they cannot be told apart.
std::optional<int> count_neighbours(std::span<const pid_t> on_gpu, pid_t self,
                                    const std::function<Kin(pid_t)>& kin);

}  // namespace ridgeline::device::nvml
