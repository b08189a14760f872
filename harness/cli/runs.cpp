#include <algorithm>
#include <cstdio>
#include <iterator>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/gate_words.hpp"
#include "harness/cli/json_output.hpp"
#include "harness/cli/run_text.hpp"
#include "harness/cli/table.hpp"

namespace ridgeline::cli {
namespace {

/// What a results folder holds, newest first.
struct Stored {
  std::vector<store::FoundRun> all;  // of which `runs` measured for themselves, the others for a gate
  std::vector<store::FoundRun> runs;
  std::vector<store::FoundGate> gates;
};

Stored read(const std::filesystem::path& results) {
  Stored stored{store::all_runs(results, say_left_out), {}, store::all_gates(results, [](const Error&) {})};
  std::ranges::copy_if(stored.all, std::back_inserter(stored.runs),
                       [](const store::FoundRun& found) { return found.summary.run.gate.empty(); });
  return stored;
}

json::Value json_of(const Stored& stored) {
  json::Value all{{"runs", json::Value::array()}, {"gates", json::Value::array()}};
  const auto add = [&](const char* key, const auto& found) -> json::Value& {
    json::Value& object = all[key].push_back(to_json(found));
    object["status"] = status(found, stored.all);
    return object;
  };
  for (const store::FoundRun& found : stored.runs) add("runs", found);
  for (const store::FoundGate& found : stored.gates) {
    json::Value& object = add("gates", found);
    if (found.summary.gate.status != record::RunStatus::finished) object["pairs"] = stored_pairs(found);
  }
  return all;
}

std::string runs_text(const Stored& stored) {
  Table table({{"run"}, {"started (UTC)"}, {"device"}, {"profile"}, {"label"}, {"status"}, {"measurements"}});
  for (const store::FoundRun& found : stored.runs) {
    const record::Run& run = found.summary.run;
    table.add({run.id, point_in_time(run.started), printable(found.summary.device.model), printable(run.profile),
               printable(run.label), status(found, stored.all), outcome_counts(found.summary)});
  }
  return table.text();
}

std::string gates_text(const Stored& stored) {
  Table table({{"gate"}, {"started (UTC)"}, {"device"}, {"baseline -> candidate"}, {"status"}, {"verdicts"}});
  for (const store::FoundGate& found : stored.gates) {
    const record::Gate& gate = found.summary.gate;
    table.add({gate.id, point_in_time(gate.started), printable(found.summary.device.model),
               fmt::format("{} -> {}{}", printable(gate.baseline), printable(gate.candidate), gate.aa ? " (A/A)" : ""),
               status(found, stored.all), verdicts_text(found)});
  }
  return table.text();
}

int runs(const Context& context) {
  const Stored stored = read(context.results);
  if (context.json) {
    print_json(json_of(stored));
    return fine;
  }
  std::string text;
  if (!stored.runs.empty() || stored.gates.empty()) text = runs_text(stored);
  if (!stored.gates.empty()) text += (text.empty() ? "" : "\n") + gates_text(stored);
  if (!stored.gates.empty()) {
    const store::FoundGate& latest = stored.gates.front();
    const std::string resume = resume_command(latest.summary.gate, status(latest, stored.all));
    if (!resume.empty()) text += fmt::format("\ngo on with the latest gate: {}\n", printable(resume));
  }
  fmt::print("{}", text);
  return fine;
}

}  // namespace

void add_runs(Command program, Context& context) {
  const Command command = add_command(
      program, context, "runs", "List the runs and gates in the results folder, newest first",
      "  ridgeline runs                     one line a run, then one line a gate, all device models\n"
      "  ridgeline runs --results old       of another folder\n"
      "  ridgeline runs --json              the same with all that is stored of each\n\n"
      "Status: finished, interrupted (what was done is stored), failed, running; killed is one that never ended: the\n"
      "device's lock is free, or another has measured on it since. Where neither tells, it is running or killed. The "
      "two runs that a gate measures are listed as the gate; their ids are\n"
      "in --json.",
      [&context] { return runs(context); });
  add_results_option(command, context);
  add_json_option(command, context);
}

}  // namespace ridgeline::cli
