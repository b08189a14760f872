#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "harness/device/counts.hpp"
#include "kernels/budget.hpp"
#include "kernels/traffic.hpp"

// What the tests of all families assert of counts: budgets, and what variants say of their own
// traffic.
namespace ridgeline::kernels {

/// All requests of some accesses together.
struct Requests {
  std::uint64_t requests = 0, lanes = 0, sectors = 0, wavefronts = 0;

  std::optional<double> sectors_each() const { return each(sectors); }
  std::optional<double> wavefronts_each() const { return each(wavefronts); }
  std::optional<double> lanes_each() const { return each(lanes); }

 private:
  std::optional<double> each(std::uint64_t total) const {
    if (requests == 0) return std::nullopt;
    return static_cast<double>(total) / static_cast<double>(requests);
  }
};

/// Of the accesses that begin with `space` and end with one of `kinds`: "global", "load", "copy".
template <class... Kinds>
Requests requests_of(const device::Counts& counts, std::string_view space, Kinds... kinds) {
  Requests all;
  for (const device::SiteCount& site : counts.sites) {
    const std::string_view access = site.access;
    if (!access.starts_with(space) || !(access.ends_with(kinds) || ...)) continue;
    all.requests += site.requests;
    all.lanes += site.lanes;
    all.sectors += site.sectors;
    all.wavefronts += site.wavefronts;
  }
  return all;
}

/// Neither more than the budget, nor so much less that the budget protects nothing; and nothing
/// without a budget.
inline void expect_within(std::optional<double> budget, std::optional<double> counted,
                          std::string_view what) {
  ASSERT_EQ(budget.has_value(), counted.has_value())
      << what << ": "
      << (counted ? std::to_string(*counted) + " counted, but the variant has no budget for it"
                  : "in the budget, but never asked for");
  if (!budget) return;
  EXPECT_LE(*counted, *budget * (1 + 1e-9)) << what << ": over budget";
  EXPECT_GE(*counted, *budget * 0.95) << what << ": far below its budget, which should be lowered";
}

inline void expect_within(const Budget& budget, const device::Counts& counts) {
  expect_within(budget.sectors_per_load,
                requests_of(counts, "global", "load", "copy").sectors_each(),
                "sectors a global load");
  expect_within(budget.sectors_per_store, requests_of(counts, "global", "store").sectors_each(),
                "sectors a global store");
  expect_within(budget.wavefronts_per_shared_request,
                requests_of(counts, "shared", "load", "store", "copy").wavefronts_each(),
                "wavefronts per shared request");
}

/// Whether one of the lines that the kernels have makes requests of as many sectors as `traffic`
/// says, if it says so, and all of them, with what the asynchronous unit copies, move as many
/// bytes.
inline void expect_traffic(const Traffic& traffic, const device::Counts& counts) {
  double sectors = 0;
  bool found = false;
  for (const device::SiteCount& site : counts.sites) {
    const std::string_view access = site.access;
    if (!access.starts_with("global") && !access.starts_with("bulk")) continue;
    sectors += static_cast<double>(site.sectors);
    found = found || static_cast<double>(site.sectors) == traffic.sectors_per_request.value_or(0) *
                                                              static_cast<double>(site.requests);
  }
  EXPECT_EQ(sectors * sector, traffic.moved_bytes) << "bytes in all sectors that were asked for";
  EXPECT_TRUE(found || !traffic.sectors_per_request)
      << "no line asks for " << traffic.sectors_per_request.value_or(0) << " sectors per request";
}

}  // namespace ridgeline::kernels
