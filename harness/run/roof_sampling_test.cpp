#include "harness/run/roof_sampling.hpp"

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace roof_sampling_test {

record::Case case_of(const std::string& roof) {
  record::Case info;
  info.roof = roof;
  return info;
}

TEST(RoofSampling, ARoofGetsMoreSamplesAndTime) {
  const Sampling profile{0.01, 0.05, 10, 500, 0.2, 200e-6};
  const Sampling roof = sampling_of(profile, case_of("dram.read"));
  EXPECT_EQ(roof.target, 0.01);
  EXPECT_EQ(roof.min_samples, 20);
  EXPECT_EQ(roof.max_samples, 1000);
  EXPECT_EQ(roof.unstable, 0.05);
  EXPECT_GT(shares_of(case_of("dram.read")), 1);
}

TEST(RoofSampling, OtherCasesAreMeasuredAsTheProfileSays) {
  const Sampling profile{0.01, 0.05, 10, 500, 0.2, 200e-6};
  const Sampling plain = sampling_of(profile, case_of(""));
  EXPECT_EQ(plain.target, 0.01);
  EXPECT_EQ(plain.min_samples, 10);
  EXPECT_EQ(plain.max_samples, 500);
  EXPECT_EQ(shares_of(case_of("")), 1);
}

TEST(RoofSampling, AsksForNoMoreThanAWorkerMaySend) {
  const Sampling roof =
      sampling_of({0.01, 0.05, 600'000, 1'000'000, 0.2, 200e-6}, case_of("dram.read"));
  EXPECT_EQ(roof.min_samples, 1'000'000);
  EXPECT_EQ(roof.max_samples, 1'000'000);
}

}  // namespace roof_sampling_test
}  // namespace ridgeline::run
