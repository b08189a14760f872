#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace ridgeline::gemm {

/// Which of several ways to do the same is the fastest, when that is not known before; ways that
/// cannot be taken have an infinite time. `once_ns` is how long each took alone, and
/// `ns(way, times)` says how long one takes of `times` in a row. Ways take turns of about a
/// millisecond, of which the best counts. Of those within a tenth of the best one, if one
/// execution is so long that a GPU may come to its power limit, turns of 10 ms decide, in which the
/// clock falls as it does in a measurement: the first one's are left out, and the middle one of the
/// others counts. Ways of more than 10 ms take no turns. Of equals the first is taken. At least one
/// way can be taken.
template <class Time>
std::size_t fastest(const std::vector<double>& once_ns, const Time& ns) {
  constexpr double impossible = std::numeric_limits<double>::infinity();
  constexpr double short_turn_ns = 1e6, long_turn_ns = 10e6, near = 1.1;
  constexpr double may_reach_power_limit_ns = 50e3;
  constexpr int turns = 3, most = 50;
  const auto place_of_least = [](const std::vector<double>& of) {
    return static_cast<std::size_t>(std::ranges::min_element(of) - of.begin());
  };
  const auto times = [](double turn_ns, double one_ns, double at_most) {
    return static_cast<int>(std::clamp(turn_ns / one_ns, 1.0, at_most));
  };
  if (std::ranges::min(once_ns) > long_turn_ns) return place_of_least(once_ns);

  std::vector<double> best(once_ns.size(), impossible);
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t way = 0; way < best.size(); ++way)
      if (once_ns[way] < impossible)
        best[way] = std::min(best[way], ns(way, times(short_turn_ns, once_ns[way], most)));
  const double least = std::ranges::min(best);
  if (least < may_reach_power_limit_ns) return place_of_least(best);

  std::vector<double> middle(best.size(), impossible);
  std::vector<std::vector<double>> of_turns(best.size());
  for (int turn = 0; turn <= turns; ++turn)
    for (std::size_t way = 0; way < best.size(); ++way) {
      if (best[way] > near * least) continue;
      const double found = ns(way, times(long_turn_ns, best[way], 1000));
      if (turn != 0) of_turns[way].push_back(found);
    }
  for (std::size_t way = 0; way < best.size(); ++way) {
    if (of_turns[way].empty()) continue;
    std::ranges::sort(of_turns[way]);
    middle[way] = of_turns[way][turns / 2];
  }
  return place_of_least(middle);
}

}  // namespace ridgeline::gemm
