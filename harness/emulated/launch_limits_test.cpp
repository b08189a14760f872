#include "harness/emulated/launch_limits.hpp"

#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "harness/emulated/test/kernels.hpp"
#include "harness/emulated/test/lab.hpp"

namespace ridgeline::emulated {
namespace launch_limits_test {

using test::checks;
using test::Lab;

TEST(LaunchLimits, RefusesLaunchesThatNoGpuAccepts) {
  Lab lab;
  const KernelCall nothing{[](const void*) {}, "", 1};
  struct Refused {
    device::LaunchConfig config;
    const char *check, *detail;
  };
  const Refused bad[] = {
      {{.block = dim3(1025)},
       "block of a wrong size",
       "1025 x 1 x 1 threads; a block has 1 to 1024, at most 64 of them along z"},
      {{.block = dim3(0)},
       "block of a wrong size",
       "0 x 1 x 1 threads; a block has 1 to 1024, at most 64 of them along z"},
      {{.block = dim3(1, 1, 65)},
       "block of a wrong size",
       "1 x 1 x 65 threads; a block has 1 to 1024, at most 64 of them along z"},
      {{.grid = dim3(1, 65536)},
       "grid of a wrong size",
       "1 x 65536 x 1 blocks; a grid has at most 2147483647 x 65535 x 65535"},
      {{.grid = dim3(2), .cluster = dim3(2)},
       "cluster of a wrong size",
       "2 x 1 x 1 blocks; a cluster of this architecture has 1 to 1"},
      {{.shared_bytes = (227 << 10) + 1},
       "too much shared memory",
       "232449 bytes, 232449 of them dynamic; a block has 232448"}};
  for (const auto& [config, check, detail] : bad) {
    lab.machine().launch(config, nothing);
    const Report report = lab.report();
    ASSERT_EQ(checks(report), check);
    EXPECT_EQ(report.findings[0].detail, detail);
    EXPECT_EQ(report.findings[0].block, -1);
    EXPECT_FALSE(report.completed);
  }
  lab.machine().launch({}, nothing);
  EXPECT_EQ(checks(lab.report()), "") << "a refusal is the launch's alone";
}

TEST(LaunchLimits, StaticAndDynamicSharedMemoryShareTheLimit) {
  for (const auto& [bytes, is_refused] :
       {std::pair{std::size_t{(227 << 10) - 400}, false}, {(227 << 10) - 396, true}}) {
    Lab lab;
    test::fill_shared(lab.stream(), bytes, lab.empty<float>(128));
    const Report report = lab.report();
    ASSERT_EQ(checks(report), is_refused ? "too much shared memory" : "");
    if (is_refused) {
      EXPECT_EQ(report.findings[0].detail,
                "232452 bytes, 232052 of them dynamic; a block has 232448");
    }
  }
}

}  // namespace launch_limits_test
}  // namespace ridgeline::emulated
