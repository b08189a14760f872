#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/case_table.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/json_output.hpp"
#include "harness/cli/repeat.hpp"
#include "harness/cli/run_or_gate.hpp"
#include "harness/cli/run_text.hpp"
#include "harness/cli/show_gate.hpp"
#include "harness/cli/show_listing.hpp"
#include "harness/cli/table.hpp"
#include "harness/protocol/record_json.hpp"

namespace ridgeline::cli {
namespace {

using analysis::CaseSummary;
using record::Outcome;
using store::StoredMeasurement;

/// A run with everything that `show` prints.
struct Shown {
  store::FoundRun found;
  std::string status;
  record::Environment environment;
  std::vector<record::Build> builds;
  std::vector<record::Roof> roofs;
  std::vector<CaseSummary> cases;
  std::vector<StoredMeasurement> sampled;  // of the case that --samples names
};

std::vector<StoredMeasurement> of_case(std::vector<StoredMeasurement> measurements, const std::string& pattern) {
  std::vector<std::string> names;
  for (const StoredMeasurement& stored : measurements) names.push_back(stored.measurement.case_name);
  std::erase_if(measurements, [&](const StoredMeasurement& m) { return !matches(pattern, m.measurement.case_name); });
  if (!measurements.empty()) return measurements;
  const std::string near = nearest(pattern, names);
  throw Error(ErrorKind::usage, fmt::format("the run has no case {}", printable(pattern)),
              near.empty() ? "show without --samples lists its cases" : fmt::format("did you mean {}?", near));
}

Shown read(const Context& context, const store::FoundRun& found, const std::string& sampled) {
  Shown shown;
  shown.found = found;
  shown.status = status(shown.found, store::all_runs(context.results, [](const Error&) {}));
  const std::string& id = shown.found.summary.run.id;
  const store::Store store = store::Store::open(shown.found.file);
  shown.environment = store.environment(id);
  shown.builds = store.builds(id);
  shown.roofs = store.roofs(id);
  if (sampled.empty())
    shown.cases = analysis::summarise(store.measurements(id, store::Samples::leave_out), shown.roofs);
  else
    shown.sampled = of_case(store.measurements(id, store::Samples::read), sampled);
  return shown;
}

std::string facts(const record::Facts& facts) {
  std::string text;
  for (const auto& [key, value] : facts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(key), printable(value));
  return text;
}

void print_head(const Shown& shown) {
  const record::Run& run = shown.found.summary.run;
  const record::Device& device = shown.found.summary.device;
  const auto line = [](const char* what, const std::string& text) {
    if (!text.empty()) fmt::print("  {:<12}{}\n", what, text);
  };
  fmt::print("run {}: {}\n", run.id, shown.status);
  line("device", fmt::format("{} ({}), {}, {}", printable(device.name), printable(device.model), printable(device.id),
                             printable(device.uuid)));
  line("started", point_in_time(run.started) + " UTC");
  line("finished", run.finished.empty() ? "" : point_in_time(run.finished) + " UTC");
  line("profile", fmt::format("{}, seed {}", printable(run.profile), run.seed));
  line("label", printable(run.label));
  line("command", printable(run.command_line, 4000));
  for (const record::Build& build : shown.builds)
    line("worker", fmt::format("{} {}{}, {}{}{}", printable(build.worker), printable(build.commit.substr(0, 12)),
                               build.dirty ? " with local changes" : "", printable(build.compiler),
                               build.cuda.empty() ? "" : ", CUDA ", printable(build.cuda)));
  line("comparable", facts(shown.environment.comparable));
  line("recorded", facts(shown.environment.recorded));
  line("file", shown.found.file.string());
}

void print_roofs(const std::vector<record::Roof>& roofs) {
  if (roofs.empty()) return;
  Table table({{"roof"}, {"value", Table::Align::right}, {"source"}});
  for (const record::Roof& roof : roofs)
    table.add({printable(roof.kind), units::quantity(roof.value, roof.unit), printable(roof.source)});
  fmt::print("\n{}", table.text());
}

/// Cases that are neither ok nor counted, those of one outcome and reason together, each group with a command that
/// repeats its first.
void print_not_ok(const Shown& shown) {
  const record::Run& run = shown.found.summary.run;
  std::map<std::pair<Outcome, std::string>, std::vector<std::string>> groups;
  for (const CaseSummary& summary : shown.cases)
    if (!record::is_success(summary.outcome))
      groups[{summary.outcome, summary.reason}].push_back(record::name(summary.case_info.id));
  for (const auto& [what, names] : groups) {
    const auto& [outcome, reason] = what;
    fmt::print("\n{}{}{}\n", to_string(outcome), reason.empty() ? "" : ": ", printable(reason, 1000));
    for (const std::string& name : names) fmt::print("  {}\n", printable(name, 400));
    fmt::print(
        "  again: {}\n",
        printable(repeating_line(run.command_line, shown.found.summary.device.id, run.seed, {names.front()}), 4000));
  }
}

void print_samples(const std::vector<StoredMeasurement>& measurements) {
  for (const StoredMeasurement& stored : measurements) {
    const record::Measurement& m = stored.measurement;
    fmt::print("{}, replicate {}, attempt {}: {}{}{}\n", printable(m.case_name, 400), stored.replicate, m.attempt,
               to_string(m.outcome), m.reason.empty() ? "" : ": ", printable(m.reason, 1000));
    if (!m.median_ns) continue;
    fmt::print("  {} samples of {} executions each, median {}; {}\n", m.sample_count(), m.executions_per_sample,
               units::time(*m.median_ns),
               m.pruned ? fmt::format("dropped by ridgeline prune on {} UTC", point_in_time(m.pruned->when))
                        : "ns of one execution, in the order taken:");
    for (const double ns : m.samples_ns) fmt::print("  {}\n", ns);
  }
}

json::Value json_of(const Shown& shown) {
  json::Value all{{"run", to_json(shown.found)},
                  {"device", protocol::to_json(shown.found.summary.device)},
                  {"environment", to_json(shown.environment)},
                  {"builds", json::Value::array()},
                  {"roofs", json::Value::array()}};
  all["run"]["status"] = shown.status;
  for (const record::Build& build : shown.builds) all["builds"].push_back(protocol::to_json(build));
  for (const record::Roof& roof : shown.roofs) all["roofs"].push_back(to_json(roof));
  for (const CaseSummary& summary : shown.cases) all["cases"].push_back(to_json(summary));
  for (const StoredMeasurement& stored : shown.sampled) {
    json::Value measurement{{"replicate", stored.replicate}};
    measurement.update(protocol::to_json(stored.measurement));
    add_pruned(measurement, stored.measurement);
    all["measurements"].push_back(measurement);
  }
  return all;
}

int show_run(const Context& context, const store::FoundRun& found, const std::string& sampled) {
  const Shown shown = read(context, found, sampled);
  if (context.json) {
    print_json(json_of(shown));
    return fine;
  }
  if (!sampled.empty()) {
    print_samples(shown.sampled);
    return fine;
  }
  print_head(shown);
  print_roofs(shown.roofs);
  fmt::print("\n{}", shown.cases.empty() ? "nothing was measured\n" : case_table(shown.cases));
  print_not_ok(shown);
  if (!shown.cases.empty())
    fmt::print("\n{} case{}: {}\n", shown.cases.size(), shown.cases.size() == 1 ? "" : "s",
               outcome_counts(shown.cases));
  return fine;
}

struct ShowOptions {
  std::string selector = "latest", sampled, listed;
};

int show(const Context& context, const ShowOptions& options) {
  const RunOrGate found = find_run_or_gate(context.results, options.selector, say_left_out);
  if (const auto* gate = std::get_if<store::FoundGate>(&found)) {
    if (!options.listed.empty())
      throw Error(ErrorKind::usage, fmt::format("gate {} has no listing: its runs have", gate->summary.gate.id),
                  fmt::format("ridgeline show --listing CASE {}", gate->summary.gate.candidate_run));
    return show_gate(context, *gate, options.sampled);
  }
  const store::FoundRun& run = std::get<store::FoundRun>(found);
  return options.listed.empty() ? show_run(context, run, options.sampled) : show_listing(context, run, options.listed);
}

}  // namespace

void add_show(Command program, Context& context) {
  const auto options = std::make_shared<ShowOptions>();
  const Command command = add_command(
      program, context, "show",
      "Show one run: circumstances, results, and what was not ok and why; or one gate: verdicts",
      "  ridgeline show                              the latest run or gate, whichever is newer\n"
      "  ridgeline show 20261120T1245                by the start of its id\n"
      "  ridgeline show h200@label:try               by model, and label; also @latest, @commit:1a2b3c, "
      "@baseline:main\n"
      "  ridgeline show --samples gemm/naive latest  every sample of these cases; of a gate, its pairs\n"
      "  ridgeline show --listing 'gemm/*' latest    source with what each line asks of memory, if counted\n"
      "  ridgeline show --json latest                for programs\n\n"
      "Labels and commits are those of runs. A gate measures two runs of its own, which are shown by their\n"
      "whole ids alone; the gate names them. The exit code is 0 whatever the run or gate found.",
      [&context, options] { return show(context, *options); });
  command.option("RUN|GATE", options->selector, "Which run or gate").default_text("latest");
  const Option samples = command
                             .option("--samples", options->sampled,
                                     "Print the samples, or pairs, of this case, or of all that a pattern picks")
                             .value_name("CASE");
  command
      .option("--listing", options->listed,
              "Print the annotated source of this case, or of all that a pattern picks, counted on an emulated "
              "device")
      .value_name("CASE")
      .excludes(samples);
  add_results_option(command, context);
  add_json_option(command, context);
}

}  // namespace ridgeline::cli
