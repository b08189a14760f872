#include "harness/device/slug.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace ridgeline::device {
namespace slug_test {

TEST(Slug, IsSafeAsAFileName) {
  const std::pair<const char*, const char*> cases[] = {
      {"NVIDIA H200", "nvidia-h200"},
      {"NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm4-80gb"},
      {"  ../..//etc/passwd ", "etc-passwd"},
      {"a\n\t\xc3\xa9z", "a-z"},
      {"Xeon 8480+", "xeon-8480plus"},
      {"", ""},
      {"---", ""},
  };
  for (const auto& [name, expected] : cases) EXPECT_EQ(slug(name), expected) << name;
}

TEST(Slug, KeepsTheModelOfACpuAndDropsTheRest) {
  const std::pair<const char*, const char*> cases[] = {
      {"AMD EPYC", "AMD EPYC"},
      {"AMD EPYC 9654 96-Core Processor", "AMD EPYC 9654"},
      {"Intel(R) Xeon(R) Platinum 8480+", "Intel Xeon Platinum 8480+"},
      {"Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz", "Intel Core i7-8650U"},
      {"AMD Ryzen 7 PRO 4750U with Radeon Graphics", "AMD Ryzen 7 PRO 4750U"},
  };
  for (const auto& [name, expected] : cases) EXPECT_EQ(clean_cpu_name(name), expected) << name;
}

}  // namespace slug_test
}  // namespace ridgeline::device
