#include "harness/analysis/over_processes.hpp"

#include <algorithm>
#include <iterator>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {

using record::Outcome;

int severity(Outcome outcome) {
  constexpr Outcome mildest_first[] = {Outcome::ok,           Outcome::counted,  Outcome::unsupported,
                                       Outcome::unavailable,  Outcome::unstable, Outcome::invalid_environment,
                                       Outcome::not_measured, Outcome::timeout,  Outcome::crashed,
                                       Outcome::wrong_result};
  return static_cast<int>(std::ranges::find(mildest_first, outcome) - std::begin(mildest_first));
}

OverProcesses over_processes(std::span<const ProcessResult> processes) {
  require(!processes.empty(), "a case has a process");
  OverProcesses result;
  for (std::size_t i = 1; i < processes.size(); ++i)
    if (severity(processes[i].outcome) > severity(processes[result.worst].outcome)) result.worst = i;
  if (record::is_failure(processes[result.worst].outcome)) return result;
  for (const bool disturbed : {false, true}) {
    for (std::size_t i = 0; i < processes.size(); ++i)
      if (processes[i].median_ns && (processes[i].outcome == Outcome::invalid_environment) == disturbed)
        result.counting.push_back(i);
    result.disturbed = disturbed && !result.counting.empty();
    if (!result.counting.empty()) break;
  }
  return result;
}

}  // namespace ridgeline::analysis
