#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "kernels/rows/oracle.hpp"
#include "kernels/rows/rows.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_inputs.hpp"

// What the tests of the variants and of the oracle give to rows.
namespace ridgeline::rows {

/// HostInputs of a problem on the host: x is N(0, 1), which `change(row, column, x)` may change;
/// rstd and mean are those of the rows of x.
struct HostInputs {
  using Change = std::function<float(std::int64_t, std::int64_t, float)>;
  explicit HostInputs(const Problem& problem, const Change& change = {}) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    const auto made = [&](std::int64_t count) {
      std::vector<float> values(static_cast<std::size_t>(count));
      for (float& value : values) value = kernels::rounded(normal(random), problem.dtype);
      return values;
    };
    x = made(problem.elements()), dy = made(problem.elements());
    gamma = made(problem.cols), beta = made(problem.cols);
    for (std::int64_t row = 0; row < problem.rows; ++row) {
      double sum = 0, squares = 0;
      const auto n = static_cast<double>(problem.cols);
      for (std::int64_t col = 0; col < problem.cols; ++col) {
        float& value = x[static_cast<std::size_t>(row * problem.cols + col)];
        if (change) value = kernels::rounded(change(row, col, value), problem.dtype);
        sum += value;
        squares += static_cast<double>(value) * value;
      }
      const double middle = problem.is_layer() ? sum / n : 0;
      mean.push_back(static_cast<float>(middle));
      rstd.push_back(static_cast<float>(
          1 / std::sqrt(std::max(squares / n - middle * middle, 0.0) + epsilon)));
    }
  }
  Sources sources() const {
    return {kernels::source_of(x),    kernels::source_of(dy),   kernels::source_of(gamma),
            kernels::source_of(beta), kernels::source_of(rstd), kernels::source_of(mean)};
  }
  std::vector<float> x, dy, gamma, beta, rstd, mean;
};

}  // namespace ridgeline::rows
