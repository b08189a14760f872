#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/run.hpp"

/// What speaks against measuring now, as far as it can be seen from here. `ridgeline doctor`
/// looks at more, and takes longer; the limits are the same (fitness.hpp).
namespace ridgeline::run {

/// Ticks of processors since the machine started, as /proc/stat counts them.
struct ProcessorTicks {
  long long busy = 0, stolen = 0, all = 0;
  int processors = 0;
};

/// Of the processors numbered `wanted`, summed up; absent where the text has none of them.
std::optional<ProcessorTicks> read_ticks(std::string_view stat, const std::set<int>& wanted);

/// The numbers of the processors that this process may use.
std::set<int> own_processors();

/// How processors were used for a while: shares of all of them.
struct ProcessorUse {
  double busy = 0, stolen = 0;
  int processors = 1;
  std::optional<double> quota = std::nullopt;  // how many processors' time a cgroup allows
};

/// One line each, none when all is well: other programs on the processors, time that goes to other
/// machines, a quota, and of what the worker says of a GPU at rest clocks that are held down,
/// neighbours, heat and lowered limits.
std::vector<std::string> doubts(const record::Device& device,
                                const std::optional<ProcessorUse>& use);

/// The same now. Watches the processors that this process may use for a moment, in which it does
/// nothing, when `device` has times that they matter to.
std::vector<std::string> look_for_doubts(const record::Device& device);

}  // namespace ridgeline::run
