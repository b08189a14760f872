#include "kernels/rows/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/rows/host_inputs.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::rows {
namespace oracle_test {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();

/// The checker itself, on a right output that is then damaged.
class Checker : public testing::TestWithParam<Problem> {
 protected:
  Checker() : found(kernels::test_device(device::Kind::cpu)), problem(GetParam()), inputs(problem) {
    expected = expect(problem, inputs.sources(), 1);
    for (const double value : expected.out) out.push_back(static_cast<float>(value));
    for (const double value : expected.side) side.push_back(static_cast<float>(value));
  }
  bool right() const { return right(expected); }
  bool right(const Expected& against) const {
    const std::vector<std::byte> rows = kernels::stored(out, problem.dtype);
    device::Buffer<std::byte> memory(*found.device,
                                     static_cast<std::size_t>(problem.output_bytes()));
    memory.poison();
    found.device->upload(memory.data(), rows.data(), rows.size());
    const auto length = static_cast<std::size_t>(problem.side_length());
    for (int number = 0; number < problem.sides(); ++number)
      found.device->upload(
          memory.data() + problem.side_offset() + number * problem.side_stride() * 4,
          side.data() + length * static_cast<std::size_t>(number), length * sizeof(float));
    return deviation(*found.device, problem, against, memory.data()).right();
  }
  kernels::TestDevice found;
  Problem problem;
  HostInputs inputs;
  Expected expected;
  std::vector<float> out, side;
};

TEST_P(Checker, AcceptsWhatIsRight) { EXPECT_TRUE(right()); }
TEST_P(Checker, RejectsNaN) {
  out[3] = not_a_number;
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsOneWrongElement) {
  out.back() += 0.05f + 0.05f * std::fabs(out.back());
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsAnUnwrittenTail) {
  std::fill(out.end() - 8, out.end(), not_a_number);
  EXPECT_FALSE(right());
}
TEST_P(Checker, RejectsAWrongSide) {
  for (std::size_t i = 0; i < side.size(); i += side.size() / 4) {
    const float before = side[i];
    side[i] += 1e-3f + 1e-3f * std::fabs(before);
    EXPECT_FALSE(right()) << i;
    side[i] = not_a_number;
    EXPECT_FALSE(right()) << i;
    side[i] = before;
  }
}
TEST_P(Checker, RejectsOtherInputs) {
  for (float& x : inputs.x) x = -x;
  EXPECT_FALSE(right(expect(problem, inputs.sources(), 1)));
}

INSTANTIATE_TEST_SUITE_P(Rows, Checker,
                         testing::Values(Problem{Operation::softmax, 7, 129, DType::f32},
                                         Problem{Operation::softmax, 5, 40, DType::bf16},
                                         Problem{Operation::rms_norm, 5, 129, DType::bf16},
                                         Problem{Operation::layer_norm, 7, 256, DType::f32},
                                         Problem{Operation::rms_norm_backward, 9, 129, DType::f32},
                                         Problem{Operation::layer_norm_backward, 12, 64,
                                                 DType::bf16}));

/// A LayerNorm that takes the variance as `variance(x)` does, in f32, is right or not.
bool is_right(float offset, const std::function<float(const std::vector<float>&)>& variance) {
  const Problem problem{Operation::layer_norm, 1, 64, DType::f32};
  const HostInputs inputs(problem, [=](std::int64_t, std::int64_t, float x) { return x + offset; });
  const kernels::TestDevice found = kernels::test_device(device::Kind::cpu);
  device::Buffer<std::byte> memory(*found.device, static_cast<std::size_t>(problem.output_bytes()));
  const auto out = reinterpret_cast<float*>(memory.data());
  float mean = 0;
  for (const float x : inputs.x) mean += x / 64;
  const Operands operands{.out = out};
  const float rstd = 1 / std::sqrt(variance(inputs.x) + static_cast<float>(epsilon));
  *operands.side(problem, 0) = rstd;
  *operands.side(problem, 1) = mean;
  for (std::size_t i = 0; i < 64; ++i)
    out[i] = (inputs.x[i] - mean) * rstd * inputs.gamma[i] + inputs.beta[i];
  return deviation(*found.device, problem, expect(problem, inputs.sources(), 1), out).right();
}

float mean_of(const std::vector<float>& values) {
  float sum = 0;
  for (const float value : values) sum += value;
  return sum / static_cast<float>(values.size());
}
float about_mean(const std::vector<float>& x) {
  std::vector<float> squares;
  for (const float value : x) squares.push_back((value - mean_of(x)) * (value - mean_of(x)));
  return mean_of(squares);
}
float squares_less_square(const std::vector<float>& x) {
  std::vector<float> squares;
  for (const float value : x) squares.push_back(value * value);
  return std::max(mean_of(squares) - mean_of(x) * mean_of(x), 0.0f);
}

TEST(CheckerOfVariance, RejectsADifferenceOfSquaresFarFromZero) {
  EXPECT_TRUE(is_right(0, about_mean));
  EXPECT_TRUE(is_right(0, squares_less_square)) << "there it is good enough";
  EXPECT_TRUE(is_right(1e4f, about_mean));
  EXPECT_FALSE(is_right(1e4f, squares_less_square));
}

TEST(Oracle, KnowsWhatSoftmaxIs) {
  const Problem problem{Operation::softmax, 3, 50};
  const HostInputs inputs(problem, [](std::int64_t row, std::int64_t col, float x) {
    return row == 1 || (row == 2 && col > 3) ? -infinity : x;
  });
  const Expected expected = expect(problem, inputs.sources(), 1);
  for (const std::size_t row : {0, 1, 2}) {
    double sum = 0;
    for (std::size_t col = 0; col < 50; ++col) sum += expected.out[row * 50 + col];
    EXPECT_NEAR(sum, row == 1 ? 0 : 1, 1e-12);
  }
  EXPECT_NEAR(expected.out[1] / expected.out[0],
              std::exp(static_cast<double>(inputs.x[1]) - inputs.x[0]), 1e-12);
  EXPECT_EQ(expected.out[2 * 50 + 4], 0);
}

/// Backward is the derivative of forward: the sum of dy out changes by dx, dgamma and dbeta when x,
/// gamma or beta change a little.
TEST(Oracle, KnowsWhatBackwardIs) {
  for (const bool layer : {false, true}) {
    const Problem back{layer ? Operation::layer_norm_backward : Operation::rms_norm_backward, 3,
                       20},
        ahead{layer ? Operation::layer_norm : Operation::rms_norm, 3, 20};
    HostInputs inputs(back);
    const Expected gradients = expect(back, inputs.sources(), 1);
    const auto loss = [&] {
      const Expected expected = expect(ahead, inputs.sources(), 1);
      double sum = 0;
      for (std::size_t i = 0; i < expected.out.size(); ++i) sum += inputs.dy[i] * expected.out[i];
      return sum;
    };
    const auto slope = [&](float& value) {
      const float before = value;
      value = before + 0x1p-10f;
      const double above = loss(), at_above = value;
      value = before - 0x1p-10f;
      const double below = loss(), at_below = value;
      value = before;
      return (above - below) / (at_above - at_below);
    };
    for (const std::size_t i : {0, 7, 33, 59}) {
      EXPECT_NEAR(slope(inputs.x[i]), gradients.out[i], 1e-4) << i;
      const std::size_t col = i % 20;
      EXPECT_NEAR(slope(inputs.gamma[col]), gradients.side[col], 1e-4);
      if (!layer) continue;
      EXPECT_NEAR(slope(inputs.beta[col]), gradients.side[20 + col], 1e-4);
    }
  }
}

TEST(Oracle, SamplesFewRowsAndColumnsOfALargeProblem) {
  const auto ones = [](std::int64_t, std::span<float> to) { std::ranges::fill(to, 1.0f); };
  const Expected expected = expect({Operation::rms_norm_backward, 1 << 17, 1 << 16},
                                   {ones, ones, ones, ones, ones, ones}, 1);
  EXPECT_EQ(expected.rows.size(), 16u);
  EXPECT_EQ(expected.places.size(), 16u);
  EXPECT_EQ(expected.places.back(), (1 << 16) - 1);
  EXPECT_DOUBLE_EQ(expected.side.front(), 1 << 17);
}

}  // namespace oracle_test
}  // namespace ridgeline::rows
