#include "harness/gate/block.hpp"

#include <algorithm>

namespace ridgeline::gate {
namespace {

constexpr double least_use = 3.5;    // sampling takes at least so many times as long as what it needs around it ...
constexpr double least_samples = 5;  // ... and as so many samples ...
constexpr double longest_block = 5;  // ... unless that makes a block so many times as long as the shortest

}  // namespace

double block_s(double shortest_s, double share_s, const RoundCosts& costs) {
  const double wanted_s = std::max(least_use * costs.around_s, least_samples * costs.sample_s);
  return std::clamp(std::min(wanted_s, share_s - costs.around_s) / 2, shortest_s, longest_block * shortest_s);
}

}  // namespace ridgeline::gate
