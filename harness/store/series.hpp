#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/record/measurement.hpp"
#include "harness/store/read_runs.hpp"

/// What series over many runs need, and no more: a few million measurements in a second. Several
/// connections may read one file at once.
namespace ridgeline::store {

/// How measuring one case in one replicate of a run ended, with its last attempt.
struct SeriesTime {
  std::int64_t case_id = 0;
  record::Outcome outcome = record::Outcome::crashed;
  double median_ns = 0;  // when has_samples(outcome); else there is none, and it says nothing
  std::int64_t executions = 1;  // of a sample, likewise
  std::int64_t replicate = 0;
  std::int64_t id = 0;       // of its measurement
  bool has_samples = false;  // they are stored, and have not been dropped
  std::string reason;
};

/// A counted case's metric in one run.
struct SeriesCount {
  std::int64_t case_id = 0;
  std::int64_t id = 0;  // of its measurement
  record::Metric metric;
};

/// How a case was measured in one run: what makes two times of it incomparable though its name is
/// the same. Several values where the measurements of the run differ.
struct SeriesMethod {
  std::set<std::string> launch, cache, buffer_sets, workers;
  std::optional<double> flops, bytes;  // the most of them
};

/// Oldest first. Runs that a gate measured are among them; Run::gate tells.
std::vector<StoredRun> series_runs(Connection& connection);
/// The order in which runs were stored, by id: lower is earlier. Those without a process lack.
std::unordered_map<std::string, std::int64_t> stored_order(Connection& connection);
/// All cases by id. Several ids have one name where a case's description changed.
std::unordered_map<std::int64_t, record::Case> stored_cases(Connection& connection);
std::unordered_map<std::int64_t, std::string> case_names(Connection& connection);
/// Refuses a file in which a run has measured a case that stored_cases() does not have.
[[noreturn]] void refuse_case(Connection& connection, std::string_view run_id);
/// Of one run, in no order.
void series_times(Connection& connection, std::string_view run_id,
                  const std::function<void(const SeriesTime&)>& take);
void series_counts(Connection& connection, std::string_view run_id,
                   const std::function<void(const SeriesCount&)>& take);
/// The samples of these measurements of one device, as far as there are any, by ascending id.
void series_samples(
    Connection& connection, DeviceKind device, std::span<const std::int64_t> ids,
    const std::function<void(std::int64_t id, std::vector<double> samples_ns)>& take);
/// Of one run, by the names of its cases that have a time or counts.
std::map<std::string, SeriesMethod> series_methods(Connection& connection, std::string_view run_id);

}  // namespace ridgeline::store
