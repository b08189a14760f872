#include "kernels/gemm/measure.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/gemm/oracle.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::gemm {
namespace measure_test {

using kernels::Deviation;

/// sum + products, as tensor cores add 32 of e4m3.
float add_cut(float sum, std::span<const float, 32> products) {
  constexpr std::uint32_t exponent = 0x7F800000;
  std::uint32_t largest = std::bit_cast<std::uint32_t>(sum) & exponent;
  for (const float product : products)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(product) & exponent);
  if (largest == 0) return 0;
  const auto steps = std::bit_cast<float>(((2u * 127 + 13) << 23) - largest);  // in 1
  auto total = static_cast<std::int32_t>(sum * steps);
  for (const float product : products) total += static_cast<std::int32_t>(product * steps);
  return static_cast<float>(total) / steps;
}

/// Few rows of a product whose sums are cut, on random factors, so that many sums of each length
/// come up in a test.
class CutSums {
 public:
  explicit CutSums(std::int64_t k,
                   device::Distribution distribution = device::Distribution::uniform)
      : inputs{distribution, 5, 0, 1 << 30},
        k_(k),
        found_(kernels::test_device(device::Kind::cpu)),
        problem_{8, 96, k, DType::e4m3_fast} {
    a_ = all(source_of_a(problem_, inputs), problem_.m * k);
    for (float& value : a_) value /= scale_of(DType::e4m3);
    const std::vector<float> rows = all(source_of_b(problem_, inputs), k * problem_.n);
    b_.resize(rows.size());
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < problem_.n; ++j) b_[j * k + p] = rows[p * problem_.n + j];
  }

  /// Without `missing` products somewhere in the middle; sums of `together` are added in f32.
  CutSums& multiply(std::int64_t missing = 0, std::int64_t together = 0) {
    c.clear();
    for (std::int64_t i = 0; i < problem_.m; ++i)
      for (std::int64_t j = 0; j < problem_.n; ++j) {
        float sum = 0, part = 0, products[32];
        for (std::int64_t p = 0; p < k_; p += 32) {
          if (p >= k_ / 2 && p < k_ / 2 + missing) continue;
          for (std::int64_t q = 0; q < 32; ++q)
            products[q] = a_[i * k_ + p + q] * b_[j * k_ + p + q];
          part = add_cut(part, products);
          if (together == 0 || (p + 32) % together != 0) continue;
          sum += part;
          part = 0;
        }
        c.push_back((sum + part) * scale_of(DType::e4m3));
      }
    return *this;
  }
  Deviation judged_as(DType dtype) {
    Problem problem = problem_;
    problem.dtype = dtype;
    const device::Buffer<std::byte> memory(*found_.device, kernels::stored(c, DType::bf16));
    return deviation(*found_.device, problem, *expect_random(problem_, inputs), memory.data(),
                     inputs.distribution);
  }

  RandomInputs inputs;
  std::vector<float> c;

 private:
  static std::vector<float> all(const kernels::Source& source, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    source(0, values);
    return values;
  }
  std::int64_t k_;
  kernels::TestDevice found_;
  Problem problem_;
  std::vector<float> a_, b_;
};

// Of 768 sums; the tolerance is for 2^28, whose largest is three times as large.
TEST(Measure, HoldsForCutSumsOfAnyLength) {
  for (const std::int64_t k : {32, 512, 2048, 8192, 16384}) {
    const Deviation cut = CutSums(k).multiply().judged_as(DType::e4m3_fast);
    EXPECT_LT(cut.error, 0.5 * cut.tolerance) << k;
    if (k >= 2048) {
      EXPECT_GT(cut.error, 0.03 * cut.tolerance) << k << ": the bound means little";
    }
  }
}

TEST(Measure, HoldsForCutSumsThatAreAddedInF32) {
  for (const std::int64_t k : {128, 256, 2048, 16384}) {
    const Deviation added = CutSums(k).multiply(0, /*together=*/128).judged_as(DType::e4m3);
    EXPECT_LT(added.error, 0.5 * added.tolerance) << k;
    if (k < 2048) continue;  // the rounding to bf16 hides errors of most short sums
    EXPECT_GT(added.error, 0.02 * added.tolerance) << k << ": the bound means little";
    EXPECT_FALSE(CutSums(k).multiply(32, 128).judged_as(DType::e4m3).right()) << k;
  }
}

