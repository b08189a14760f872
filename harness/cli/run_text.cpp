#include "harness/cli/run_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ridgeline::cli {
namespace {

using store::FoundRun;

/// When `run` is last known to have measured.
const std::string& last_seen(const FoundRun& run) {
  return std::max(run.summary.run.started, run.summary.last_process);
}

bool is_side(const FoundRun& run, const std::string& gate) { return !gate.empty() && run.summary.run.gate == gate; }

/// The status in words of what measures on a device and was last known to do so at `seen`; `gate`: its gate's id, or
/// empty.
std::string status_text(record::RunStatus status, const std::string& device_uuid, const std::string& gate,
                        std::string seen, const std::vector<FoundRun>& all) {
  for (const FoundRun& run : all)
    if (is_side(run, gate)) seen = std::max(seen, last_seen(run));
  const bool measured_since = std::ranges::any_of(all, [&](const FoundRun& other) {
    return !is_side(other, gate) && other.summary.run.device_uuid == device_uuid && last_seen(other) > seen;
  });
  return status == record::RunStatus::running && measured_since ? "killed" : std::string(to_string(status));
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
  return status_text(run.status, run.device_uuid, run.gate, last_seen(found), all);
}

std::string status(const store::FoundGate& found, const std::vector<FoundRun>& all) {
  const record::Gate& gate = found.summary.gate;
  return status_text(gate.status, gate.device_uuid, gate.id, gate.started, all);
}

std::string outcome_counts(const store::RunSummary& summary) {
  std::string text;
  for (const auto& [outcome, count] : summary.outcomes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
  return text.empty() ? "none" : text;
}

std::string verdict_counts(const store::GateSummary& summary) {
  std::string text;
  for (const auto& [verdict, count] : summary.verdicts) {
    const bool noun = verdict == record::Verdict::regression || verdict == record::Verdict::improvement;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count, to_string(verdict), noun && count > 1 ? "s" : "");
  }
  return text.empty() ? "none" : text;
}

}  // namespace ridgeline::cli
