#include "harness/cli/run_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ridgeline::cli {

std::string point_in_time(const std::string& iso) {
  std::string text = iso;
  if (text.size() == 20) {
    text[10] = ' ';
    text.pop_back();
  }
  return text;
}

std::string status(const store::FoundRun& found, const std::vector<store::FoundRun>& all) {
  const record::Run& run = found.summary.run;
  const bool measured_since = std::ranges::any_of(all, [&](const store::FoundRun& other) {
    return other.summary.run.device_uuid == run.device_uuid && other.summary.run.started > run.started;
  });
  if (run.status == record::RunStatus::running && measured_since) return "killed";
  return std::string(to_string(run.status));
}

std::string outcome_counts(const store::RunSummary& summary) {
  std::string text;
  for (const auto& [outcome, count] : summary.outcomes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
  return text.empty() ? "none" : text;
}

}  // namespace ridgeline::cli
