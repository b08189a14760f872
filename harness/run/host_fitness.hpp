#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/run/doubts.hpp"
#include "harness/run/fitness.hpp"

/// Whether the machine around a device is fit to measure. All of it is read below a folder that
/// stands for `/`.
namespace ridgeline::run {

struct HostQuestion {
  bool measures_cpu = false;             // a GPU needs one processor to feed it, a CPU all of them
  std::filesystem::path results;         // where results will be written; it may not exist
  double disk_free = limits::disk_free;  // bytes that must be free there
  double watched_s = 3;                  // for how long the processors are watched
  std::filesystem::path root = "/";
};

/// Room on the disk and in memory.
Findings look_at_room(const HostQuestion& question);

/// Who uses the processors, for the time watched, and what slows or disturbs them: quotas,
/// governors, turbo, SMT, the clock that programs read.
Findings look_at_processors(const HostQuestion& question);

/// How much of the processors others used, by what two looks at /proc have found.
struct ProcessorLook {
  ProcessorUse use;
  std::string load;                       // "1.25 1.02 0.90 2/345 6789"
  std::map<std::string, double> used_by;  // processors, by "name (pid 12)"
};
Findings judge_processors(bool measures_cpu, const ProcessorLook& look);

}  // namespace ridgeline::run
