#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/store/store.hpp"

/// What is asked of runs by whoever shows or compares them.
namespace ridgeline::store {

/// A run with what a listing shows.
struct RunSummary {
  record::Run run;
  record::Device device;
  std::int64_t measurements = 0;
  std::vector<std::pair<record::Outcome, std::int64_t>> outcomes;  // counts, in enum order, without
                                                                   // zeros
  std::string last_process;  // when its latest one started; empty without any
};

/// A run with all that may explain why it differs from others.
struct StoredRun {
  record::Run run;
  record::Device device;
  record::Environment environment;
  std::vector<record::Build> builds;
};

struct StoredMeasurement {
  std::int64_t id = 0;
  std::int64_t process_id = 0;
  record::Case case_info;
  int replicate = 0;
  record::Measurement measurement;  // samples_ns is empty when not asked for, sites and sources
                                    // until read_sites
  std::int64_t samples = 0;         // how many there are, or were
};

struct StoredProcess {
  std::int64_t id = 0;
  record::Process process;
};

enum class Samples { leave_out, read };

/// The one device model that the file has runs of; empty without any run. Throws a store Error when
/// there are several.
std::string model(Connection& connection);
/// Newest first. Runs that a gate measured are among them; Run::gate tells.
std::vector<RunSummary> runs(Connection& connection);
record::Environment environment(Connection& connection, std::string_view run_id);
std::vector<record::Build> builds(Connection& connection, std::string_view run_id);
/// Of ranks: record::Process::hosts of the processes of a run that have any, each once.
std::vector<record::Facts> hosts(Connection& connection, std::string_view run_id);
std::vector<record::Roof> roofs(Connection& connection, std::string_view run_id);
StoredRun stored_run(Connection& connection, const RunSummary& summary);

/// Of all that it has measurements of, whatever came of them; sorted.
std::vector<std::string> case_names(Connection& connection, std::string_view run_id);

std::vector<StoredMeasurement> measurements(Connection& connection, std::string_view run_id,
                                            Samples samples);
/// Those of cases of `suite`.
std::vector<StoredMeasurement> of_suite(std::string_view suite,
                                        const std::vector<StoredMeasurement>& measurements);
/// In the order stored, which is that of their ids.
std::vector<StoredProcess> processes(Connection& connection, std::string_view run_id);
/// Of a counted measurement, in the order stored; empty for any other.
std::vector<record::Site> sites(Connection& connection, std::int64_t measurement_id);
/// Of a counted measurement, by file.
std::vector<record::Source> sources(Connection& connection, std::int64_t measurement_id);
/// Fills in both of the counted ones among `measurements`.
void read_sites(Connection& connection, std::vector<StoredMeasurement>& measurements);

/// What comparing many measurements takes of each, without its samples.
struct Timing {
  std::int64_t id = 0;         // of its measurement
  std::size_t case_index = 0;  // in Timings::cases
  int replicate = 0, attempt = 1;
  record::Outcome outcome = record::Outcome::crashed;
  std::string reason;
  std::optional<double> median_ns, flops, bytes, sm_clock_mhz;
  std::string launch, cache;
};

struct Timings {
  std::vector<record::Case> cases;
  std::vector<Timing> timings;  // in the order stored: by id
};

/// Of all measurements of a run.
Timings timings(Connection& connection, std::string_view run_id);

}  // namespace ridgeline::store
