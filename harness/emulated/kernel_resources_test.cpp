#include "harness/emulated/kernel_resources.hpp"

#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace kernel_resources_test {

constexpr BuiltKernel table[] = {
    {"kernels/a/one.cu", "a::turn", "sm_80", {.registers = 20}},
    {"kernels/a/one.cu", "a::turn", "sm_90a", {.registers = 24}},
    {"kernels/a/two.cu", "a::turn", "sm_80", {.registers = 30, .static_shared_bytes = 4096}},
    {"kernels/a/two.cu", "a::turn", "sm_90a", {.registers = 24}},
    {"kernels/a/sum.cu", "a::sum<float, 4>", "sm_80", {.registers = 40, .spilled_bytes = 8}},
};

TEST(KernelResources, AreOfTheKernelOnItsCapability) {
  EXPECT_EQ(resources_of(table, "a::sum<float, 4>", "", 80)->registers, 40);
  EXPECT_EQ(resources_of(table, "a::sum<float, 4>", "", 80)->spilled_bytes, 8u);
  EXPECT_FALSE(resources_of(table, "a::sum<float, 4>", "", 90));
  EXPECT_FALSE(resources_of(table, "a::sum<float, 4>", "", 0));
  EXPECT_FALSE(resources_of(table, "a::sum<float, 8>", "kernels/a/sum.cu", 80));
  EXPECT_FALSE(resources_of({}, "a::turn", "kernels/a/one.cu", 80));
}

TEST(KernelResources, OfKernelsWithOneNameNeedTheFileWhereTheyDiffer) {
  EXPECT_EQ(resources_of(table, "a::turn", "kernels/a/one.cu", 80)->registers, 20);
  EXPECT_EQ(resources_of(table, "a::turn", "kernels/a/two.cu", 80)->registers, 30);
  EXPECT_FALSE(resources_of(table, "a::turn", "kernels/a/turn.cuh", 80)) << "either may be meant";
  EXPECT_EQ(resources_of(table, "a::turn", "", 90)->registers, 24) << "both are the same";
}

TEST(QualifiedName, LeavesOutReturnTypeOwnNamespacesAndArguments) {
  const std::pair<const char*, const char*> names[] = {
      {"ridgeline::transpose::on_cuda::(anonymous namespace)::turn(float const*, long)",
       "transpose::on_cuda::turn"},
      {"void ridgeline::gemm::on_cuda::(anonymous namespace)::tiled<float, 16>(float*)",
       "gemm::on_cuda::tiled<float, 16>"},
      {"void ridgeline::a::f<ridgeline::a::(anonymous namespace)::F16, (ridgeline::a::Mode)1>(int)",
       "a::f<a::F16, (a::Mode)1>"},
      {"plain", "plain"},
      {"", ""},
  };
  for (const auto& [demangled, name] : names) EXPECT_EQ(qualified_name(demangled), name);
}

}  // namespace kernel_resources_test
}  // namespace ridgeline::emulated
