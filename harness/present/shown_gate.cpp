#include "harness/present/shown_gate.hpp"

#include <cmath>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/gate_progress.hpp"
#include "harness/present/gate_report.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/output.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {
namespace {

using record::CaseVerdict;
using record::Pair;

GateReport shown_gate(const store::FoundGate& found) {
  GateReport report;
  report.gate = found.summary.gate;
  report.device = found.summary.device;
  store::Store store = store::Store::open(found.file);
  report.verdicts = store::verdicts(store, report.gate.id);
  report.beside = beside_times(store, report.gate);
  report.spent = store::spent_time(store, report.gate.id);
  sort_by_importance(report.verdicts);
  report.file = found.file;
  report.exit_code = gate_exit_code(report.gate.status, report.verdicts, is_strict(report.gate));
  report.state = status(found);
  report.forecast = gate::stored_forecast(report.gate.options);
  if (report.gate.status != record::RunStatus::finished) report.pairs = stored_pairs(found);
  return report;
}

/// A side's run, with its commit when the gate built one: what a branch means changes.
std::string side(const record::Gate& gate, const std::string& run, const char* commit) {
  const std::optional<json::Value> options = json::try_parse(gate.options);
  const json::Value* hash = options ? options->find(commit) : nullptr;
  return fmt::format("run {}{}", run,
                     hash != nullptr && hash->is_text() ? ", commit " + hash->text() : "");
}

std::vector<std::string> facts(const GateReport& report) {
  const record::Gate& gate = report.gate;
  std::vector<std::string> lines;
  const auto line = [&](const char* what, const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{:<12}{}", what, text));
  };
  line("status", report.state);
  line("started", point_in_time(gate.started) + " UTC");
  line("finished", gate.finished.empty() ? "" : point_in_time(gate.finished) + " UTC");
  line("baseline", side(gate, gate.baseline_run, "baseline_commit"));
  line("candidate", side(gate, gate.candidate_run, "candidate_commit"));
  if (compares_counts(report))
    line("counts", "exact: one execution of each side decides");
  else
    line("alpha", fmt::format("{}% over {}", units::plain(100 * gate.alpha),
                              units::plural(gate.cases, "case")));
  if (report.forecast) line("forecast", forecast_text(*report.forecast));
  if (gate.mode != record::GateMode::runs) line("seed", std::to_string(gate.seed));
  line("command", gate.command_line);
  if (!gate.rules_text.empty()) line("rules", "as stored; --json prints them");
  return lines;
}

/// The verdicts on the cases that `pattern` picks.
std::vector<CaseVerdict> picked(const GateReport& report, const std::string& pattern) {
  std::vector<CaseVerdict> chosen;
  std::vector<std::string> names;
  for (const CaseVerdict& verdict : report.verdicts) {
    names.push_back(verdict.case_name);
    if (matches(pattern, verdict.case_name)) chosen.push_back(verdict);
  }
  check_picks({pattern}, names, "the gate", "show without --samples lists its cases");
  return chosen;
}

/// Rounds are counted from 1 for people, as in reasons.
std::string pairs_text(const GateReport& report, const CaseVerdict& verdict,
                       const std::vector<Pair>& pairs) {
  using Align = Table::Align;
  Table table({{"round", Align::right},
               {"first"},
               {"baseline ns", Align::right},
               {"candidate ns", Align::right},
               {"log ratio", Align::right},
               {"dropped"}});
  for (const Pair& pair : pairs)
    if (pair.case_name == verdict.case_name)
      table.add({std::to_string(pair.round + 1), pair.baseline_first ? "baseline" : "candidate",
                 fmt::format("{:.1f}", pair.baseline_ns), fmt::format("{:.1f}", pair.candidate_ns),
                 fmt::format("{:+.6f}", std::log(pair.candidate_ns / pair.baseline_ns)),
                 printable(to_text(pair.dropped), 1000)});
  const GateRow row = gate_row(report, verdict);
  std::string text = printable(row.case_name, 4000);
  if (!row.baseline.empty()) text += " against " + printable(row.baseline, 4000);
  text += ": " + row.verdict;
  if (const std::string change = change_and_delta(row); !change.empty())
    text += ", " + printable(change, 1000);
  if (!row.why.empty()) text += "; " + printable(row.why, 10'000);
  return text + '\n' + (!verdict.metric.empty() ? "" : table.empty() ? "no pairs\n" : table.text());
}

json::Value json_of(const GateReport& report, const std::string& sampled,
                    const std::vector<Pair>& pairs) {
  json::Value all = to_json(report);
  all.erase("notes");
  if (sampled.empty()) return all;
  // What the whole gate comes to is not what some of its cases do.
  for (const char* key : {"fails", "doubtful", "conclusions", "counts_text"}) all.erase(key);
  all["pairs"] = json::Value::array();
  for (const Pair& pair : pairs)
    if (matches(sampled, pair.case_name)) all["pairs"].push_back(to_json(pair));
  return all;
}

}  // namespace

json::Value report_json(const store::FoundGate& found) {
  GateReport report = shown_gate(found);
  report.rounds = store::pairs(store::Store::open(found.file), report.gate.id);
  json::Value object = to_json(report);
  for (const char* key : {"notes", "file", "time"}) object.erase(key);
  return object;
}

int show_gate(const store::FoundGate& found, const std::string& sampled, bool json) {
  GateReport report = shown_gate(found);
  const std::vector<Pair> pairs =
      sampled.empty() ? std::vector<Pair>()
                      : store::pairs(store::Store::open(found.file), report.gate.id);
  if (!sampled.empty()) report.verdicts = picked(report, sampled);
  if (json) {
    print_json(json_of(report, sampled, pairs));
  } else if (sampled.empty()) {
    report.notes = facts(report);
    say(stdout, gate_text(report, look_of(stdout).width));
  } else {
    for (const CaseVerdict& verdict : report.verdicts)
      say(stdout, pairs_text(report, verdict, pairs));
    if (compares_counts(report))
      say(stdout,
          fmt::format(
              "counts have no pairs; ridgeline show --json {} and {} print all of either side\n",
              report.gate.baseline_run, report.gate.candidate_run));
    else if (report.gate.mode == record::GateMode::runs)
      say(stdout, fmt::format("stored runs have no pairs; ridgeline show --samples {} RUN prints "
                              "the samples of either "
                              "run\n",
                              shell_line({printable(sampled, 4000)})));
  }
  return fine;
}

}  // namespace ridgeline::present
