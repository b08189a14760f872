#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "harness/outside/outside_fixture.hpp"

/// For tests of kernels that only seem to compute: each is caught, with a sentence that says how.
namespace ridgeline::outside {

constexpr std::int64_t n = 256;

inline void expect_caught(const Case& one, const std::string& how,
                          measure::Cache cache = measure::Cache::cold) {
  const record::Measurement found = measured(one, cpu(), cache);
  EXPECT_EQ(found.outcome, record::Outcome::wrong_result) << found.reason;
  EXPECT_NE(found.reason.find(how), std::string::npos) << found.reason;
  EXPECT_TRUE(found.samples_ns.empty());
  EXPECT_FALSE(found.median_ns);
}

/// Of what only times show, which a busy machine may hide once.
inline void expect_caught_by_time(const std::function<Case()>& one, const std::string& how,
                                  measure::Cache cache) {
  record::Measurement found;
  for (int attempt = 0; attempt < 5; ++attempt) {
    found = measured(one(), cpu(), cache);
    if (found.outcome == record::Outcome::wrong_result) break;
  }
  EXPECT_NE(found.reason.find(how), std::string::npos) << found.reason;
  EXPECT_TRUE(found.samples_ns.empty());
}

}  // namespace ridgeline::outside
