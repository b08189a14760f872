#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/run.hpp"
#include "harness/stats/interval.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/selector.hpp"

/// What cases came to in all stored runs: what `ridgeline history` and the report's pages of cases
/// are made of.
namespace ridgeline::present {

/// What a run has of a case, as analysis::CaseSummary says it.
struct CaseResult {
  std::uint32_t run = 0;  // place in DeviceHistory::runs
  record::Outcome outcome = record::Outcome::crashed;
  std::string reason;
  std::size_t processes = 0;  // whose medians count
  std::optional<double> median_ns;
  std::optional<stats::Interval> interval_ns;
  std::optional<double> moved_bytes;  // through global memory, counted on an emulated device
  std::vector<std::int64_t> sampled;  // measurements of these processes whose samples are there
};

struct CaseSeries {
  record::Case info;                // as it last was
  std::vector<CaseResult> results;  // oldest first, at least one
};

struct HistoryRun : store::StoredRun {
  std::filesystem::path file;
  std::size_t environment_place = 0;  // in DeviceHistory::environments
};

/// One device: a model and a UUID.
struct DeviceHistory {
  record::Device device;                          // as it last was
  std::vector<record::Environment> environments;  // that differ in what is comparable, as they came
  std::vector<HistoryRun> runs;                   // oldest first: those that have any of the cases
  std::vector<CaseSeries> cases;                  // in the order of analysis::by_case
  std::size_t older = 0;                          // runs that are not read
};

struct HistoriesChoice {
  std::vector<std::string> patterns;                           // of case names; none: all
  std::string device;                                          // as is_asked_for; empty: all
  std::size_t runs = std::numeric_limits<std::size_t>::max();  // of each device, the newest
};

/// What is stored, whether it was asked for or not.
struct StoredNames {
  std::set<std::string> devices, cases;
};

/// By model and UUID, without devices that have none of the cases. Runs that a gate measured are
/// left out: they have their verdicts. A run that several files hold counts once. Throws a store
/// Error when nothing can be read; `left_out` is told of files that cannot.
std::vector<DeviceHistory> device_histories(const std::filesystem::path& results,
                                            const HistoriesChoice& choice, StoredNames& names,
                                            const store::LeftOut& left_out);

/// The place of `environment` among those that differ in what is comparable; added when it is new.
std::size_t environment_place(std::vector<record::Environment>& environments,
                              const record::Environment& environment);

/// "driver_branch 570 -> 580", of what is comparable and differs.
std::string environment_change(const record::Environment& before, const record::Environment& after);

}  // namespace ridgeline::present
