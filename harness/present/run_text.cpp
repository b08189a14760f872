#include "harness/present/run_text.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "harness/base/units.hpp"
#include "harness/present/gate_report.hpp"
#include "harness/run/device_lock.hpp"

namespace ridgeline::present {
namespace {

using store::FoundRun;

/// When `run` is last known to have measured.
const std::string& last_seen(const FoundRun& run) {
  return std::max(run.summary.run.started, run.summary.last_process);
}

bool is_side(const FoundRun& run, const std::string& gate) {
  return !gate.empty() && run.summary.run.gate == gate;
}

/// The status in words of what measures on a device as `holder` ("gate ID", "run ID") and was last
/// known to do so at `seen`; `gate`: its gate's id, or empty.
std::string status_text(record::RunStatus status, const std::string& device_uuid,
                        const std::string& holder, const std::string& gate, std::string seen,
                        const std::vector<FoundRun>& all) {
  if (status != record::RunStatus::running) return std::string(to_string(status));
  for (const FoundRun& run : all)
    if (is_side(run, gate)) seen = std::max(seen, last_seen(run));
  const bool measured_since = std::ranges::any_of(all, [&](const FoundRun& other) {
    return !is_side(other, gate) && other.summary.run.device_uuid == device_uuid &&
           last_seen(other) > seen;
  });
  if (measured_since) return "killed";
  const std::optional<run::DeviceUse> use = run::device_use(device_uuid);
  if (!use || use->holder.find(fmt::format(", {}: ", holder)) == std::string::npos)
    return "running or killed";
  return use->held ? "running" : "killed";
}

/// The runs in the folder of `file`; none where the status says all.
std::vector<FoundRun> runs_beside(const std::filesystem::path& file, record::RunStatus status) {
  if (status != record::RunStatus::running) return {};
  return store::all_runs(file.parent_path(), [](const Error&) {});
}

}  // namespace

std::string point_in_time(const std::string& iso) {
  std::string text = iso;
  if (text.size() == 20) {
    text[10] = ' ';
    text.pop_back();
  }
  return text;
}

std::string status(const FoundRun& found, const std::vector<FoundRun>& all) {
  const record::Run& run = found.summary.run;
  if (!run.imported.empty()) return "imported, unverified";
  return status_text(run.status, run.device_uuid,
                     run.gate.empty() ? "run " + run.id : "gate " + run.gate, run.gate,
                     last_seen(found), all);
}

std::string status(const store::FoundGate& found, const std::vector<FoundRun>& all) {
  const record::Gate& gate = found.summary.gate;
  return status_text(gate.status, gate.device_uuid, "gate " + gate.id, gate.id, gate.started, all);
}

std::string status(const FoundRun& found) {
  return status(found, runs_beside(found.file, found.summary.run.status));
}

std::string status(const store::FoundGate& found) {
  return status(found, runs_beside(found.file, found.summary.gate.status));
}

std::string outcome_counts(const std::map<record::Outcome, std::int64_t>& counts) {
  std::string text;
  for (const auto& [outcome, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
  return text;
}

std::string outcome_counts(const store::RunSummary& summary) {
  const auto& counts = summary.outcomes;
  return counts.empty() ? "none" : outcome_counts(std::map(counts.begin(), counts.end()));
}

std::string verdicts_text(const store::FoundGate& found) {
  std::string text = verdict_counts(found.summary.verdicts);
  if (text.empty()) text = "none";
  if (found.summary.gate.status != record::RunStatus::finished)
    text += "; " + units::plural(stored_pairs(found), "pair");
  return text;
}

std::int64_t stored_pairs(const store::FoundGate& found) {
  return store::pair_count(store::Store::open(found.file), found.summary.gate.id);
}

}  // namespace ridgeline::present
