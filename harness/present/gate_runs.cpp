#include "harness/present/gate_runs.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_gate.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/devices.hpp"
#include "harness/gate/request.hpp"
#include "harness/gate/rules.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/terminal.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::present {
namespace {

using analysis::StoredSide;

struct StoredSides {
  StoredSide baseline, candidate;
  std::filesystem::path file;  // holds both
};

StoredSide read_side(const store::FoundRun& found) {
  const store::Store store = store::Store::open(found.file);
  return {store::stored_run(store, found.summary),
          store::measurements(store, found.summary.run.id, store::Samples::leave_out),
          status(found)};
}

StoredSides read_sides(const std::filesystem::path& results, const gate::GateOptions& options) {
  const store::FoundRun baseline = store::find_run(results, options.baseline, say_left_out),
                        candidate = store::find_run(results, options.candidate, say_left_out);
  const std::string &old_id = baseline.summary.run.id, &new_id = candidate.summary.run.id;
  const std::string &old_model = baseline.summary.device.model,
                    &new_model = candidate.summary.device.model;
  if (old_id == new_id)
    throw Error(ErrorKind::usage, fmt::format("cannot gate run {} against itself", old_id),
                "ridgeline runs lists the runs; name two of one device");
  if (old_model != new_model)
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "cannot gate run {} on {} against run {} on {}: a gate compares one device model",
            new_id, printable(new_model), old_id, printable(old_model)),
        "name a run of the same model: MODEL@latest, MODEL@label:TEXT");
  if (baseline.file != candidate.file)
    throw Error(ErrorKind::usage,
                fmt::format("cannot gate run {} in {} against run {} in {}: a gate is stored "
                            "beside both of its runs",
                            new_id, candidate.file.string(), old_id, baseline.file.string()),
                "keep the runs of one model in one results file");
  StoredSides sides{read_side(baseline), read_side(candidate), candidate.file};
  for (const StoredSide* side : {&sides.baseline, &sides.candidate})
    for (const store::StoredMeasurement& stored : side->measurements)
      if (stored.measurement.median_ns && analysis::gives_counts(side->device.kind))
        throw Error(ErrorKind::store,
                    fmt::format("run {} of {} has times of {}, which gives counts alone",
                                side->run.id, sides.file.string(), printable(side->device.id)),
                    "the file is damaged or was changed by another program");
  return sides;
}

/// Names of the cases to judge, and the rule of each.
struct ChosenCases {
  std::vector<std::string> names;
  std::vector<analysis::CaseRule> rules;
  std::string rules_text;
  double alpha = 0;
};

ChosenCases choose(const StoredSides& sides, const gate::GateOptions& options) {
  const std::vector<std::string> all = analysis::case_names(sides.baseline, sides.candidate);
  if (all.empty())
    throw Error(ErrorKind::usage, "neither run holds a measurement",
                "ridgeline runs says what each run holds");
  run::check_patterns(options.patterns, all);
  const gate::GateRules rules =
      options.config.empty() ? gate::GateRules{} : gate::load_gate_rules(options.config);
  analysis::CaseRule otherwise;
  otherwise.delta = options.delta.value_or(analysis::default_delta(sides.candidate.device.kind));
  otherwise.alpha = options.alpha.value_or(otherwise.alpha);
  const std::vector<analysis::CaseRule> resolved =
      gate::resolve(rules, all, otherwise, run::timestamp().substr(0, 10));
  ChosenCases chosen;
  chosen.rules_text = rules.text;
  chosen.alpha = otherwise.alpha;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!any_matches(options.patterns, all[i])) continue;
    chosen.names.push_back(all[i]);
    chosen.rules.push_back(resolved[i]);
  }
  return chosen;
}

std::set<std::string> commits(const StoredSide& side) {
  std::set<std::string> found;
  for (const record::Build& build : side.builds) found.insert(build.commit);
  return found;
}

/// The one commit that all of a side's workers were built from, without local changes; empty
/// otherwise.
std::string commit(const StoredSide& side) {
  const std::set<std::string> all = commits(side);
  const bool changed = std::ranges::any_of(side.builds, &record::Build::dirty);
  return all.size() != 1 || changed || all.contains("unknown") ? "" : *all.begin();
}

std::string named(const char* what, const StoredSide& side) {
  std::string text =
      fmt::format("{}: run {} of {} UTC", what, side.run.id, point_in_time(side.run.started));
  if (!side.run.label.empty()) text += fmt::format(" ({})", printable(side.run.label));
  if (!side.run.imported.empty())
    return text + fmt::format(", imported from {}", printable(side.run.imported));
  std::vector<std::string> built;
  for (const std::string& one : commits(side)) built.push_back(printable(one.substr(0, 12)));
  if (!built.empty()) text += fmt::format(", built from {}", fmt::join(built, " and "));
  if (std::ranges::any_of(side.builds, &record::Build::dirty)) text += " with local changes";
  if (side.run.status != record::RunStatus::finished)
    text += fmt::format("; it is {}: cases that it did not reach are absent", side.status);
  return text;
}

