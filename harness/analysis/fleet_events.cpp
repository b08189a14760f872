#include "harness/analysis/fleet_events.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ridgeline::analysis {

std::vector<std::vector<std::size_t>> fleet_events(std::span<const std::int64_t> days) {
  std::vector<std::size_t> left(days.size());  // in no event yet, by day
  std::iota(left.begin(), left.end(), 0);
  std::ranges::sort(left, {}, [&](std::size_t i) { return std::pair(days[i], i); });
  std::vector<std::vector<std::size_t>> events;
  for (;;) {
    std::size_t best_begin = 0, best_size = 0, end = 0;
    for (std::size_t begin = 0; begin < left.size(); ++begin) {
      while (end < left.size() && days[left[end]] <= days[left[begin]] + fleet_days) ++end;
      if (end - begin <= best_size) continue;
      best_begin = begin;
      best_size = end - begin;
    }
    if (best_size < fleet_size) break;
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(best_begin);
    const auto last = first + static_cast<std::ptrdiff_t>(best_size);
    events.emplace_back(first, last);
    left.erase(first, last);
  }
  std::ranges::sort(events, {}, [&](const std::vector<std::size_t>& event) { return days[event.front()]; });
  return events;
}

}  // namespace ridgeline::analysis
