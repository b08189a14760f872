#include <algorithm>

#include "harness/device/facts.hpp"
#include "kernels/chase/chase.hpp"

namespace ridgeline::chase {

Problem problem_for(kernels::Level level, const device::Facts& facts) {
  const bool cuda = facts.kind == device::Kind::cuda;
  Problem problem{level, 0, 1 << 15, cuda ? 128 : 64};
  double bytes = 0;
  switch (level) {
    case kernels::Level::l1:
      bytes = 0.5 * static_cast<double>(std::min(facts.l1, std::uint64_t{64} << 10));
      break;
    case kernels::Level::l2:
      // A GPU's lines may lie in the half of L2 that is far from the SM: both are part of the mean.
      bytes = cuda ? static_cast<double>(facts.last_level_cache) / 4
                   : static_cast<double>(facts.l2) / 2;
      break;
    case kernels::Level::llc:
      // A GPU's is its L2. A CPU's is chased through where its L2s hold little of it.
      if (!cuda && facts.last_level_cache >= 4 * facts.l2)
        bytes = static_cast<double>(facts.last_level_cache) / 2;
      break;
    case kernels::Level::shared:  // is not chased through
      break;
    case kernels::Level::dram:
      bytes = std::min(8.0 * static_cast<double>(facts.last_level_cache),
                       static_cast<double>(facts.memory) / 16);
      bytes = std::max(bytes, 64.0 * (1 << 20));
      problem.loads = 1 << 13;  // each takes hundreds of ns
      break;
  }
  problem.lines = static_cast<std::int64_t>(bytes) / problem.line_bytes;
  return problem;
}

}  // namespace ridgeline::chase
