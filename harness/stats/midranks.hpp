#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace ridgeline::stats {

/// Midranks of the values of two samples together, doubled, because they may be halves.
struct Midranks {
  std::vector<std::int64_t> doubled;   // of all values in ascending order
  std::int64_t second = 0, total = 0;  // sums over the second sample, and over both
};

/// `first` and `second` are ranges in ascending order. `compare(x, y)` orders a value of the first
/// against one of the second. No rank is above `cap`.
template <class First, class Second, class Compare>
Midranks midranks(const First& first, const Second& second, const Compare& compare,
                  std::int64_t cap = std::numeric_limits<std::int64_t>::max()) {
  Midranks ranks;
  auto i = first.begin();
  auto j = second.begin();
  const auto take_ties = [](auto& from, const auto end) {
    const auto begin = from;
    while (from != end && *from == *begin) ++from;
    return from - begin;
  };
  while (i != first.end() || j != second.end()) {
    const auto order = i == first.end()    ? std::strong_ordering::greater
                       : j == second.end() ? std::strong_ordering::less
                                           : compare(*i, *j);
    const std::int64_t tied_first = order <= 0 ? take_ties(i, first.end()) : 0,
                       tied_second = order >= 0 ? take_ties(j, second.end()) : 0,
                       tied = tied_first + tied_second;
    const auto each =
        std::min<std::int64_t>(2 * static_cast<std::int64_t>(ranks.doubled.size()) + tied + 1, cap);
    ranks.doubled.insert(ranks.doubled.end(), static_cast<std::size_t>(tied), each);
    ranks.second += each * tied_second;
    ranks.total += each * tied;
  }
  return ranks;
}

}  // namespace ridgeline::stats
