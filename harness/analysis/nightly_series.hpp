#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/measurement.hpp"
#include "harness/store/selector.hpp"
#include "harness/store/series.hpp"

/// What is stored, as series that grow by a value a night.
namespace ridgeline::analysis {

/// Which runs and cases series are made of.
struct SeriesChoice {
  std::vector<std::string> patterns;  // of case names; none: all
  std::string device;     // "cuda:0", words of a model, or the start of a UUID; empty: all
  std::string profile;    // empty: of each device that which has most nights
  std::string since;      // "2026-01-31": nights from then on; empty: all
  bool by_model = false;  // all devices of a model as one, for runners that get another one each
                          // night
};

/// The runs that started on one day (UTC) on one device.
struct Night {
  std::string date;               // "2026-11-20"
  std::int64_t day = 0;           // since 1970
  std::vector<std::size_t> runs;  // of NightlyDevice::runs, oldest first
};

/// Times of a case in one comparable environment: the medians over all processes that were ok in a
/// night.
struct NightlyTimes {
  std::string environment;            // its hash
  std::vector<std::uint32_t> nights;  // of NightlyDevice::nights, ascending: those that have a time
  std::vector<double> median_ns;
};

/// A metric of a case that a device counted: exact, a value a night.
struct NightlyCount {
  std::string metric, unit;
  record::Direction direction = record::Direction::none;
  std::vector<std::uint32_t> nights;
  std::vector<double> values;
};

struct NightlyCase {
  std::string name;
  std::vector<NightlyTimes> times;              // by first night
  std::vector<NightlyCount> counts;             // by metric
  std::optional<record::Outcome> last_failure;  // the latest outcome that gave neither time nor
                                                // counts
  std::uint32_t last_failure_night = 0;
};

struct NightlyDevice {
  std::filesystem::path file;
  record::Device device;  // as it last was
  std::string profile;
  std::vector<store::StoredRun> runs;                // oldest first
  std::vector<Night> nights;                         // those on which it measured anything
  std::vector<NightlyCase> cases;                    // by name
  std::map<record::Outcome, std::int64_t> left_out;  // measurements of these cases that do not
                                                     // count
  std::map<std::string, std::int64_t> other_runs;  // why runs of this device are left out, and how
                                                   // many
};

/// Reads the results files of `folder`; runs of gates and of machines that were not fit make no
/// nights. Without any other run there is no device. Throws a usage Error when no device, no
/// profile or no case is what `choice` asks for, and a store Error when nothing can be read;
/// `left_out` is told of files that cannot.
std::vector<NightlyDevice> nightly_series(const std::filesystem::path& folder,
                                          const SeriesChoice& choice,
                                          const store::LeftOut& left_out);

}  // namespace ridgeline::analysis
