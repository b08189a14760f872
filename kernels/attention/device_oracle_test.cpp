#include "kernels/attention/device_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/attention/oracle.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_device_oracle.hpp"
#include "kernels/test_inputs.hpp"
#include "kernels/test_oracle.hpp"

// The device's oracle by the CPU's, and by damage.

namespace ridgeline::attention {
namespace device_oracle_test {

using kernels::Deviation;

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr DType types[] = {DType::f32, DType::f16, DType::bf16};

class OracleOfADevice : public kernels::DeviceOracleTest {
 protected:
  static std::vector<float> right(const Problem& problem, const RandomInputs& inputs) {
    std::vector<float> o;
    for (const double value : expect_random(problem, inputs)->o)
      o.push_back(kernels::rounded(static_cast<float>(value), problem.dtype));
    return o;
  }
  Deviation judge(const Problem& problem, const RandomInputs& inputs, const std::vector<float>& o,
                  kernels::Judge by = kernels::Judge::device, const kernels::Effort& effort = {},
                  DeviceOracle oracle = device_oracle()) {
    const device::Buffer<std::byte> memory(*device, kernels::stored(o, problem.dtype));
    const kernels::JudgedBy judge(by);
    for (const auto& named : variants())
      if (named.kind == GetParam() && named.name == "flash")
        return deviation(*device, problem, named.variant, inputs, memory.data(), effort, oracle);
    throw Error(ErrorKind::internal, "no such variant");
  }
  /// All rows at once, or picked ones of one head.
  Expected expected(const Problem& problem, const Inputs& inputs, const Queries& queries) {
    const auto rows = static_cast<std::size_t>(queries.rows());
    const device::Buffer<double> o(*device, rows * static_cast<std::size_t>(problem.dim)),
        tolerances(*device, rows);
    const device::Buffer<std::byte> scratch(*device, calls->scratch(problem, queries.rows()));
    calls->expect(problem, inputs, queries, roundings(problem.dtype), scratch.data(),
                  {o.data(), tolerances.data()}, device->stream());
    device->synchronize();
    return {{}, o.download(), tolerances.download()};
  }

