#include "harness/store/run_or_gate.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::store {
namespace {

/// What the user may mean, newest first: all of the folder, or of one model. Sides of gates are left out.
struct RunsAndGates {
  std::vector<FoundRun> runs;
  std::vector<FoundGate> gates;
};

RunsAndGates list(const std::filesystem::path& folder, const std::optional<std::filesystem::path>& file) {
  const auto unsaid = [](const Error&) {};  // whoever finds says it
  RunsAndGates listed{all_runs(folder, unsaid), all_gates(folder, unsaid)};
  std::erase_if(listed.runs,
                [&](const FoundRun& run) { return !run.summary.run.gate.empty() || (file && run.file != *file); });
  std::erase_if(listed.gates, [&](const FoundGate& gate) { return file && gate.file != *file; });
  return listed;
}

/// The newest of a list that has both in one order.
RunOrGate newest(const RunsAndGates& listed) {
  const record::Run& run = listed.runs.front().summary.run;
  const record::Gate& gate = listed.gates.front().summary.gate;
  if (std::tie(run.started, run.id) > std::tie(gate.started, gate.id)) return listed.runs.front();
  return listed.gates.front();
}

}  // namespace

RunOrGate find_run_or_gate(const std::filesystem::path& folder, const std::string& selector, const LeftOut& left_out) {
  const std::size_t at = selector.starts_with("label:") ? std::string::npos : selector.find('@');
  const std::string which = at == std::string::npos ? selector : selector.substr(at + 1);
  if (which.empty() || which.starts_with("label:") || which.starts_with("commit:") || which.starts_with("baseline:"))
    return find_run(folder, selector, left_out);

  std::optional<std::filesystem::path> file;
  if (at != std::string::npos) file = results_file(folder, selector.substr(0, at));
  RunsAndGates listed = list(folder, file);
  std::vector<std::string> runs, gates;
  for (const FoundRun& run : listed.runs)
    if (run.summary.run.id.starts_with(which)) runs.push_back(run.summary.run.id);
  for (const FoundGate& gate : listed.gates)
    if (gate.summary.gate.id.starts_with(which)) gates.push_back(gate.summary.gate.id);
  const bool whole = std::ranges::find(gates, which) != gates.end();
  if (!gates.empty() && (runs.empty() || whole)) return find_gate(folder, selector, left_out);
  if (!gates.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{} means {} run{} and {} gate{}", printable(which), runs.size(),
                            runs.size() == 1 ? "" : "s", gates.size(), gates.size() == 1 ? "" : "s"),
                fmt::format("write more of one: {}, ..., {}, ...", runs.front(), gates.front()));
  if (which == "latest" && listed.runs.empty() && !listed.gates.empty()) return find_gate(folder, selector, left_out);

  FoundRun run = find_run(folder, selector, left_out);
  const bool is_latest = runs.empty() && !run.summary.run.id.starts_with(which);  // the word, or a model's name
  if (!is_latest) return run;
  if (which != "latest") listed = list(folder, run.file);
  return listed.gates.empty() ? RunOrGate(std::move(run)) : newest(listed);
}

}  // namespace ridgeline::store
