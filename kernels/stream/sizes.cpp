#include <algorithm>

#include "harness/device/facts.hpp"
#include "kernels/stream/stream.hpp"

namespace ridgeline::stream {
namespace {

constexpr std::int64_t grain = 1024;  // floats; units get whole grains

std::int64_t whole_grains(double floats) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(floats) / grain) * grain;
}

}  // namespace

Problem problem_for(Operation operation, kernels::Level level, const device::Facts& facts) {
  const bool cuda = facts.kind == device::Kind::cuda;
  const double llc = static_cast<double>(facts.last_level_cache);
  Problem problem{operation, level, 0, 1, facts.units};
  double bytes = 0;    // of all arrays together
  double traffic = 0;  // bytes of one execution
  switch (level) {
    case kernels::Level::l1:
      bytes = 0.5 * static_cast<double>(facts.l1) * facts.units;
      traffic = 4096 * bytes;
      break;
    case kernels::Level::l2:
    case kernels::Level::llc:
      bytes = llc / 3;
      if (!cuda) bytes = std::max(bytes, 2.0 * static_cast<double>(facts.l2) * facts.units);
      if (bytes > llc / 2) return problem;
      traffic = 64 * bytes;
      break;
    case kernels::Level::dram:
      bytes =
          std::min(std::max(8 * llc, 256.0 * (1 << 20)), static_cast<double>(facts.memory) / 16);
      if (cuda)
        bytes = std::max(bytes, std::min(3.0 * (1 << 30), static_cast<double>(facts.memory) / 16));
      traffic = bytes;
      break;
  }
  problem.elements = level == kernels::Level::l1
                         ? facts.units * whole_grains(bytes / 4 / problem.arrays() / facts.units)
                         : whole_grains(bytes / 4 / problem.arrays());
  problem.passes = std::max(1, static_cast<int>(traffic / bytes));
  return problem;
}

device::Support supports_on_cpu(const Problem& problem, const device::Facts&) {
  if (problem.elements > 0) return device::Support::yes();
  return device::Support::unsupported(
      "what is more than all L2s of this CPU hold would not fit in its last-level cache");
}

}  // namespace ridgeline::stream
