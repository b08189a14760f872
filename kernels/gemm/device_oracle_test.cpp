#include "kernels/gemm/device_oracle.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/gemm/oracle.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_device_oracle.hpp"
#include "kernels/test_inputs.hpp"
#include "kernels/test_oracle.hpp"

// The device's oracle by the CPU's, and by damage.

namespace ridgeline::gemm {
namespace device_oracle_test {

using kernels::Deviation;
using kernels::Worst;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

class OracleOfADevice : public kernels::DeviceOracleTest {
 protected:
  /// The right output for random inputs, as `dtype` stores it.
  static std::vector<float> right(const Problem& problem, const RandomInputs& inputs) {
    std::vector<float> c;
    for (const double value : expect_random(problem, inputs)->c)
      c.push_back(kernels::rounded(static_cast<float>(value), stored_as(problem.dtype)));
    return c;
  }
  Deviation judge(const Problem& problem, const RandomInputs& inputs, const std::vector<float>& c,
                  const kernels::Effort& effort = {}, std::string_view tested = "naive",
                  DeviceOracle oracle = device_oracle()) {
    const device::Buffer<std::byte> memory(*device, kernels::stored(c, stored_as(problem.dtype)));
    const kernels::JudgedBy own(kernels::Judge::device);
    for (const auto& named : variants())
      if (named.kind == GetParam() && named.name == tested)
        return deviation(*device, problem, named.variant, inputs, memory.data(), effort, oracle);
    throw Error(ErrorKind::internal, "no such variant");
  }

