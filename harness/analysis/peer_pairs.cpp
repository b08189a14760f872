#include "harness/analysis/peer_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include "harness/analysis/siblings.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {

std::optional<double> PeerPair::share_of_roof() const {
  return roof && *roof > 0 ? std::optional(rate / *roof) : std::nullopt;
}

void compare_pairs(std::vector<PeerPair>& pairs, std::size_t compared) {
  for (PeerPair& pair : pairs) pair.rate = pair.bytes / stats::median(pair.medians_ns) * 1e9;
  if (pairs.size() < 2) return;
  std::size_t processes = pairs.front().medians_ns.size();
  for (const PeerPair& pair : pairs) processes = std::min(processes, pair.medians_ns.size());
  std::vector<std::string> names(pairs.size());
  std::vector<std::vector<double>> logs(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t r = 0; r < processes; ++r) logs[i].push_back(std::log(pairs[i].medians_ns[r]));
  const std::vector<Sibling> beside = set_beside_each_other(
      names, logs, 0.05 / static_cast<double>(std::max<std::size_t>(1, compared)));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    std::tie(pairs[i].ratio, pairs[i].interval) = std::pair(beside[i].ratio, beside[i].interval);
}

const PeerPair* slowest(const std::vector<PeerPair>& pairs) {
  const PeerPair* found = nullptr;
  for (const PeerPair& pair : pairs)
    if (pair.is_slower() && (found == nullptr || pair.ratio > found->ratio)) found = &pair;
  return found;
}

}  // namespace ridgeline::analysis
