#include "harness/present/siblings.hpp"

#include <gtest/gtest.h>

namespace ridgeline::present {
namespace siblings_test {

using analysis::Sibling;
using analysis::SiblingsOfSuite;

TEST(Siblings, WhoIsSlowerIsSaidInASentence) {
  const std::vector<SiblingsOfSuite> suites{
      {"", 12, 3, {{"cuda:0", 0.98, {{0.97, 0.99}}}, {"cuda:1", 1.0204, {{1.0101, 1.0309}}}}},
      {"gemm", 6, 3, {{"cuda:0", 1, {{0.99, 1.01}}}, {"cuda:1", 1, {{0.99, 1.01}}}}}};
  EXPECT_EQ(siblings_text(suites, 100),
            "beside its siblings  cases  cuda:0                  cuda:1\n"
            "all suites              12  0.980 (0.970 to 0.990)  1.020 (1.010 to 1.031)\n"
            "gemm                     6  1.000 (0.990 to 1.010)  1.000 (0.990 to 1.010)\n"
            "cuda:1 is slower than its siblings by 2.0% (at least 1.0%).\n");
  const json::Value told = to_json(suites.front());
  EXPECT_TRUE(told.at("devices").elements()[1].at("slower").boolean());
  EXPECT_FALSE(told.at("devices").elements()[0].at("slower").boolean());
  EXPECT_EQ(told.find("suite"), nullptr);
}

TEST(Siblings, NoiseIsSaidToo) {
  std::vector<SiblingsOfSuite> suites{
      {"", 12, 3, {{"cuda:0", 1.02, {{0.97, 1.07}}}, {"cuda:1", 0.98, {{0.93, 1.03}}}}}};
  EXPECT_NE(siblings_text(suites, 100).find("No device is slower"), std::string::npos);
  for (Sibling& sibling : suites.front().devices) sibling.interval.reset();
  EXPECT_NE(siblings_text(suites, 100).find("With one process"), std::string::npos);
  const json::Value told = to_json(suites.front());
  EXPECT_EQ(told.at("devices").elements()[0].find("slower"), nullptr);
  EXPECT_EQ(siblings_text({}, 100), "");
}

}  // namespace siblings_test
}  // namespace ridgeline::present