  const DeviceOracle calls = device_oracle();
};

constexpr DType types[] = {DType::f32, DType::tf32, DType::f16, DType::bf16, DType::e4m3};
constexpr std::int64_t shapes[][3] = {{0, 5, 3},    {5, 0, 3},    {5, 3, 0},    {1, 1, 1},
                                      {1, 97, 3},   {97, 1, 3},   {1, 1, 1023}, {13, 33, 65},
                                      {64, 64, 16}, {65, 63, 17}, {113, 203, 9}};

TEST_P(OracleOfADevice, ExpectsWhatTheCpusExpects) {
  for (const DType dtype : types) {
    for (const auto& [m, n, k] : shapes) {
      const Problem problem{m, n, k, dtype};
      const std::vector<float> a = kernels::normal_values(m * k, dtype, true, 1),
                               b = kernels::normal_values(k * n, dtype, true, 2);
      const Expected cpu = expect(problem, kernels::source_of(a), kernels::source_of(b), 1);
      const device::Buffer<float> a_given(*device, a), b_given(*device, b),
          magnitude(*device, cpu.c.size());
      const device::Buffer<double> c(*device, cpu.c.size());
      Inputs inputs;
      inputs.a.given = a_given.data();
      inputs.b.given = b_given.data();
      calls->expect(problem, inputs, {m}, {c.data(), magnitude.data()}, device->stream());
      device->synchronize();
      const std::vector<double> found_c = c.download();
      const std::vector<float> found_magnitude = magnitude.download();
      for (std::size_t i = 0; i < cpu.c.size(); ++i) {
        EXPECT_NEAR(found_c[i], cpu.c[i], 1e-13 * cpu.magnitude[i]) << m << " " << n << " " << k;
        EXPECT_NEAR(found_magnitude[i], cpu.magnitude[i], 1e-7 * cpu.magnitude[i]);
      }
    }
  }
}

TEST_P(OracleOfADevice, JudgesAsTheCpusDoes) {
  for (const DType dtype : types) {
    for (const auto& [m, n, k] : shapes) {
      const Problem problem{m, n, k, dtype};
      const RandomInputs inputs{device::Distribution::uniform, 42, 1000, 5000};
      std::vector<float> c = right(problem, inputs);
      const auto both = [&](double tolerated) {
        const Deviation own = judge(problem, inputs, c);
        const device::Buffer<std::byte> memory(*device, kernels::stored(c, stored_as(dtype)));
        const Deviation cpu =
            deviation(*device, problem, *expect_random(problem, inputs), memory.data());
        if (std::isfinite(cpu.error)) {  // without products, any difference is infinitely wrong
          EXPECT_NEAR(own.error, cpu.error, tolerated * cpu.error);
        }
        EXPECT_EQ(own.right(), cpu.right());
        EXPECT_EQ(own.tolerance, cpu.tolerance);
        EXPECT_EQ(own.checked, Checked::whole);
        EXPECT_EQ(cpu.checked, Checked::whole);
        return own;
      };
      EXPECT_TRUE(both(0).right());
      if (c.empty()) continue;
      for (const std::size_t at : {std::size_t{0}, c.size() / 2, c.size() - 1}) {
        const float before = c[at];
        c[at] += 2;
        EXPECT_FALSE(both(1e-6).right()) << at << " of " << m << " " << n << " " << k;
        c[at] = not_a_number;
        EXPECT_TRUE(std::isnan(judge(problem, inputs, c).error));
        c[at] = before;
      }
    }
  }
}

TEST_P(OracleOfADevice, FindsNaNAlsoBeforeALargerError) {
  const Problem problem{65, 70, 31};
  const RandomInputs inputs{device::Distribution::uniform, 42, 1000, 5000};
  std::vector<float> c = right(problem, inputs);
  c[7] = not_a_number;
  c.back() += 1e6f;
  EXPECT_TRUE(std::isnan(judge(problem, inputs, c).error));
  c[7] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(judge(problem, inputs, c).right());
}

TEST_P(OracleOfADevice, FindsAMissingProduct) {
  const Problem problem{40, 70, 128};
  const RandomInputs inputs{device::Distribution::uniform, 42, 1000, 500'000};
  std::vector<float> c = right(problem, inputs);
  const float a = device::random_uniform(42, 1000u + 39u * 128u + 5u),
              b = device::random_uniform(42, 500'000u + 5u * 70u + 69u);
  ASSERT_GT(std::fabs(a * b), 0.1f);
  c.back() -= a * b;
  EXPECT_FALSE(judge(problem, inputs, c).right());
}

TEST_P(OracleOfADevice, FindsAnUnwrittenTail) {
  const Problem problem{64, 64, 16, DType::bf16};
  const RandomInputs inputs{device::Distribution::uniform, 42, 1000, 5000};
  std::vector<float> c = right(problem, inputs);
  std::fill(c.end() - 64, c.end(), 0.0f);
  EXPECT_FALSE(judge(problem, inputs, c).right());
  std::fill(c.end() - 64, c.end(), not_a_number);
  EXPECT_FALSE(judge(problem, inputs, c).right());
}

TEST_P(OracleOfADevice, KnowsInputsOfZeros) {
  const Problem problem{17, 65, 33};
  const RandomInputs zeros{device::Distribution::zeros, 42, 0, 0};
  std::vector<float> c(std::size_t{17} * 65, 0.0f);
  EXPECT_TRUE(judge(problem, zeros, c).right());
  c[100] = 1e-30f;
  EXPECT_FALSE(judge(problem, zeros, c).right());
}

TEST_P(OracleOfADevice, IsRefusedWhenItDiffersFromTheCpus) {
  static OracleCalls other = *calls;
  other.expect = [](const Problem& problem, const Inputs& inputs, const Rows& rows,
                    const ExpectedRows& expected, device::Stream& stream) {
    Inputs shifted = inputs;
    ++shifted.b.first;
    device_oracle()->expect(problem, shifted, rows, expected, stream);
  };
  const Problem problem{65, 70, 31, DType::bf16};
  const device::Buffer<std::uint16_t> c(*device, std::size_t{65} * 70);
  const kernels::JudgedBy own(kernels::Judge::device);
  try {
    deviation(*device, problem, {}, {device::Distribution::uniform, 42, 1000, 5000}, c.data(), {},
              &other);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_NE(std::string(error.what()).find("oracle of gemm/bf16"), std::string::npos)
        << error.what();
  }
}

TEST_P(OracleOfADevice, ComputesTheSameInputsOnce) {
  const Problem problem{65, 70, 31};
  const RandomInputs inputs{device::Distribution::uniform, 42, 1000, 5000};
  const std::vector<float> c = right(problem, inputs);
  judge(problem, inputs, c);
  const std::size_t held = kernels::Kept::of(*device).bytes(),
                    expected = c.size() * (sizeof(double) + sizeof(float));
  EXPECT_GE(held, expected);
  judge(problem, inputs, c, {}, "shared_tiled");
  EXPECT_EQ(kernels::Kept::of(*device).bytes(), held);
  RandomInputs others = inputs;
  ++others.b_first;
  EXPECT_FALSE(judge(problem, others, c).right()) << "other inputs have another product";
  EXPECT_EQ(kernels::Kept::of(*device).bytes(), held + expected);
  EXPECT_TRUE(kernels::Kept::of(*device).give_back());
  EXPECT_TRUE(judge(problem, inputs, c).right());
}

/// Of problems that are too large to be compared whole: rows 0, 99 and six others are.
class ByVariant : public OracleOfADevice {
 protected:
  Deviation judge(const std::vector<float>& c, std::string_view tested = "naive",
                  DType dtype = DType::f32, DeviceOracle oracle = device_oracle()) {
    return OracleOfADevice::judge({100, 70, 64, dtype}, inputs, c, effort, tested, oracle);
  }
  /// Judges `c` where references are given what `write` writes in place of their inputs.
  Deviation judge_given(decltype(OracleCalls::write) write, const std::vector<float>& c) {
    OracleCalls& given = of_tests[write];
    given = *calls;
    given.write = write;
    return judge(c, "naive", DType::f32, &given);
  }
  inline static std::map<decltype(OracleCalls::write), OracleCalls> of_tests;
  std::vector<float> right(DType dtype = DType::f32) {
    return OracleOfADevice::right({100, 70, 64, dtype}, inputs);
  }
  RandomInputs inputs{device::Distribution::uniform, 42, 1000, 50'000};
  kernels::Effort effort{.whole = 1000, .sample = 0, .trial = 7};

  void SetUp() override {
    OracleOfADevice::SetUp();
    effort.whole = 2.0 * 7 * 7 * 7;
  }
};

TEST_P(ByVariant, AcceptsWhatIsRightForEveryType) {
  for (const DType dtype : types) {
    const Deviation found = judge(right(dtype), "naive", dtype);
    EXPECT_TRUE(found.right()) << to_string(dtype);
    EXPECT_EQ(found.checked, Checked::by_variant) << to_string(dtype);
  }
}

TEST_P(ByVariant, FindsAWrongElementInAnyRow) {
  for (const DType dtype : types) {
    std::vector<float> c = right(dtype);
    for (std::size_t row = 0; row < 100; row += 9) {
      float& element = c[row * 70 + row % 70];
      const float before = element;
      for (const float wrong : {before + 0.5f, not_a_number}) {
        element = wrong;
        EXPECT_FALSE(judge(c, "naive", dtype).right()) << row << " " << to_string(dtype);
      }
      element = before;
    }
  }
}

/// Other inputs, where they are this many.
template <std::int64_t elements>
void others(const kernels::Elements& of, std::int64_t count, float* to, device::Stream& stream) {
  kernels::Elements other = of;
  if (count == elements) ++other.seed;
  device_oracle()->write(other, count, to, stream);
}

TEST_P(ByVariant, IsASampleWhenTheReferenceIsWrong) {
  const auto wrong = others<100 * 64>;
  std::vector<float> c = right();
  const Deviation found = judge_given(wrong, c);
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.checked, Checked::sample);
  for (std::size_t row = 1; row < 99; row += 2) {
    const float before = c[row * 70];
    c[row * 70] = not_a_number;
    EXPECT_FALSE(judge_given(wrong, c).right()) << "of the row that differs most, the oracle says";
    c[row * 70] = before;
  }
}

TEST_P(ByVariant, IsASampleWhenNoReferenceIsRightAtFirst) {
  const auto wrong = others<7 * 7>;
  std::vector<float> c = right();
  const Deviation found = judge_given(wrong, c);
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.checked, Checked::sample);
  c.back() += 1;
  EXPECT_FALSE(judge_given(wrong, c).right());
  c = right();
  EXPECT_EQ(judge(c).checked, Checked::by_variant)
      << "what another oracle found of them is nothing";
}

TEST_P(ByVariant, IsASampleWhenThereIsNoMemoryForAReference) {
  const auto nothing = [](const kernels::Elements&, std::int64_t, float*, device::Stream&) {
    throw OutOfMemory("a test has no memory");
  };
  std::vector<float> c = right();
  const Deviation found = judge_given(nothing, c);
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.checked, Checked::sample);
  c.front() += 1;
  EXPECT_FALSE(judge_given(nothing, c).right());
}

TEST_P(ByVariant, IsASampleWhereItWouldTakeTooLong) {
  effort.by_variant = 2.0 * 100 * 70 * 64;
  EXPECT_EQ(judge(right()).checked, Checked::by_variant);
  effort.by_variant -= 1;
  const Deviation found = judge(right());
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.checked, Checked::sample);
}

INSTANTIATE_TEST_SUITE_P(Gemm, OracleOfADevice, kernels::kinds_with_an_oracle(),
                         kernels::device_name);
INSTANTIATE_TEST_SUITE_P(Gemm, ByVariant, kernels::kinds_with_an_oracle(), kernels::device_name);

}  // namespace device_oracle_test
}  // namespace ridgeline::gemm
