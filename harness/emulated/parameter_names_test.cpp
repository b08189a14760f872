#include "harness/emulated/parameter_names.hpp"

#include <string>
#include <vector>

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

TEST(ParameterNames, ReadsArraysPacksAndSpecialisations) {
  EXPECT_EQ(parameter_names("void copy (int sizes[4], T*... to)", "copy"),
            (Names{"sizes", "to..."}));
  EXPECT_EQ(parameter_names("template <> void copy<float, 2>(float* x)", "copy<float, 2>"),
            (Names{"x"}));
}

TEST(ParameterNames, AreOfTheNearestFunctionBeforeThePlace) {
  const std::string source =
      "void copy(int a) {}\nvoid copy(int b, int c) {\n  ++c;\n}\n"
      "void host() { copy<<<1, 1>>>(x); }\nvoid copy(int d) {}";
  EXPECT_EQ(parameter_names(source, "copy", source.find("++c")), (Names{"b", "c"}));
  EXPECT_EQ(parameter_names(source, "copy", source.find("host")), (Names{"b", "c"}));
  EXPECT_EQ(parameter_names(source, "copy", source.size()), (Names{"d"}));
  EXPECT_EQ(parameter_names(source, "copy"), (Names{"a"}));
}

TEST(ParameterNames, KnowsNoNamesWhereTheSourceIsAnother) {
  EXPECT_EQ(parameter_names("", "copy"), Names{});
  EXPECT_EQ(parameter_names("void move(int a)", "copy"), Names{});
  EXPECT_EQ(parameter_names("void copy(int a, ", "copy"), Names{});
  EXPECT_EQ(parameter_names("void copy()", "copy"), Names{});
}

}  // namespace parameter_names_test
}  // namespace ridgeline::emulated
