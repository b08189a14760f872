#include "harness/stats/exact.hpp"

#include <cmath>
#include <limits>

#include "harness/base/error.hpp"

namespace ridgeline::stats {

void check_range(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value))
      throw Error(ErrorKind::internal, "a rank test of a value that is not finite was asked for");
    if (std::abs(value) > std::numeric_limits<double>::max() / 2)
      throw Error(ErrorKind::internal, "a rank test of a value too large to be added to another was asked for");
  }
}

}  // namespace ridgeline::stats
