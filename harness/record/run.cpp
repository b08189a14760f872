#include "harness/record/run.hpp"

namespace ridgeline::record {

std::string_view to_string(RunStatus status) {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::finished:
      return "finished";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      break;
  }
  return "failed";
}

std::optional<RunStatus> parse_run_status(std::string_view text) {
  for (RunStatus status : {RunStatus::running, RunStatus::finished, RunStatus::interrupted, RunStatus::failed})
    if (to_string(status) == text) return status;
  return std::nullopt;
}

}  // namespace ridgeline::record
