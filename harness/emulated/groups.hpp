#pragma once

#include <cstddef>
#include <vector>

namespace ridgeline::emulated {

/// What is under way, in the order of its start, and is waited for in groups, as cp.async, bulk
/// stores and wgmma are.
template <class Started>
struct Groups {
  std::vector<Started> under_way;
  std::vector<std::size_t> ends;  // of the groups that are committed, in under_way

  void commit() { ends.push_back(under_way.size()); }
  /// Ends all but the last `most` groups: calls `end(started)` for each of them, and forgets them.
  template <class End>
  void wait(int most, const End& end) {
    const auto ended = static_cast<std::ptrdiff_t>(ends.size()) - most;
    if (ended <= 0) return;
    const std::size_t count = ends[static_cast<std::size_t>(ended) - 1];
    for (std::size_t i = 0; i < count; ++i) end(under_way[i]);
    under_way.erase(under_way.begin(), under_way.begin() + static_cast<std::ptrdiff_t>(count));
    ends.erase(ends.begin(), ends.begin() + ended);
    for (std::size_t& each : ends) each -= count;
  }
};

}  // namespace ridgeline::emulated
