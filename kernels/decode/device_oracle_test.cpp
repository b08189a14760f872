#include "kernels/decode/device_oracle.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/decode/oracle.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_device_oracle.hpp"
#include "kernels/test_inputs.hpp"
#include "kernels/test_oracle.hpp"

// The device's oracle by the CPU's, and by damage.

namespace ridgeline::decode {
namespace device_oracle_test {

using kernels::Deviation;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr DType types[] = {DType::f16, DType::bf16};

class OracleOfADevice : public kernels::DeviceOracleTest {
 protected:
  static std::vector<float> right(const Problem& problem, const RandomInputs& inputs) {
    std::vector<float> o;
    for (const double value : expect_random(problem, inputs)->o)
      o.push_back(kernels::rounded(static_cast<float>(value), problem.dtype));
    return o;
  }
  Deviation judge(const Problem& problem, const RandomInputs& inputs, const std::vector<float>& o,
                  kernels::Judge by = kernels::Judge::device,
                  DeviceOracle oracle = device_oracle()) {
    const device::Buffer<std::byte> memory(*device, kernels::stored(o, problem.dtype));
    const kernels::JudgedBy judge(by);
    return deviation(*device, problem, inputs, memory.data(), oracle);
  }

  const DeviceOracle calls = device_oracle();
  RandomInputs inputs{device::Distribution::uniform, 42, 1000, 200'000, 400'000};
};

TEST_P(OracleOfADevice, ExpectsWhatTheCpusExpects) {
  for (const DType dtype : types) {
    for (const Problem& problem :
         {Problem{1, 2, 2, 1, 64}, Problem{1, 4, 1, 17, 64}, Problem{2, 4, 2, 130, 128},
          Problem{1, 1, 1, 1030, 64}}) {  // more than a stretch
      Problem of = problem;
      of.dtype = dtype;
      const std::vector<float> q = kernels::normal_values(of.elements(), dtype, true, 1),
                               k = kernels::normal_values(of.kv_elements(), dtype, true, 2),
                               v = kernels::normal_values(of.kv_elements(), dtype, true, 3);
      const Expected cpu =
          expect(of, kernels::source_of(q), kernels::source_of(k), kernels::source_of(v), 1);
      const device::Buffer<float> q_given(*device, q), k_given(*device, k), v_given(*device, v);
      Inputs given;
      given.q.given = q_given.data();
      given.k.given = k_given.data();
      given.v.given = v_given.data();
      const auto expect_same = [&](const Heads& heads) {
        const auto count = static_cast<std::size_t>(heads.count),
                   dim = static_cast<std::size_t>(of.dim);
        const device::Buffer<double> o(*device, count * dim), tolerances(*device, count);
        const device::Buffer<std::byte> scratch(*device, calls->scratch(of, heads.count));
        calls->expect(of, given, heads, roundings(dtype), scratch.data(),
                      {o.data(), tolerances.data()}, device->stream());
        device->synchronize();
        const std::vector<double> own = o.download(), tolerated = tolerances.download();
        const auto first = static_cast<std::size_t>(heads.first);
        for (std::size_t i = 0; i < own.size(); ++i) {
          EXPECT_NEAR(own[i], cpu.o[first * dim + i], 1e-12) << i << " of keys " << of.keys;
          // Sums of plain steps come in another order.
          const double tolerance = cpu.tolerances[first + i / dim];
          EXPECT_NEAR(tolerated[i / dim], tolerance, 0.05 * tolerance) << of.keys;
        }
      };
      expect_same({0, of.all_heads()});
      expect_same({of.all_heads() - 1, 1});
    }
  }
}

TEST_P(OracleOfADevice, JudgesAsTheCpusDoes) {
  for (const DType dtype : types) {
    const Problem problem{1, 4, 2, 65, 64, dtype};
    std::vector<float> o = right(problem, inputs);
    const Deviation undamaged = judge(problem, inputs, o);
    EXPECT_TRUE(undamaged.right());
    EXPECT_EQ(undamaged.checked, Checked::whole);
    for (const std::size_t at : {std::size_t{0}, o.size() / 2, o.size() - 1}) {
      const float before = o[at];
      o[at] += 0.1f;
      const Deviation own = judge(problem, inputs, o),
                      cpu = judge(problem, inputs, o, kernels::Judge::cpu);
      EXPECT_FALSE(own.right()) << at;
      EXPECT_NEAR(own.error, cpu.error, 1e-12);
      EXPECT_NEAR(own.tolerance, cpu.tolerance, 0.05 * cpu.tolerance);
      o[at] = not_a_number;
      EXPECT_TRUE(std::isnan(judge(problem, inputs, o).error));
      o[at] = before;
    }
  }
}

TEST_P(OracleOfADevice, FindsALostKeyAndAnotherHeadsCache) {
  const Problem problem{1, 2, 2, 65, 64, DType::f16};
  Problem other = problem;
  other.keys = 64;
  EXPECT_FALSE(judge(problem, inputs, right(other, inputs)).right());
  other = problem;
  other.kv_heads = 1;
  EXPECT_FALSE(judge(problem, inputs, right(other, inputs)).right());
}

TEST_P(OracleOfADevice, KnowsInputsOfZerosAndNothingOfNothing) {
  const RandomInputs zeros{device::Distribution::zeros, 42, 0, 0, 0};
  std::vector<float> o(128, 0.0f);
  EXPECT_TRUE(judge({1, 2, 1, 33, 64}, zeros, o).right());
  o[64] = 1e-30f;
  EXPECT_FALSE(judge({1, 2, 1, 33, 64}, zeros, o).right());
  EXPECT_TRUE(judge({0, 2, 1, 33, 64}, inputs, {}).right());
  EXPECT_TRUE(judge({1, 0, 0, 33, 64}, inputs, {}).right());
}

TEST_P(OracleOfADevice, IsRefusedWhenItDiffersFromTheCpus) {
  static OracleCalls other = *calls;
  other.expect = [](const Problem& problem, const Inputs& inputs, const Heads& heads,
                    const Roundings& roundings, void* scratch, const ExpectedHeads& expected,
                    device::Stream& stream) {
    Inputs shifted = inputs;
    ++shifted.k.first;
    device_oracle()->expect(problem, shifted, heads, roundings, scratch, expected, stream);
  };
  const Problem problem{1, 1, 1, 33, 64, DType::f16};
  try {
    judge(problem, inputs, right(problem, inputs), kernels::Judge::device, &other);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_NE(std::string(error.what()).find("oracle of decode/f16"), std::string::npos)
        << error.what();
  }
}

TEST_P(OracleOfADevice, ComputesTheSameInputsOnce) {
  const Problem problem{1, 2, 1, 17, 64};
  const std::vector<float> o = right(problem, inputs);
  judge(problem, inputs, o);
  const std::size_t held = kernels::Kept::of(*device).bytes();
  EXPECT_GE(held, (o.size() + 2) * sizeof(double));
  judge(problem, inputs, o);
  EXPECT_EQ(kernels::Kept::of(*device).bytes(), held);
  RandomInputs others = inputs;
  ++others.v_first;
  EXPECT_FALSE(judge(problem, others, o).right()) << "other inputs have another output";
}

TEST_P(OracleOfADevice, MakesInputsOfEveryDistributionAgain) {
  using device::Distribution;
  for (const Distribution distribution :
       {Distribution::growing, Distribution::falling, Distribution::outliers}) {
    const Problem problem{1, 2, 1, 40, 64};
    RandomInputs of = inputs;
    of.distribution = distribution;
    const std::vector<float> o = right(problem, of);
    EXPECT_TRUE(judge(problem, of, o).right()) << static_cast<int>(distribution);
    EXPECT_FALSE(judge(problem, inputs, o).right()) << "uniform inputs have another output";
  }
}

INSTANTIATE_TEST_SUITE_P(Decode, OracleOfADevice, kernels::kinds_with_an_oracle(),
                         kernels::device_name);

}  // namespace device_oracle_test
}  // namespace ridgeline::decode
