#include "harness/run/time_estimate.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::run {
namespace {

constexpr int runs_to_read = 5;

/// Wall time in s of one execution of each case, of what a run has measured; a median over its
/// processes.
std::map<std::string, double> seconds_in(const store::FoundRun& found) {
  std::map<std::string, std::vector<double>> times;
  const store::Store store = store::Store::open(found.file);
  for (const store::StoredMeasurement& stored :
       store::measurements(store, found.summary.run.id, store::Samples::leave_out))
    if (stored.measurement.total_ns > 0)
      times[record::name(stored.case_info.id)].push_back(stored.measurement.total_ns / 1e9);
  std::map<std::string, double> medians;
  for (const auto& [name, values] : times) medians[name] = stats::median(values);
  return medians;
}

std::vector<store::FoundRun> earlier_runs(const std::filesystem::path& results, const Plan& plan) {
  if (!std::filesystem::exists(results / (plan.device.model + ".sqlite"))) return {};
  std::vector<store::FoundRun> runs = store::all_runs(results, [](const Error&) {});
  std::erase_if(runs, [&](const store::FoundRun& found) {
    const record::Run& run = found.summary.run;
    return found.summary.device.model != plan.device.model || run.profile != plan.profile.name ||
           !run.gate.empty();
  });
  return runs;
}

}  // namespace

std::optional<TimeEstimate> estimated_time(const std::filesystem::path& results, const Plan& plan) {
  std::map<std::string, double> seconds;
  int read = 0;
  for (const store::FoundRun& found : earlier_runs(results, plan)) {
    if (read++ == runs_to_read) break;
    seconds.merge(seconds_in(found));
  }
  TimeEstimate estimate;
  for (const Selected& each : plan.cases) {
    const auto known = seconds.find(each.name);
    if (known == seconds.end()) continue;
    ++estimate.known_cases;
    estimate.seconds += known->second;
  }
  if (estimate.known_cases == 0) return std::nullopt;
  estimate.seconds *=
      static_cast<double>(plan.cases.size()) / estimate.known_cases * plan.profile.processes;
  estimate.seconds = std::min(estimate.seconds, plan.profile.budget_s);
  return estimate;
}

}  // namespace ridgeline::run
