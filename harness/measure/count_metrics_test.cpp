#include "harness/measure/count_metrics.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::measure {
namespace count_metrics_test {

using device::Counts;

device::SiteCount site(const char* access, int lane_bytes, std::uint64_t requests,
                       std::uint64_t lanes, std::uint64_t sectors, std::uint64_t wavefronts) {
  return {"kernel", "kernel.cu", 1, access, lane_bytes, requests, lanes, sectors, wavefronts};
}

std::map<std::string, double> values(const Counts& counts) {
  std::map<std::string, double> values;
  for (const record::Metric& metric : count_metrics(counts))
    EXPECT_TRUE(values.emplace(metric.name, metric.value).second) << metric.name << " twice";
  return values;
}

TEST(CountMetrics, EverySiteGoesWhereItsAccessSays) {
  Counts counts;
  counts.sites = {
      site("global load", 4, 10, 320, 40, 0),      site("global load", 16, 1, 32, 16, 0),
      site("global store", 4, 2, 64, 64, 0),       site("global atomic", 8, 3, 5, 4, 0),
      site("shared load", 4, 4, 128, 0, 8),        site("shared store", 4, 4, 100, 0, 4),
      site("shared atomic", 4, 1, 32, 0, 32),      site("global async copy", 16, 2, 64, 32, 0),
      site("shared async copy", 16, 2, 64, 0, 16), site("tensor", 0, 7, 224, 0, 0),
      site("bulk load", 1, 1, 128, 4, 0),          site("bulk store", 1, 2, 64, 2, 0),
      site("cluster load", 4, 1, 32, 0, 0)};
  counts.barriers = 6;
  const auto found = values(counts);
  EXPECT_EQ(found.at("global_load_requests"), 10 + 1 + 2);
  EXPECT_EQ(found.at("global_load_sectors"), 40 + 16 + 32);
  EXPECT_EQ(found.at("global_load_sectors_per_request"), 88.0 / 13);
  EXPECT_EQ(found.at("global_store_requests"), 2);
  EXPECT_EQ(found.at("global_store_sectors"), 64);
  EXPECT_EQ(found.at("global_store_sectors_per_request"), 32);
  EXPECT_EQ(found.at("global_useful_bytes"),
            320 * 4 + 32 * 16 + 64 * 4 + 5 * 8 + 64 * 16 + 128 + 64);
  EXPECT_EQ(found.at("global_moved_bytes"), 32 * (40 + 16 + 64 + 4 + 32 + 4 + 2));
  EXPECT_EQ(found.at("bulk_load_sectors"), 4);
  EXPECT_EQ(found.at("bulk_store_sectors"), 2);
  EXPECT_EQ(found.at("cluster_requests"), 1);
  EXPECT_EQ(found.at("shared_load_wavefronts"), 8);
  EXPECT_EQ(found.at("shared_store_wavefronts"), 4 + 16);
  EXPECT_EQ(found.at("shared_wavefronts_per_request"), 28.0 / 10);
  EXPECT_EQ(found.at("atomics"), 5 + 32);
  EXPECT_EQ(found.at("barriers"), 6);
  EXPECT_EQ(found.at("tensor_instructions"), 7);
  // Without tensor cores and other units, and with a copy's lanes once.
  EXPECT_EQ(found.at("lanes_per_request"), (320.0 + 32 + 64 + 5 + 128 + 100 + 32 + 64 + 32) /
                                               (10 + 1 + 2 + 3 + 4 + 4 + 1 + 2 + 1));
}

TEST(CountMetrics, WhatIsNotKnownIsAbsentAndNeverZero) {
  const auto none = values({});
  for (const char* name :
       {"global_load_sectors_per_request", "global_store_sectors_per_request",
        "shared_wavefronts_per_request", "lanes_per_request", "dram_read_bytes",
        "dram_written_bytes", "bytes_in_flight_per_warp", "registers", "theoretical_occupancy"})
    EXPECT_FALSE(none.contains(name)) << name;
  EXPECT_EQ(none.at("global_load_requests"), 0);
  EXPECT_EQ(none.at("barriers"), 0);

  Counts counts;
  counts.dram_read_bytes = 64;
  counts.bytes_in_flight_per_warp = 512;
  EXPECT_EQ(values(counts).at("dram_read_bytes"), 64);
  EXPECT_EQ(values(counts).at("dram_written_bytes"), 0);
  EXPECT_EQ(values(counts).at("bytes_in_flight_per_warp"), 512);
}

TEST(CountMetrics, WhatAnotherUnitAddsToAndNobodyCountsIsAbsentAndNotTooSmall) {
  Counts counts;
  counts.sites = {site("shared load", 4, 4, 128, 0, 8)};
  counts.bytes_in_flight_per_warp = 512;
  for (const bool has_unit : {false, true}) {
    counts.has_unit = has_unit;
    for (const char* name :
         {"shared_load_wavefronts", "shared_store_wavefronts", "bytes_in_flight_per_warp"})
      EXPECT_NE(values(counts).contains(name), has_unit) << name;
    EXPECT_EQ(values(counts).at("shared_wavefronts_per_request"), 2) << "of the lanes' requests";
    EXPECT_FALSE(values(counts).contains("bulk_load_sectors"));
  }
}

TEST(CountMetrics, ResourcesOfTheKernelsAreAmongThem) {
  Counts counts;
  counts.kernels.resize(1);
  counts.kernels[0].resources.emplace().registers = 40;
  counts.kernels[0].occupancy.emplace().fraction = 0.5;
  EXPECT_EQ(values(counts).at("registers"), 40);
  EXPECT_EQ(values(counts).at("theoretical_occupancy"), 0.5);
}

TEST(CountMetrics, DirectionsAndUnits) {
  std::map<std::string, record::Metric> metrics;
  Counts counts;
  counts.sites = {site("global load", 4, 1, 32, 4, 0)};
  for (const record::Metric& metric : count_metrics(counts)) metrics[metric.name] = metric;
  EXPECT_EQ(metrics.at("global_load_sectors").direction, record::Direction::lower);
  EXPECT_EQ(metrics.at("global_load_sectors").unit, "1");
  EXPECT_EQ(metrics.at("global_useful_bytes").direction, record::Direction::none);
  EXPECT_EQ(metrics.at("global_moved_bytes").unit, "B");
  EXPECT_EQ(metrics.at("lanes_per_request").direction, record::Direction::higher);
  EXPECT_EQ(metrics.at("tensor_instructions").direction, record::Direction::none);
}

TEST(CountMetrics, AnAccessThatIsNotKnownIsAnError) {
  for (const char* access : {"", "local load", "global", "global prefetch", "shared copy",
                             "global odd load", "bulk atomic"}) {
    Counts counts;
    counts.sites = {site(access, 4, 1, 1, 1, 1)};
    EXPECT_THROW(count_metrics(counts), Error) << access;
  }
}

}  // namespace count_metrics_test
}  // namespace ridgeline::measure
