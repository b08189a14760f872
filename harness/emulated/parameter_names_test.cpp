#include "harness/emulated/parameter_names.hpp"

#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace parameter_names_test {

using Names = std::vector<std::string>;

TEST(ParameterNames, ReadsTheNamesOfParameters) {
  EXPECT_EQ(
      parameter_names(
          "__global__ void __launch_bounds__(256) copy(const float* __restrict__ from, float *to,\n"
          "    Shape<int, 3> shape, int n = 3) {",
          "copy<7>"),
      (Names{"from", "to", "shape", "n"}));
  EXPECT_EQ(parameter_names("void copying(int a); void copy(int b)", "copy"), (Names{"b"}));
}

TEST(ParameterNames, KnowsNoNamesWhereTheSourceIsAnother) {
  EXPECT_EQ(parameter_names("", "copy"), Names{});
  EXPECT_EQ(parameter_names("void move(int a)", "copy"), Names{});
  EXPECT_EQ(parameter_names("void copy(int a, ", "copy"), Names{});
  EXPECT_EQ(parameter_names("void copy()", "copy"), Names{});
}

}  // namespace parameter_names_test
}  // namespace ridgeline::emulated
