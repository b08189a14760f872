#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "harness/base/dtype.hpp"
#include "kernels/oracle.hpp"
#include "kernels/test_device.hpp"

// Inputs that the tests of several families make on the host.
namespace ridgeline::kernels {

/// `count` values N(0, 1), as `dtype` stores them; with outliers one in 500 is N(0, 100), by which
/// some softmaxes become one-hot.
inline std::vector<float> normal_values(std::int64_t count, DType dtype, bool outliers,
                                        unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    const float scale = outliers && random() % 500 == 0 ? 10.0f : 1.0f;
    value = rounded(scale * normal(random), dtype);
  }
  return values;
}

/// Reads `values`, which must live as long.
inline Source source_of(const std::vector<float>& values) {
  return [&values](std::int64_t first, std::span<float> to) {
    std::copy_n(values.begin() + first, to.size(), to.begin());
  };
}

}  // namespace ridgeline::kernels