/// The gate that measures the two commits side by side; empty where they are not known or are one.
std::string paired_command(const StoredSides& sides, const std::vector<std::string>& patterns) {
  const std::string old_commit = commit(sides.baseline), new_commit = commit(sides.candidate);
  if (old_commit.empty() || new_commit.empty() || old_commit == new_commit) return {};
  return gate_of_commits(old_commit, new_commit, sides.candidate.device.id, patterns);
}

std::vector<std::string> notes(const StoredSides& sides, const gate::GateOptions& options,
                               bool same_code) {
  const bool counts = analysis::gives_counts(sides.candidate.device.kind);
  std::vector<std::string> lines{named("baseline", sides.baseline),
                                 named("candidate", sides.candidate)};
  const analysis::EnvironmentChanges changed = analysis::changes(sides.baseline, sides.candidate);
  if (same_code)
    lines.push_back(
        counts ? "both sides ran the same code: every difference comes from the inputs, or the "
                 "circumstances"
               : "both sides ran the same code: every difference is noise, or the circumstances");
  if (sides.baseline.device.uuid != sides.candidate.device.uuid)
    lines.push_back(fmt::format("two devices of one model: {} -> {}",
                                printable(sides.baseline.device.uuid),
                                printable(sides.candidate.device.uuid)));
  if (!changed.comparable.empty())
    lines.push_back(fmt::format(
        "the comparable environment changed: {}; {}", fmt::join(changed.comparable, "; "),
        options.accept_changes
            ? "judged all the same, as --accept-changes asks"
            : fmt::format("no {} was judged (--accept-changes judges all the same)",
                          counts ? "count" : "time")));
  if (!changed.recorded.empty())
    lines.push_back(fmt::format("recorded: {}", fmt::join(changed.recorded, "; ")));
  if (counts) {
    if (sides.baseline.run.seed != sides.candidate.run.seed)
      lines.push_back(
          fmt::format("the runs had other inputs, of the seeds {} and {}: what depends on the data "
                      "may differ for that alone (ridgeline run --seed {})",
                      sides.baseline.run.seed, sides.candidate.run.seed, sides.baseline.run.seed));
    return lines;
  }
  std::string apart =
      "the runs were measured apart, and machines drift: the error rates of a gate that measures "
      "both sides in turn do not hold here";
  if (sides.baseline.run.imported.empty() && sides.candidate.run.imported.empty()) {
    const std::string paired = paired_command(sides, options.patterns);
    apart += fmt::format(
        ". That gate: {}",
        paired.empty()
            ? "ridgeline gate --baseline-worker OLD --candidate-worker NEW, with both builds"
            : printable(paired, 4000));
  }
  lines.push_back(apart);
  return lines;
}

/// The gate that measures both sides of what failed again; empty when nothing did, or when the
/// commits do not say it.
std::string repeat(const StoredSides& sides, const gate::GateOptions& options,
                   const std::vector<record::CaseVerdict>& verdicts) {
  std::vector<std::string> failed;
  for (const record::CaseVerdict& one : verdicts)
    if (fails(one)) failed.push_back(one.case_name);
  if (failed.empty()) return {};
  const std::vector<std::string> names = names_to_repeat(failed);
  return paired_command(sides, names.empty() ? options.patterns : names);
}

}  // namespace

GateReport gate_runs(const std::filesystem::path& results, const std::string& command_line,
                     const gate::GateOptions& options) {
  const std::string started = run::timestamp();
  const StoredSides sides = read_sides(results, options);
  gate::check_devices(options, std::span(&sides.candidate.device, 1));
  const ChosenCases chosen = choose(sides, options);
  const analysis::StoredVerdicts said = analysis::gate_stored(
      sides.baseline, sides.candidate, chosen.names, chosen.rules,
      analysis::plan_for(sides.candidate.device.kind), options.accept_changes);
  const bool same_code = analysis::same_code(sides.baseline, sides.candidate);
  GateReport report;
  record::Gate& gate = report.gate;
  gate.id = run::new_run_id();
  gate.device_uuid = sides.candidate.device.uuid;
  gate.mode = record::GateMode::runs;
  gate.baseline = options.baseline;
  gate.candidate = options.candidate;
  gate.baseline_run = sides.baseline.run.id;
  gate.candidate_run = sides.candidate.run.id;
  gate.command_line = command_line;
  gate.options =
      json::Value{{"accept_changes", options.accept_changes}, {"strict", options.strict}}.dump();
  gate.rules_text = chosen.rules_text;
  gate.alpha = chosen.alpha;
  gate.cases = said.cases;
  gate.aa = options.aa || same_code;
  gate.started = started;
  gate.finished = run::timestamp();
  gate.status = record::RunStatus::finished;
  store::Store store = store::Store::create(sides.file);
  store::add(store, gate, said.verdicts);
  report.device = sides.candidate.device;
  report.verdicts = said.verdicts;
  sort_by_importance(report.verdicts);
  report.notes = notes(sides, options, same_code);
  if (analysis::gives_counts(report.device.kind))
    std::ranges::move(gate::metric_notes(gate, options.config, store),
                      std::back_inserter(report.notes));
  report.file = sides.file;
  report.repeat = repeat(sides, options, said.verdicts);
  report.exit_code = gate_exit_code(gate.status, report.verdicts, options.strict);
  return report;
}

}  // namespace ridgeline::present
