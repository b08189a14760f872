#pragma once

#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "harness/analysis/nights_example.hpp"
#include "harness/analysis/trend.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {

class Trend : public testing::Test {
 protected:
  void add(const examples::Nights& nights, int begin, int end) {
    store::Store store = store::Store::create(file);
    examples::add_nights(store, nights, begin, end);
  }
  /// Of the only device.
  DeviceTrend trend(const TrendRules& rules = {}, const SeriesChoice& choice = {}) const {
    auto devices =
        nightly_series(folder.path(), choice, [](const Error& why) { FAIL() << why.what(); });
    EXPECT_EQ(devices.size(), 1u);
    return trend_of(std::move(devices.at(0)), rules);
  }

  store::TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic-gpu.sqlite";
};

/// A step of case 1, which lasts.
inline examples::Nights with_step(int at, double log_step) {
  examples::Nights nights;
  nights.level = [=](int of, int night) { return of == 1 && night >= at ? log_step : 0.0; };
  return nights;
}

}  // namespace ridgeline::analysis
