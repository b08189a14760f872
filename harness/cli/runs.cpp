#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/day.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::cli {
namespace {

struct RunsOptions {
  std::string label, since;
  int limit = 0;  // 0: all
};

/// What a results folder holds, newest first.
struct Stored {
  std::vector<store::FoundRun> all;  // of which `runs` measured for themselves, the others for a
                                     // gate
  std::vector<store::FoundRun> runs;
  std::vector<store::FoundGate> gates;
};

Stored read(const std::filesystem::path& results) {
  Stored stored{store::all_runs(results, present::say_left_out),
                {},
                store::all_gates(results, [](const Error&) {})};
  std::ranges::copy_if(stored.all, std::back_inserter(stored.runs),
                       [](const store::FoundRun& found) { return found.summary.run.gate.empty(); });
  return stored;
}

/// Keeps the runs and gates that the options ask for. Gates have no label.
void choose(Stored& stored, const RunsOptions& options) {
  std::erase_if(stored.runs, [&](const store::FoundRun& found) {
    const record::Run& run = found.summary.run;
    return run.started < options.since || (!options.label.empty() && run.label != options.label);
  });
  std::erase_if(stored.gates, [&](const store::FoundGate& found) {
    return found.summary.gate.started < options.since || !options.label.empty();
  });
  const auto most = static_cast<std::size_t>(options.limit);
  if (most == 0) return;
  stored.runs.resize(std::min(stored.runs.size(), most));
  stored.gates.resize(std::min(stored.gates.size(), most));
}

/// Empty when `text` is the beginning of a stored time, at least its day.
std::string not_a_date(const std::string& text) {
  constexpr std::string_view form = "Tdd:dd:ddZ";
  const std::string day = text.substr(0, 10), time = text.substr(day.size());
  bool fits = parse_day(day) && time.size() <= form.size();
  for (std::size_t i = 0; fits && i < time.size(); ++i)
    fits = form[i] == 'd' ? time[i] >= '0' && time[i] <= '9' : time[i] == form[i];
  return fits ? "" : fmt::format("{} is not a date such as 2026-11-20", printable(text));
}

json::Value json_of(const Stored& stored) {
  json::Value all{{"runs", json::Value::array()}, {"gates", json::Value::array()}};
  const auto add = [&](const char* key, const auto& found) -> json::Value& {
    json::Value& object = all[key].push_back(present::to_json(found));
    object["status"] = present::status(found, stored.all);
    return object;
  };
  for (const store::FoundRun& found : stored.runs) add("runs", found);
  for (const store::FoundGate& found : stored.gates) {
    json::Value& object = add("gates", found);
    if (found.summary.gate.status != record::RunStatus::finished)
      object["pairs"] = present::stored_pairs(found);
  }
  return all;
}

std::string runs_text(const Stored& stored, std::size_t width) {
  constexpr auto left = present::Table::Align::left;
  present::Table table({{"run"},
                        {"started (UTC)"},
                        {"device"},
                        {"profile"},
                        {"label", left, true, true},
                        {"status"},
                        {"measurements", left, true}});
  for (const store::FoundRun& found : stored.runs) {
    const record::Run& run = found.summary.run;
    table.add({run.id, present::point_in_time(run.started), printable(found.summary.device.model),
               printable(run.profile), printable(run.label), present::status(found, stored.all),
               present::outcome_counts(found.summary)});
  }
  return table.text(width);
}

std::string gates_text(const Stored& stored, std::size_t width) {
  constexpr auto left = present::Table::Align::left;
  present::Table table({{"gate"},
                        {"started (UTC)"},
                        {"device"},
                        {"baseline -> candidate", left, true},
                        {"status"},
                        {"verdicts", left, true}});
  for (const store::FoundGate& found : stored.gates) {
    const record::Gate& gate = found.summary.gate;
    table.add({gate.id, present::point_in_time(gate.started), printable(found.summary.device.model),
               fmt::format("{} -> {}{}", printable(gate.baseline), printable(gate.candidate),
                           gate.aa ? " (A/A)" : ""),
               present::status(found, stored.all), present::verdicts_text(found)});
  }
  return table.text(width);
}

int runs(const Context& context, const RunsOptions& options) {
  Stored stored = read(context.results);
  choose(stored, options);
  if (context.json) {
    present::print_json(json_of(stored));
    return present::fine;
  }
  const std::size_t width = present::look_of(stdout).width;
  std::string text;
  if (!stored.runs.empty() || stored.gates.empty()) text = runs_text(stored, width);
  if (!stored.gates.empty()) text += (text.empty() ? "" : "\n") + gates_text(stored, width);
  if (!stored.gates.empty()) {
    const store::FoundGate& latest = stored.gates.front();
    const std::string resume = present::resume_command(
        latest.summary.gate, present::status(latest, stored.all), latest.file);
    if (!resume.empty())
      text += fmt::format("\nresume the latest gate: {}\n", printable(resume, 100'000));
  }
  present::say(stdout, text);
  return present::fine;
}

}  // namespace

void add_runs(Command program, Context& context) {
  const auto [command, options] = add_command(
      program, context, "runs", "List the runs and gates in the results folder, newest first",
      R"(
  ridgeline runs                     first the runs, then the gates, of all device models
  ridgeline runs --limit 5           the newest five of each
  ridgeline runs --label try         runs with this label
  ridgeline runs --since 2026-11-20  what started on this day (UTC) or later
  ridgeline runs --results old       of another folder
  ridgeline runs --json              the same with all that is stored of each

Status: finished, interrupted (what was done is stored), failed, running, killed (it never ended,
and its device's lock is free or another run has measured there since; where neither tells, it is
"running or killed"), or imported, unverified: results of another program. The two runs that a gate
measures are listed as the gate; their ids are in --json.)",
      runs);
  command.option("--label", options.label, "Only runs with this label", {.value_name = "TEXT"});
  command.option("--since", options.since,
                 "Only what started at this time (UTC) or later: 2026-11-20, or more of it",
                 {.value_name = "DATE", .complaint = not_a_date});
  command.option("--limit", options.limit, "At most the newest N runs and N gates",
                 {.value_name = "N", .between = std::pair(1, 1000000)});
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
