#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace counts_test {

using record::Outcome;

/// A store with a run of a device that counts.
class Counts : public testing::Test {
 protected:
  Counts() {
    run.device_uuid = examples::counting_device().uuid;
    begin(store, run, examples::counting_device(), examples::environment());
    process = add(store, examples::process());
  }

  std::string refusal(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      return error.what();
    }
    return "not refused";
  }

  record::Run run = examples::run();
  const record::Case info = examples::gemm_case();
  Store store = Store::in_memory();
  std::int64_t process = 0;
};

TEST_F(Counts, ACountedMeasurementComesBackAsItWasStored) {
  const record::Measurement stored = examples::counted(info);
  const std::int64_t id = add(store, process, info, stored);
  const auto all = store::measurements(store, run.id, Samples::read);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, id);
  const record::Measurement& back = all[0].measurement;
  EXPECT_EQ(back.outcome, Outcome::counted);
  EXPECT_EQ(back.median_ns, std::nullopt);
  EXPECT_TRUE(back.samples_ns.empty());
  ASSERT_EQ(back.metrics.size(), 2u);
  EXPECT_EQ(back.metrics[1].name, "global_load_sectors");
  EXPECT_EQ(back.metrics[1].value, 512);
  EXPECT_TRUE(back.sites.empty()) << "sites are read when asked for";
  EXPECT_EQ(store::sites(store, id), stored.sites);
  EXPECT_EQ(store::sources(store, id), stored.sources);
  EXPECT_EQ(store::runs(store)[0].outcomes,
            (std::vector<std::pair<Outcome, std::int64_t>>{{Outcome::counted, 1}}));
  EXPECT_TRUE(store::sites(store, id + 1).empty());
  EXPECT_TRUE(store::sources(store, id + 1).empty());
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST_F(Counts, SitesKeepTheirOrderAndLargeCounts) {
  record::Measurement stored = examples::counted(info);
  stored.sites.assign(20, stored.sites[0]);
  for (int i = 0; i < 20; ++i) stored.sites[static_cast<std::size_t>(i)].line = 100 - i;
  stored.sites[3].requests = std::uint64_t{1} << 53;
  EXPECT_EQ(store::sites(store, add(store, process, info, stored)), stored.sites);
}

TEST_F(Counts, ATextIsStoredOnceAndAChangedOneBesideIt) {
  const record::Case other = examples::gemm_case("tiled"), third = examples::gemm_case("wmma");
  record::Measurement changed = examples::counted(third);
  changed.sources[0].text += "// changed\n";
  add(store, process, info, examples::counted(info));
  const std::int64_t second = add(store, process, other, examples::counted(other)),
                     last = add(store, process, third, changed);
  EXPECT_EQ(store::sources(store, second), examples::counted(other).sources);
  EXPECT_EQ(store::sources(store, last), changed.sources);
}

TEST_F(Counts, AnEmulatedDeviceHasNoTimes) {
  const std::string what = refusal([&] { add(store, process, info, examples::measurement(info)); });
  EXPECT_NE(what.find("emulated_devices_have_no_times"), std::string::npos) << what;
  // Anything but a time.
  add(store, process, info, examples::failed(info, Outcome::wrong_result, "a race"));
  EXPECT_EQ(store::measurements(store, run.id, Samples::read).size(), 1u);
}

TEST_F(Counts, BadCountsAreRefusedWhole) {
  const std::pair<const char*, std::function<void(record::Measurement&)>> table[] = {
      {"only_right_results_are_counted", [](auto& m) { m.verification.reset(); }},
      {"counted_cases_do_not_settle", [](auto& m) { m.settled = true; }},
      {"only_right_results_are_counted", [](auto& m) { m.verification->error = 1; }},
      {"only_right_results_are_counted",
       [](auto& m) { m.verification->error = std::numeric_limits<double>::quiet_NaN(); }},
      {"counted_cases_are_not_timed", [](auto& m) { m.timed_ns = 1; }},
      {"counted_cases_are_not_timed", [](auto& m) { m.warmup_ns = 1; }},
      {"emulated_devices_have_no_times", [](auto& m) { m.samples_ns = {1}; }},
      {"median_goes_with_samples", [](auto& m) { m.median_ns = 1; }},
      {"ok_needs_no_reason", [](auto& m) { m.reason = "because"; }},
      {"sites_are_of_counted_cases", [](auto& m) { m.outcome = Outcome::crashed; }},
      {"sources_are_of_counted_cases",
       [](auto& m) {
         m.outcome = Outcome::crashed;
         m.sites.clear();
       }},
      {"site_has_access", [](auto& m) { m.sites[0].access = ""; }},
      {"line_is_counted", [](auto& m) { m.sites[0].line = -1; }},
      {"requests",
       [](auto& m) { m.sites[0].requests = std::numeric_limits<std::uint64_t>::max(); }},
      {"sites_are_few", [](auto& m) { m.sites.resize(record::max_sites + 1, m.sites[0]); }},
      {"source_has_file", [](auto& m) { m.sources[0].file = ""; }},
      {"source_is_of_bounded_size",
       [](auto& m) { m.sources[0].text.assign(record::max_source_bytes + 1, 'x'); }},
      {"measurement_source", [](auto& m) { m.sources.push_back(m.sources[0]); }},
      {"101 sources", [](auto& m) { m.sources.resize(record::max_sources + 1, m.sources[0]); }},
  };
  for (const auto& [constraint, spoil] : table) {
    record::Measurement m = examples::counted(info);
    spoil(m);
    const std::string what = refusal([&] { add(store, process, info, m); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_TRUE(store::measurements(store, run.id, Samples::read).empty()) << constraint;
  }
  record::Measurement full = examples::counted(info);
  full.sites.resize(record::max_sites, full.sites[0]);
  full.sources[0].text.assign(record::max_source_bytes, 'x');
  EXPECT_EQ(store::sites(store, add(store, process, info, full)).size(), record::max_sites);
}

}  // namespace counts_test
}  // namespace ridgeline::store