// The largest of 1.6 million sums on an H200, in the vendor's results and in ours.
TEST(Measure, HoldsForTheLargestErrorThatAGpuHad) {
  EXPECT_GT(measure({256, 256, 256, DType::e4m3}, device::Distribution::uniform).tolerance,
            2 * 0.000202);
}

TEST(Measure, HoldsForCutSumsOfPositiveProducts) {
  constexpr auto positive = device::Distribution::positive;
  for (const std::int64_t k : {256, 2048, 16384}) {
    CutSums sums(k, positive);
    const Deviation cut = sums.multiply().judged_as(DType::e4m3_fast);
    EXPECT_TRUE(cut.right()) << k;
    EXPECT_GT(cut.error, 0.1 * cut.tolerance) << k << ": the bound means little";
    EXPECT_LT(cut.tolerance, 0.6) << k;
    const Deviation promoted = sums.multiply(0, /*together=*/128).judged_as(DType::e4m3);
    EXPECT_TRUE(promoted.right()) << k;
    EXPECT_LT(promoted.tolerance, 0.01) << k;
  }
}

TEST(Measure, RefusesPositiveCutSumsThatShouldBeAddedInF32) {
  for (const std::int64_t k : {1024, 16384})
    EXPECT_FALSE(
        CutSums(k, device::Distribution::positive).multiply().judged_as(DType::e4m3).right())
        << k;
}

TEST(Measure, OnlyInputsOfOneSignAreAllowedWhatTensorCoresCutOff) {
  const auto tolerance = [](DType dtype, std::int64_t k, device::Distribution inputs) {
    return measure({1, 1, k, dtype}, inputs).tolerance;
  };
  for (const DType dtype :
       {DType::f32, DType::tf32, DType::f16, DType::bf16, DType::e4m3, DType::e4m3_fast}) {
    const double usual = tolerance(dtype, 65536, device::Distribution::uniform),
                 positive = tolerance(dtype, 65536, device::Distribution::positive);
    EXPECT_EQ(positive > usual, dtype != DType::f32) << to_string(dtype);
    EXPECT_EQ(tolerance(dtype, 0, device::Distribution::positive),
              tolerance(dtype, 0, device::Distribution::uniform));
  }
  // 1.5 cuts by at most 2^-23 of a sum that is half of the last one in the mean.
  EXPECT_NEAR(tolerance(DType::bf16, 4096, device::Distribution::positive) -
                  tolerance(DType::bf16, 4096, device::Distribution::uniform),
              0.75 * 4096 * 0x1p-23, 1e-6);
}

TEST(Measure, RefusesCutSumsThatLackABlockAlsoWhereTheyAreLong) {
  for (const std::int64_t k : {8192, 16384})
    EXPECT_FALSE(CutSums(k).multiply(/*missing=*/128).judged_as(DType::e4m3_fast).right()) << k;
}

TEST(Measure, RefusesCutSumsThatShouldBeAddedInF32) {
  for (const std::int64_t k : {8192, 16384}) {
    CutSums sums(k);
    EXPECT_TRUE(sums.multiply(0, /*together=*/128).judged_as(DType::e4m3).right()) << k;
    EXPECT_FALSE(sums.multiply().judged_as(DType::e4m3).right()) << k;
  }
}

TEST(Measure, RefusesCutSumsWithAnotherScale) {
  for (const std::int64_t k : {8192, 16384}) {
    CutSums sums(k);
    const std::vector<float> right = sums.multiply().c;
    for (const float factor : {e4m3_scale_a / e4m3_scale_b, 1.0f / e4m3_scale_a, 1.0625f}) {
      sums.c = right;
      for (float& value : sums.c) value *= factor;
      EXPECT_FALSE(sums.judged_as(DType::e4m3_fast).right()) << k << ", " << factor;
    }
  }
}

}  // namespace measure_test
}  // namespace ridgeline::gemm