  const DeviceOracle calls = device_oracle();
  RandomInputs inputs{device::Distribution::uniform, 42, 1000, 200'000, 400'000};
};

TEST_P(OracleOfADevice, ExpectsWhatTheCpusExpects) {
  for (const DType dtype : types) {
    for (const Problem& problem :
         {Problem{1, 2, 1, 64}, Problem{1, 1, 17, 64}, Problem{2, 1, 65, 64, Mask::causal},
          Problem{1, 1, 65, 128}, Problem{1, 1, 70, 8, Mask::causal},
          Problem{2, 4, 33, 64, Mask::causal, DType::f32, /*kv_heads=*/2}}) {
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
      // Tolerances hold twice the error of plain f32 steps, whose sums come in another order here:
      // of n terms, an error of about sqrt(n) roundings of the largest value (Higham and Mary, A
      // New Approach to Probabilistic Rounding Error Analysis, 2019). Weights add up to 1.
      const float largest = std::ranges::max(v, {}, [](float x) { return std::abs(x); });
      const double another_order = 2 * std::sqrt(static_cast<double>(of.seq)) *
                                   std::abs(static_cast<double>(largest)) * std::ldexp(1, -24);
      const auto expect_same = [&](const Expected& own, std::size_t first) {
        for (std::size_t i = 0; i < own.o.size(); ++i) {
          const std::size_t row = first + i / static_cast<std::size_t>(of.dim);
          const double tolerance = cpu.tolerances[row];
          EXPECT_NEAR(own.o[i], cpu.o[first * static_cast<std::size_t>(of.dim) + i], 1e-12)
              << "row " << row << " of seq " << of.seq;
          EXPECT_NEAR(own.tolerances[i / static_cast<std::size_t>(of.dim)], tolerance,
                      0.05 * tolerance + another_order)
              << "row " << row << " of seq " << of.seq << " " << ridgeline::to_string(dtype);
        }
      };
      expect_same(expected(of, given, {0, of.all_heads(), 0, of.seq}), 0);
      if (of.seq < 17) continue;
      expect_same(expected(of, given, {0, 1, 3, 9}), 3);
      const std::vector<std::int64_t> last{of.seq - 1};
      const device::Buffer<std::int64_t> picked(*device, last);
      expect_same(expected(of, given, {of.all_heads() - 1, 1, 0, 1, picked.data()}),
                  static_cast<std::size_t>(of.all_heads() * of.seq - 1));
    }
  }
}

TEST_P(OracleOfADevice, JudgesAsTheCpusDoes) {
  for (const DType dtype : types) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      const Problem problem{1, 2, 65, 64, mask, dtype};
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
}

TEST_P(OracleOfADevice, FindsNaNAlsoBeforeALargerError) {
  const Problem problem{1, 1, 33, 64};
  std::vector<float> o = right(problem, inputs);
  o[3] = not_a_number;
  o.back() += 1e6f;
  EXPECT_TRUE(std::isnan(judge(problem, inputs, o).error));
}

TEST_P(OracleOfADevice, FindsAnotherMaskAndAnUnwrittenTail) {
  Problem problem{1, 1, 65, 64, Mask::causal, DType::f16};
  std::vector<float> o = right(problem, inputs);
  problem.mask = Mask::full;
  EXPECT_FALSE(judge(problem, inputs, o).right());
  problem.mask = Mask::causal;
  std::fill(o.end() - 64, o.end(), 0.0f);
  EXPECT_FALSE(judge(problem, inputs, o).right());
  std::fill(o.end() - 64, o.end(), not_a_number);
  EXPECT_FALSE(judge(problem, inputs, o).right());
}

TEST_P(OracleOfADevice, KnowsInputsOfZerosAndNothingOfNothing) {
  const RandomInputs zeros{device::Distribution::zeros, 42, 0, 0, 0};
  std::vector<float> o(std::size_t{33} * 64, 0.0f);
  EXPECT_TRUE(judge({1, 1, 33, 64}, zeros, o).right());
  o[64] = 1e-30f;
  EXPECT_FALSE(judge({1, 1, 33, 64}, zeros, o).right());
  for (const Problem& problem :
       {Problem{1, 0, 33, 64}, Problem{0, 2, 33, 64}, Problem{1, 2, 0, 64}})
    EXPECT_TRUE(judge(problem, inputs, {}).right());
}

TEST_P(OracleOfADevice, IsRefusedWhenItDiffersFromTheCpus) {
  static OracleCalls other = *calls;
  other.expect = [](const Problem& problem, const Inputs& inputs, const Queries& queries,
                    const Roundings& roundings, void* scratch, const ExpectedRows& expected,
                    device::Stream& stream) {
    Inputs shifted = inputs;
    ++shifted.k.first;
    device_oracle()->expect(problem, shifted, queries, roundings, scratch, expected, stream);
  };
  const Problem problem{1, 1, 33, 64, Mask::full, DType::f16};
  const device::Buffer<std::uint16_t> o(*device, std::size_t{33} * 64);
  const kernels::JudgedBy own(kernels::Judge::device);
  try {
    deviation(*device, problem, {}, inputs, o.data(), {}, &other);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_NE(std::string(error.what()).find("oracle of attention/f16"), std::string::npos)
        << error.what();
  }
}

TEST_P(OracleOfADevice, IsJudgedForEachMask) {
  static OracleCalls other = *calls;
  other.expect = [](const Problem& problem, const Inputs& inputs, const Queries& queries,
                    const Roundings& roundings, void* scratch, const ExpectedRows& expected,
                    device::Stream& stream) {
    Inputs shifted = inputs;
    if (problem.mask == Mask::causal) ++shifted.k.first;
    device_oracle()->expect(problem, shifted, queries, roundings, scratch, expected, stream);
  };
  const auto judged = [&](Mask mask) {
    const Problem problem{1, 1, 33, 64, mask};
    return judge(problem, inputs, right(problem, inputs), kernels::Judge::device, {}, &other);
  };
  EXPECT_TRUE(judged(Mask::full).right());
  EXPECT_THROW(judged(Mask::causal), Error);
}

TEST_P(OracleOfADevice, ComputesTheSameInputsOnce) {
  const Problem problem{1, 1, 17, 64};
  const std::vector<float> o = right(problem, inputs);
  judge(problem, inputs, o);
  const std::size_t held = kernels::Kept::of(*device).bytes(),
                    expected = (o.size() + 17) * sizeof(double);
  EXPECT_GE(held, expected);
  judge(problem, inputs, o);
  EXPECT_EQ(kernels::Kept::of(*device).bytes(), held);
  RandomInputs others = inputs;
  ++others.v_first;
  EXPECT_FALSE(judge(problem, others, o).right()) << "other inputs have another output";
  EXPECT_EQ(kernels::Kept::of(*device).bytes(), held + expected);
}

TEST_P(OracleOfADevice, MakesInputsOfEveryDistributionAgain) {
  using device::Distribution;
  for (const Distribution distribution :
       {Distribution::growing, Distribution::falling, Distribution::outliers}) {
    const Problem problem{1, 1, 40, 64, Mask::causal, DType::bf16};
    RandomInputs of = inputs;
    of.distribution = distribution;
    std::vector<float> o = right(problem, of);
    EXPECT_TRUE(judge(problem, of, o).right()) << static_cast<int>(distribution);
    EXPECT_FALSE(judge(problem, inputs, o).right()) << "uniform inputs have another output";
  }
}

TEST_P(OracleOfADevice, ToleratesOfAReferenceWhatMayBe) {
  for (const DType dtype : types) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      const Problem problem{1, 1, 150, 64, mask, dtype};
      const auto elements = [&](std::uint64_t first) {
        return kernels::random_elements(dtype, inputs.distribution, inputs.seed, first);
      };
      const Inputs on_device{elements(inputs.q_first), elements(inputs.k_first),
                             elements(inputs.v_first)};
      const Queries all{0, 1, 0, problem.seq};
      const Expected of = expected(problem, on_device, all);
      const device::Buffer<float> reference(*device, std::vector<float>(of.o.begin(), of.o.end()));
      const device::Buffer<RowSensitivity> rows(*device, 150);
      const device::Buffer<double> largest(*device, 1), tolerances(*device, 150);
      const device::Buffer<std::byte> scratch(*device, calls->scratch(problem, 150));
      calls->sensitivity(problem, on_device, all, scratch.data(), rows.data(), device->stream());
      calls->tolerances(problem, on_device, rows.data(), roundings(dtype), reference.data(),
                        largest.data(), tolerances.data(), device->stream());
      device->synchronize();
      const std::vector<double> found = tolerances.download();
      for (std::size_t row = 0; row < 150; ++row) {
        const double ratio = found[row] / of.tolerances[row];
        // Plain steps, whose error is in the oracle's tolerance, are not in a reference's.
        EXPECT_GT(ratio, 0.75) << row << " " << ridgeline::to_string(dtype);
        EXPECT_LT(ratio, dtype == DType::f32 ? 16 : 4) << row << " " << ridgeline::to_string(dtype);
      }
    }
  }
}

