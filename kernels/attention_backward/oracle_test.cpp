#include "kernels/attention_backward/oracle.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/oracle_cache.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_device_oracle.hpp"
#include "kernels/test_inputs.hpp"
#include "kernels/test_oracle.hpp"

// The CPU's oracle by numerical differentiation, and the device's by the CPU's and by damage.

namespace ridgeline::attention_backward {
namespace oracle_test {

using kernels::Deviation;

std::vector<double> attend(const Problem& problem, const std::vector<double>& q,
                           const std::vector<double>& k, const std::vector<double>& v) {
  const std::int64_t seq = problem.seq, dim = problem.dim;
  std::vector<double> o(q.size());
  for (std::int64_t row = 0; row < problem.rows(); ++row) {
    const std::int64_t head = row / seq, kv = head / problem.group() * seq;
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t j = 0; j < seq; ++j) {
      if (problem.mask == Mask::causal && j > row % seq) break;
      double score = 0;
      for (std::int64_t e = 0; e < dim; ++e) score += q[row * dim + e] * k[(kv + j) * dim + e];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
      sum += weights.back();
    }
    for (std::size_t j = 0; j < weights.size(); ++j)
      for (std::int64_t e = 0; e < dim; ++e)
        o[row * dim + e] += weights[j] / sum * v[(kv + static_cast<std::int64_t>(j)) * dim + e];
  }
  return o;
}

TEST(Oracle, ExpectsTheDerivatives) {
  for (const Problem& problem : {Problem{1, 1, 5, 4}, Problem{2, 2, 4, 3, Mask::causal},
                                 Problem{1, 4, 3, 4, Mask::causal, DType::f32, /*kv_heads=*/2}}) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    const auto values = [&](std::int64_t count) {
      std::vector<float> made(static_cast<std::size_t>(count));
      for (float& value : made) value = normal(random);
      return made;
    };
    const std::vector<float> q = values(problem.elements()), k = values(problem.kv_elements()),
                             v = values(problem.kv_elements()), d_o = values(problem.elements());
    const Sources sources{kernels::source_of(q), kernels::source_of(k), kernels::source_of(v),
                          kernels::source_of(d_o)};
    std::vector<double> inputs[] = {
        {q.begin(), q.end()}, {k.begin(), k.end()}, {v.begin(), v.end()}};
    const auto value = [&] {  // whose derivatives these are
      const std::vector<double> o = attend(problem, inputs[0], inputs[1], inputs[2]);
      double sum = 0;
      for (std::size_t i = 0; i < o.size(); ++i) sum += o[i] * d_o[i];
      return sum;
    };
    const Expected expected = expect(problem, sources);
    const Expected::Part* const parts[] = {&expected.dq, &expected.dk, &expected.dv};
    for (int input = 0; input < 3; ++input)
      for (std::size_t i = 0; i < inputs[input].size(); ++i) {
        constexpr double step = 1e-5;
        const double before = inputs[input][i];
        inputs[input][i] = before + step;
        const double above = value();
        inputs[input][i] = before - step;
        const double below = value();
        inputs[input][i] = before;
        ASSERT_NEAR(parts[input]->values[i], (above - below) / (2 * step), 1e-8)
            << "input " << input << ", element " << i;
      }
    const Forward left = forward(problem, sources);
    const std::vector<double> o = attend(problem, inputs[0], inputs[1], inputs[2]);
    for (std::size_t i = 0; i < o.size(); ++i) EXPECT_NEAR(left.o[i], o[i], 1e-6);
  }
}

TEST(Oracle, ToleratesThatExponentialsEndWhereF32Does) {
  const Problem problem{1, 1, 2, 64, Mask::full, DType::f32};
  const auto is_tolerated_as_0 = [&](float lower) {  // gradients of a key whose scores are so low
    std::vector<float> q(128), k(128), v(128, 0.5f), d_o(128, 2.0f);
    q[0] = q[64] = 8;
    k[64] = -lower;
    v[64] = 3;
    const Expected expected = expect(problem, {kernels::source_of(q), kernels::source_of(k),
                                               kernels::source_of(v), kernels::source_of(d_o)});
    const double dv = expected.dv.values[64], dk = expected.dk.values[64];
    EXPECT_GT(dv, 0);
    EXPECT_GT(dk, 0);
    const bool tolerated = dv <= expected.dv.tolerances[1];
    EXPECT_EQ(dk <= expected.dk.tolerances[1], tolerated);
    return tolerated;
  };
  const float log_2 = std::log(2.0f);
  EXPECT_TRUE(is_tolerated_as_0(127 * log_2));
  EXPECT_FALSE(is_tolerated_as_0(110 * log_2));
}

