// Counts depend neither on the order in which lanes and warps run nor on the number of cores: shown
// for a small case of every variant of every suite.

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/measure/measure.hpp"
#include "harness/worker/case.hpp"
#include "harness/worker/program.hpp"

namespace ridgeline {
namespace counts_test {

using emulated::Settings;

/// Of each variant the case that moves the fewest bytes.
std::map<std::string, worker::Case> smallest_cases() {
  std::map<std::string, worker::Case> smallest;
  for (const worker::Suite& suite : worker::all_suites())
    for (const worker::Case& each : suite.cases) {
      if (each.info.device_kind != DeviceKind::emulated) continue;
      const record::CaseId& id = each.info.id;
      const auto [known, is_new] = smallest.try_emplace(id.suite + "/" + id.variant, each);
      constexpr double unknown = std::numeric_limits<double>::max();
      if (!is_new && each.info.bytes.value_or(unknown) < known->second.info.bytes.value_or(unknown))
        known->second = each;
    }
  return smallest;
}

using Row = std::tuple<std::string, int, std::string, int, std::uint64_t, std::uint64_t,
                       std::uint64_t, std::uint64_t>;
struct Counted {
  std::string outcome;
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<Row> sites;
  bool operator==(const Counted&) const = default;
};

std::map<std::string, Counted> count_all(const std::map<std::string, worker::Case>& cases,
                                         const Settings& settings) {
  const auto device = emulated::open(emulated::limits_of(*catalogue::architecture(90)), settings);
  measure::InputPool inputs(*device, 1);
  measure::Group alone;
  std::map<std::string, Counted> all;
  for (const auto& [name, wanted] : cases) {
    if (!worker::check(wanted, device->facts())) continue;
    const measure::Setup setup{*device, inputs, alone};
    measure::Experiment experiment(wanted.prepare, setup, worker::options_of(wanted.info.id));
    const record::Measurement found = experiment.finish();
    Counted counted{std::string(record::to_string(found.outcome)) + found.reason, {}, {}};
    for (const record::Metric& metric : found.metrics)
      counted.metrics.emplace_back(metric.name, metric.value);
    for (const record::Site& site : found.sites)
      counted.sites.emplace_back(site.file, site.line, site.access, site.lane_bytes, site.requests,
                                 site.lanes, site.sectors, site.wavefronts);
    all[name] = std::move(counted);
  }
  return all;
}

TEST(EmulatedCounts, DependNeitherOnTheSeedNorOnTheCores) {
  const std::map<std::string, worker::Case> cases = smallest_cases();
  const std::map<std::string, Counted> plain = count_all(cases, {.workers = 1, .seed = 0});
  EXPECT_GT(plain.size(), 20u);
  for (const auto& [name, counted] : plain) {
    EXPECT_EQ(counted.outcome, "counted") << name;
    EXPECT_FALSE(counted.sites.empty()) << name;
  }
  // Another order on another number of cores, at once: each by itself is tested on smaller kernels.
  for (const auto& [name, counted] : count_all(cases, {.workers = 2, .seed = 123})) {
    const Counted& before = plain.at(name);
    EXPECT_EQ(counted.outcome, before.outcome) << name;
    EXPECT_EQ(counted.metrics, before.metrics) << name;
    EXPECT_EQ(counted.sites, before.sites) << name;
  }
}

}  // namespace counts_test
}  // namespace ridgeline