/// Of problems that are too large to be compared whole: four rows of each head are.
class ByVariant : public OracleOfADevice {
 protected:
  /// Judges `o` where references are given what `write` writes in place of their inputs.
  Deviation judge_given(decltype(OracleCalls::write) write, const Problem& problem,
                        const std::vector<float>& o) {
    OracleCalls& given = of_tests[write];
    given = *calls;
    given.write = write;
    return judge(problem, inputs, o, kernels::Judge::device, effort, &given);
  }
  inline static std::map<decltype(OracleCalls::write), OracleCalls> of_tests;
  kernels::Effort effort{.whole = 4.0 * 2 * 9 * 9 * 128, .sample = 0, .trial = 9};
};

TEST_P(ByVariant, FindsAWrongElementInAnyRow) {
  for (const DType dtype : types) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      const Problem problem{1, 2, 40, 64, mask, dtype};
      const auto by_variant = [&](const std::vector<float>& o) {
        return judge(problem, inputs, o, kernels::Judge::device, effort);
      };
      std::vector<float> o = right(problem, inputs);
      const Deviation undamaged = by_variant(o);
      EXPECT_TRUE(undamaged.right());
      EXPECT_EQ(undamaged.checked, Checked::by_variant);
      for (std::size_t row = 1; row < 80; row += 13) {
        float& element = o[row * 64 + row % 64];
        const float before = element;
        for (const float wrong : {before + 0.1f, not_a_number}) {
          element = wrong;
          EXPECT_FALSE(by_variant(o).right())
              << row << " " << ridgeline::to_string(dtype) << " " << to_string(mask);
        }
        element = before;
      }
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
  const auto wrong = others<2 * 40 * 64>;
  const Problem problem{1, 2, 40, 64};
  std::vector<float> o = right(problem, inputs);
  const Deviation found = judge_given(wrong, problem, o);
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.checked, Checked::sample);
  for (std::size_t row = 1; row < 80; row += 13) {
    const float before = o[row * 64];
    o[row * 64] = not_a_number;
    EXPECT_FALSE(judge_given(wrong, problem, o).right())
        << "of the row that differs most, the oracle says";
    o[row * 64] = before;
  }
}

