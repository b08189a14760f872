#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
                          // One of a pool, or with by_model of a model, means them all
  std::string profile;    // empty: of each device that which has most nights, of those that ran in
                          // the 30 days before its latest run
  std::string since;      // "2026-01-31": nights from then on; empty: all
  std::string until{};    // the last day (UTC) of which runs are read, as if no later one were
                          // stored; empty: all
  bool by_model = false;  // all devices of a model as one, for runners that get another one each
                          // night
  std::optional<std::chrono::sys_seconds> now{};  // runs that start later are of the future;
                                                  // absent: only those far from all others
};

/// The runs of a device from one quiet time of the day to the next (night_borders.hpp).
struct Night {
  std::string date;               // "2026-11-20"
  std::int64_t day = 0;           // since 1970
  std::vector<std::size_t> runs;  // of NightlyDevice::runs, oldest first
  bool cut = false;               // none of them was finished: what is missing was not looked for
};

/// Times of a case in one comparable environment: the medians over all processes that were ok in a
/// night, and the fewest executions that they took together as a sample.
struct NightlyTimes {
  std::string environment;            // its hash
  std::vector<std::uint32_t> nights;  // of NightlyDevice::nights, ascending: those that have a time
  std::vector<double> median_ns;
  std::vector<std::int64_t> executions{};  // empty where no single clock has told the times
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

/// Whether the label of a run says that its device is one of a pool, which are taken as one:
/// "pool", or "pool:" and a name.
bool is_pool(std::string_view label);

struct NightlyDevice {
  std::filesystem::path file;
  record::Device device;  // as it last was
  std::string pool;       // label of the runs whose devices are taken as one; else empty
  std::string profile;
  std::string key{};  // what tells it from others in its file: "device GPU-0000", "model cuda"
  std::vector<store::StoredRun> runs;                // oldest first
  std::vector<Night> nights;                         // those on which it measured anything
  std::vector<NightlyCase> cases;                    // by name
  std::map<record::Outcome, std::int64_t> left_out;  // measurements of these cases that do not
                                                     // count
  std::map<std::string, std::int64_t> other_runs;  // why runs of this device are left out, and how
                                                   // many
  std::vector<std::string> oddities{};             // of the runs that are not left out, in words
};

/// Reads the results files of `folder`; runs of gates and of machines that were not fit make no
/// nights. Without any other run there is no device. Throws a usage Error when no device, no
/// profile or no case is what `choice` asks for, and a store Error when nothing can be read, or not
/// the device; `left_out` is told of files that cannot and that may hold what is asked for.
std::vector<NightlyDevice> nightly_series(const std::filesystem::path& folder,
                                          const SeriesChoice& choice,
                                          const store::LeftOut& left_out);

}  // namespace ridgeline::analysis
