#include <map>
#include <string>

#include <gtest/gtest.h>

#include "harness/measure/count_metrics.hpp"

namespace ridgeline::measure {
namespace resource_metrics_test {

device::LaunchCount kernel(int registers, std::uint64_t shared, std::uint64_t spilled,
                           double occupancy) {
  device::LaunchCount one;
  one.resources = device::KernelResources{.registers = registers,
                                          .static_shared_bytes = shared,
                                          .stack_bytes = 0,
                                          .spilled_bytes = spilled};
  one.occupancy =
      device::Occupancy{.blocks = 1, .warps = 1, .fraction = occupancy, .limit = "warps"};
  return one;
}

TEST(ResourceMetrics, AreThoseOfTheWorstKernel) {
  const device::LaunchCount kernels[] = {kernel(32, 8192, 0, 0.75), kernel(40, 0, 16, 0.5),
                                         kernel(24, 128, 8, 1)};
  std::map<std::string, double> values;
  for (const record::Metric& metric : resource_metrics(kernels)) {
    values[metric.name] = metric.value;
    EXPECT_EQ(metric.direction == record::Direction::higher, metric.name == "theoretical_occupancy")
        << metric.name;
    EXPECT_EQ(metric.unit, metric.name.ends_with("bytes") ? "B" : "1") << metric.name;
  }
  EXPECT_EQ(values, (std::map<std::string, double>{{"registers", 40},
                                                   {"spilled_bytes", 16},
                                                   {"static_shared_bytes", 8192},
                                                   {"theoretical_occupancy", 0.5}}));
}

TEST(ResourceMetrics, AreAbsentUnlessAllKernelsAreKnown) {
  EXPECT_TRUE(resource_metrics({}).empty());
  device::LaunchCount kernels[] = {kernel(32, 8192, 0, 0.75), kernel(40, 0, 16, 0.5)};
  kernels[1].resources.reset();
  EXPECT_TRUE(resource_metrics(kernels).empty());
}

TEST(LoadedMetrics, AreThoseOfTheWorstKernel) {
  const device::LoadedKernel kernels[] = {{32, 0, 8192}, {40, 16, 0}};
  std::map<std::string, double> values;
  for (const record::Metric& metric : loaded_metrics(kernels)) {
    values[metric.name] = metric.value;
    EXPECT_EQ(metric.direction, record::Direction::lower) << metric.name;
    EXPECT_EQ(metric.unit, metric.name.ends_with("bytes") ? "B" : "1") << metric.name;
  }
  EXPECT_EQ(values, (std::map<std::string, double>{
                        {"registers", 40}, {"local_bytes", 16}, {"static_shared_bytes", 8192}}));
  EXPECT_TRUE(loaded_metrics({}).empty());
}

}  // namespace resource_metrics_test
}  // namespace ridgeline::measure