class OracleOfADevice : public kernels::DeviceOracleTest {
 protected:
  /// What is right, rounded, in device memory: dQ, dK and dV after each other.
  struct Right {
    Right(device::Device& on, const Problem& problem, const RandomInputs& inputs)
        : places(problem), memory(on, places.size) {
      const Expected expected = expect(problem, sources_of(problem, inputs));
      std::vector<std::byte> bytes(places.size);
      const auto put = [&](const Expected::Part& part, std::size_t at) {
        const std::vector<float> values(part.values.begin(), part.values.end());
        std::ranges::copy(kernels::stored(values, problem.dtype),
                          bytes.begin() + static_cast<std::ptrdiff_t>(at));
      };
      put(expected.dq, 0), put(expected.dk, places.dk), put(expected.dv, places.dv);
      if (!bytes.empty()) on.upload(memory.data(), bytes.data(), bytes.size());
    }
    Outputs outputs() const {
      return {memory.data(), memory.data() + places.dk, memory.data() + places.dv};
    }
    OutputPlaces places;
    device::Buffer<std::byte> memory;
  };

  RandomInputs inputs{device::Distribution::uniform, 42, 1000, 200'000, 400'000, 600'000};
};

/// The rule that compares both oracles whole runs in each of these, too.
TEST(OracleCache, HasWhatAnotherProcessKept) {
  std::string folder = (std::filesystem::temp_directory_path() / "ridgeline-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  KeptFiles files(folder, 1 << 20);
  const Problem problem{1, 1, 5, 3, Mask::causal, DType::f32};
  int computed = 0;
  const auto of_process = [&](const std::string& key) {
    return kernels::OracleCache<Expected>(2, &files).get(key, [&] {
      ++computed;
      return expect(problem, sources_of(problem, {device::Distribution::uniform, 7, 0, 64, 128}));
    });
  };
  const auto first = of_process("attention_backward 7"),
             second = of_process("attention_backward 7");
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(Expected(*first).parts(), Expected(*second).parts());
  EXPECT_EQ(second->dv.values.size(), 15u);
  of_process("attention_backward 8");
  EXPECT_EQ(computed, 2);
  files.write("attention_backward 7", {});  // whole, but not of such a result
  EXPECT_EQ(Expected(*of_process("attention_backward 7")).parts(), Expected(*first).parts());
  EXPECT_EQ(computed, 3);
  std::filesystem::remove_all(folder);
}

TEST_P(OracleOfADevice, JudgesAsTheCpusDoes) {
  const bool emulated = GetParam() == device::Kind::emulated;
  for (const Problem& problem : {Problem{1, 1, 33, 64, Mask::full, DType::bf16},
                                 Problem{1, 2, 20, 64, Mask::causal, DType::f32, /*kv_heads=*/1},
                                 Problem{2, 4, 130, 128, Mask::causal, DType::bf16, /*kv_heads=*/2},
                                 Problem{1, 2, 130, 128, Mask::full, DType::f32}}) {
    if (emulated && problem.seq > 100) continue;
    const Right right(*device, problem, inputs);
    const auto judge = [&](kernels::Judge by, const kernels::Effort& effort = {}) {
      const kernels::JudgedBy judged(by);
      return deviation(*device, problem, inputs, right.outputs(), effort);
    };
    const Deviation undamaged = judge(kernels::Judge::device);
    EXPECT_TRUE(undamaged.right()) << undamaged.error << " of " << undamaged.tolerance;
    EXPECT_EQ(undamaged.checked, Checked::whole);
    EXPECT_GT(undamaged.tolerance, 0) << "of the element that is nearest to wrong";
    const kernels::Effort few{.whole = 0};
    EXPECT_TRUE(judge(kernels::Judge::device, few).right());
    EXPECT_EQ(judge(kernels::Judge::device, few).checked, Checked::sample);
    const auto size = static_cast<std::int64_t>(size_of(problem.dtype));
    for (const std::size_t at :
         {std::size_t{0}, right.places.dk,
          right.places.dv + static_cast<std::size_t>((problem.kv_elements() - 1) * size)}) {
      std::vector<std::byte> before(static_cast<std::size_t>(size)), damaged;
      device->download(before.data(), right.memory.data() + at, before.size());
      float value = 0;
      if (size == 4) {
        std::memcpy(&value, before.data(), 4);
      } else {
        std::uint16_t half = 0;
        std::memcpy(&half, before.data(), 2);
        value = from_bf16(half);
      }
      const auto put = [&](float number) {
        damaged = kernels::stored({number}, problem.dtype);
        device->upload(right.memory.data() + at, damaged.data(), damaged.size());
      };
      put(value + 0.5f);
      const Deviation own = judge(kernels::Judge::device), cpu = judge(kernels::Judge::cpu);
      EXPECT_FALSE(own.right()) << at;
      EXPECT_FALSE(judge(kernels::Judge::device, few).right()) << "first and last rows are picked";
      EXPECT_NEAR(own.error, cpu.error, 1e-9);
      EXPECT_NEAR(own.tolerance, cpu.tolerance, 0.1 * cpu.tolerance);
      put(std::numeric_limits<float>::quiet_NaN());
      EXPECT_TRUE(std::isnan(judge(kernels::Judge::device).error));
      EXPECT_TRUE(std::isnan(judge(kernels::Judge::cpu).error));
      put(value);
    }
    // Poison between the rows that are picked.
    device->upload(right.memory.data() + problem.elements() / 2 / 64 * 64 * size,
                   std::vector<std::byte>(4, std::byte{0xFF}).data(), 4);
    EXPECT_FALSE(judge(kernels::Judge::device, few).right());
  }
}

TEST_P(OracleOfADevice, MakesInputsOfEveryDistributionAgain) {
  using device::Distribution;
  const kernels::JudgedBy judged(kernels::Judge::device);
  for (const Distribution distribution :
       {Distribution::growing, Distribution::falling, Distribution::outliers}) {
    const Problem problem{1, 1, 40, 64, Mask::causal, DType::bf16};
    RandomInputs of = inputs;
    of.distribution = distribution;
    const Right right(*device, problem, of);
    EXPECT_TRUE(deviation(*device, problem, of, right.outputs()).right())
        << static_cast<int>(distribution);
    EXPECT_FALSE(deviation(*device, problem, inputs, right.outputs()).right())
        << "uniform inputs have other gradients";
  }
}

TEST_P(OracleOfADevice, GivesWhatTheCpusGives) {
  for (const Problem& problem : {Problem{1, 2, 37, 64, Mask::causal, DType::bf16, /*kv_heads=*/1},
                                 Problem{1, 1, 40, 128, Mask::full, DType::f32}}) {
    const auto given = [&](kernels::Judge by) {
      const kernels::JudgedBy judged(by);
      return give(*device, problem, inputs);
    };
    const auto own = given(kernels::Judge::device), cpu = given(kernels::Judge::cpu);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    const auto values = [&](const Given& of) {
      return kernels::download_rows(*device, of.o.data(), problem.dtype, problem.dim, rows);
    };
    const std::vector<float> own_o = values(*own), cpu_o = values(*cpu),
                             own_l = own->logarithms.download(), cpu_l = cpu->logarithms.download();
    ASSERT_EQ(own_o.size(), cpu_o.size());
    for (std::size_t i = 0; i < own_o.size(); ++i)  // a rounding may fall to the other side
      EXPECT_NEAR(own_o[i], cpu_o[i], unit_roundoff(problem.dtype) * 2 * std::fabs(cpu_o[i]));
    for (std::size_t i = 0; i < own_l.size(); ++i) EXPECT_NEAR(own_l[i], cpu_l[i], 1e-6);
  }
}

TEST_P(OracleOfADevice, OfNothingIsRight) {
  const Problem problem{1, 0, 70, 64, Mask::full, DType::bf16};
  const kernels::JudgedBy judged(kernels::Judge::device);
  EXPECT_TRUE(deviation(*device, problem, inputs, {}).right());
  EXPECT_EQ(give(*device, problem, inputs)->bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(AttentionBackward, OracleOfADevice, kernels::kinds_with_an_oracle(),
                         kernels::device_name);

}  // namespace oracle_test
}  // namespace ridgeline::attention_backward
