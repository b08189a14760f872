#pragma once

#include <cstddef>

namespace ridgeline::stats {

/// The first of 0 to `count` - 1 for which `holds`, which once true stays true; `count` when it
/// never is. Asks about log2(count) times.
template <class Predicate>
std::size_t first_that_holds(std::size_t count, const Predicate& holds) {
  std::size_t first = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    if (holds(first + half)) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}

}  // namespace ridgeline::stats
