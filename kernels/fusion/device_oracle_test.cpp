#include "kernels/fusion/device_oracle.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/fusion/oracle.hpp"
#include "kernels/judging.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_device_oracle.hpp"
#include "kernels/test_oracle.hpp"

// The device's oracle by the CPU's, and by damage.

namespace ridgeline::fusion {
namespace device_oracle_test {

using kernels::Deviation;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr DType types[] = {DType::f32, DType::f16, DType::bf16};

class OracleOfADevice : public kernels::DeviceOracleTest {
 protected:
  static std::vector<float> right(const Problem& problem, const RandomInputs& inputs) {
    std::vector<float> out;
    for (const double value : expect_random(problem, inputs, Stored::all)->out)
      out.push_back(kernels::rounded(static_cast<float>(value), problem.dtype));
    return out;
  }
  Deviation judge(const Problem& problem, const RandomInputs& inputs, const std::vector<float>& out,
                  kernels::Judge by = kernels::Judge::device) {
    const device::Buffer<std::byte> memory(*device, kernels::stored(out, problem.dtype));
    const kernels::JudgedBy judge(by);
    return deviation(*device, problem, inputs, Stored::all, memory.data());
  }

  RandomInputs inputs{device::Distribution::uniform, 42, 100, 20'000, 40'000, 60'000, 80'000, 7};
};

TEST_P(OracleOfADevice, ExpectsWhatTheCpusExpects) {
  for (const DType dtype : types) {
    for (const auto& [rows, cols] :
         {std::pair{1, 1}, {3, 2}, {7, 3}, {4, 97}, {3, 256}, {2, 257}}) {
      for (const Stored stored : {Stored::none, Stored::residual, Stored::all}) {
        const Problem problem{rows, cols, dtype};
        const Expected cpu = expect(problem, sources_of(problem, inputs), stored, 1);
        const auto elements = [&](std::uint64_t first) {
          return kernels::random_elements(dtype, inputs.distribution, inputs.seed, first);
        };
        const device::Buffer<std::int64_t> picked(*device, cpu.rows);
        const device::Buffer<double> out(*device, cpu.out.size()),
            tolerances(*device, cpu.out.size());
        device_oracle()->expect(
            problem,
            {elements(inputs.x), elements(inputs.bias), elements(inputs.residual),
             elements(inputs.gamma), elements(inputs.beta), inputs.mask_seed},
            roundings(dtype, stored), {rows, picked.data(), out.data(), tolerances.data()},
            device->stream());
        device->synchronize();
        const std::vector<double> found_out = out.download(),
                                  found_tolerances = tolerances.download();
        for (std::size_t i = 0; i < cpu.out.size(); ++i) {
          EXPECT_NEAR(found_out[i], cpu.out[i], 1e-11) << rows << " x " << cols;
          EXPECT_NEAR(found_tolerances[i], cpu.tolerance[i], 1e-9 * cpu.tolerance[i]);
        }
      }
    }
  }
}

TEST_P(OracleOfADevice, JudgesAsTheCpusDoes) {
  for (const DType dtype : types) {
    for (const auto& [rows, cols] : {std::pair{1, 8}, {5, 4}, {3, 33}, {2, 257}, {33, 40}}) {
      const Problem problem{rows, cols, dtype};
      std::vector<float> out = right(problem, inputs);
      const Deviation undamaged = judge(problem, inputs, out);
      EXPECT_TRUE(undamaged.right());
      EXPECT_EQ(undamaged.checked, Checked::whole);
      for (const std::size_t at : {std::size_t{0}, out.size() / 2, out.size() - 1}) {
        const float before = out[at];
        out[at] += 0.25f;
        const Deviation own = judge(problem, inputs, out),
                        cpu = judge(problem, inputs, out, kernels::Judge::cpu);
        EXPECT_FALSE(own.right()) << at << " of " << rows << " x " << cols;
        EXPECT_NEAR(own.error, cpu.error, 1e-9);
        EXPECT_NEAR(own.tolerance, cpu.tolerance, 1e-9 * cpu.tolerance);
        out[at] = not_a_number;
        EXPECT_TRUE(std::isnan(judge(problem, inputs, out).error));
        out[at] = before;
      }
    }
  }
}

TEST_P(OracleOfADevice, LooksAtEveryRow) {
  const Problem problem{700, 3};  // more rows than blocks
  std::vector<float> out = right(problem, inputs);
  EXPECT_TRUE(judge(problem, inputs, out).right());
  for (const std::size_t row : {511, 512, 699}) {
    out[row * 3 + 1] += 0.25f;
    EXPECT_FALSE(judge(problem, inputs, out).right()) << row;
    out[row * 3 + 1] -= 0.25f;
  }
}

TEST_P(OracleOfADevice, FindsNaNAlsoBeforeALargerError) {
  const Problem problem{7, 129};
  std::vector<float> out = right(problem, inputs);
  out[3] = not_a_number;
  out.back() += 1e6f;
  EXPECT_TRUE(std::isnan(judge(problem, inputs, out).error));
}

TEST_P(OracleOfADevice, FindsAnotherMaskAndAnUnwrittenTail) {
  const Problem problem{7, 129, DType::bf16};
  std::vector<float> out = right(problem, inputs);
  RandomInputs others = inputs;
  ++others.mask_seed;
  EXPECT_FALSE(judge(problem, others, out).right());
  std::fill(out.end() - 8, out.end(), not_a_number);
  EXPECT_FALSE(judge(problem, inputs, out).right());
}

TEST_P(OracleOfADevice, IsRefusedWhenItDiffersFromTheCpus) {
  static OracleCalls other = *device_oracle();
  other.expect = [](const Problem& problem, const Inputs& inputs, const Roundings& roundings,
                    const ExpectedRows& expected, device::Stream& stream) {
    Inputs shifted = inputs;
    ++shifted.mask_seed;
    device_oracle()->expect(problem, shifted, roundings, expected, stream);
  };
  const Problem problem{7, 129, DType::f32};
  const device::Buffer<float> out(*device, std::size_t{7} * 129);
  const kernels::JudgedBy own(kernels::Judge::device);
  try {
    deviation(*device, problem, inputs, Stored::none, out.data(), &other);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_NE(std::string(error.what()).find("oracle of fusion/f32"), std::string::npos)
        << error.what();
  }
}

TEST_P(OracleOfADevice, IsJudgedForEachToleranceThatItComputes) {
  static OracleCalls other = *device_oracle();
  other.expect = [](const Problem& problem, const Inputs& inputs, const Roundings& roundings,
                    const ExpectedRows& expected, device::Stream& stream) {
    Roundings forgotten = roundings;
    forgotten.before = 0;
    device_oracle()->expect(problem, inputs, forgotten, expected, stream);
  };
  const Problem problem{7, 129, DType::bf16};
  const std::vector<float> out = right(problem, inputs);
  const device::Buffer<std::byte> memory(*device, kernels::stored(out, problem.dtype));
  const kernels::JudgedBy own(kernels::Judge::device);
  const auto judged = [&](Stored stored) {
    return deviation(*device, problem, inputs, stored, memory.data(), &other);
  };
  EXPECT_TRUE(judged(Stored::residual).right());
  EXPECT_THROW(judged(Stored::all), Error);
}

TEST_P(OracleOfADevice, KnowsNothingOfNothing) {
  for (const Problem& problem : {Problem{0, 0}, Problem{0, 8}, Problem{5, 0}})
    EXPECT_TRUE(judge(problem, inputs, {}).right());
}

INSTANTIATE_TEST_SUITE_P(Fusion, OracleOfADevice, kernels::kinds_with_an_oracle(),
                         kernels::device_name);

}  // namespace device_oracle_test
}  // namespace ridgeline::fusion
