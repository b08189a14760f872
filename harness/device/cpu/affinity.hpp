#pragma once

#include <filesystem>
#include <vector>

/// Which logical CPUs this thread may run on.
namespace ridgeline::device::cpu {

/// The logical CPUs that this thread may run on, in ascending order.
std::vector<int> allowed_cpus();

/// Narrows or widens that; false when the kernel refuses.
bool allow_cpus(const std::vector<int>& cpus);

/// One logical CPU a physical core out of `cpus`: the first of each set of siblings. `root` is
/// where /sys hangs.
std::vector<int> one_a_core(const std::vector<int>& cpus, const std::filesystem::path& root = "/");

/// Keeps this thread to part `index` of `count` nearly equal parts of its cores, so that processes
/// which measure together do not share any. With fewer cores than parts it changes nothing. facts()
/// stays what it was before.
void keep_to_share(int index, int count);

}  // namespace ridgeline::device::cpu