TEST_P(ByVariant, IsASampleWhenThereIsNoMemoryForAReference) {
  const auto nothing = [](const kernels::Elements&, std::int64_t, float*, device::Stream&) {
    throw OutOfMemory("a test has no memory");
  };
  const Problem problem{1, 2, 40, 64};
  std::vector<float> o = right(problem, inputs);
  const Deviation found = judge_given(nothing, problem, o);
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.checked, Checked::sample);
  o.front() += 0.1f;
  EXPECT_FALSE(judge_given(nothing, problem, o).right());
}

TEST_P(ByVariant, TriesReferencesOnHeadsAndMasksLikeThese) {
  const auto wrong = others<2 * 9 * 64>;  // the small problem with heads of 64
  const auto checked = [&](std::int64_t dim) {
    const Problem problem{1, 2, 40, dim};
    const Deviation found = judge_given(wrong, problem, right(problem, inputs));
    EXPECT_TRUE(found.right()) << dim;
    return found.checked;
  };
  EXPECT_EQ(checked(64), Checked::sample);
  EXPECT_EQ(checked(128), Checked::by_variant);
  EXPECT_EQ(checked(64), Checked::sample);
}

TEST_P(ByVariant, IsASampleWhereItWouldTakeTooLong) {
  const Problem problem{1, 2, 40, 64, Mask::causal};
  const std::vector<float> o = right(problem, inputs);
  const auto found = [&] { return judge(problem, inputs, o, kernels::Judge::device, effort); };
  effort.by_variant = problem.flops();
  EXPECT_EQ(found().checked, Checked::by_variant);
  effort.by_variant -= 1;
  EXPECT_TRUE(found().right());
  EXPECT_EQ(found().checked, Checked::sample);
}

TEST(Effort, IsEnoughForTheSizesThatANightWatches) {
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const std::int64_t dim : {64, 128})
      EXPECT_LE((Problem{1, 16, 16384, dim, mask}.flops()), default_effort.by_variant);
}

INSTANTIATE_TEST_SUITE_P(Attention, OracleOfADevice, kernels::kinds_with_an_oracle(),
                         kernels::device_name);
INSTANTIATE_TEST_SUITE_P(Attention, ByVariant, kernels::kinds_with_an_oracle(),
                         kernels::device_name);

}  // namespace device_oracle_test
}  // namespace ridgeline::attention
