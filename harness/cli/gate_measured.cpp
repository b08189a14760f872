#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/gate.hpp"
#include "harness/gate/programs.hpp"
#include "harness/gate/request.hpp"
#include "harness/gate/setup.hpp"
#include "harness/present/gate_progress.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/plan.hpp"
#include "harness/present/repeat.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/home.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/doubts.hpp"
#include "harness/run/environment.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::cli {
namespace {

using gate::Side;
using gate::Sides;

/// Commits are named by their hashes: branches move.
std::string repeat_of(const record::Gate& gate, const record::Device& device,
                      const Sides<std::string>& commits,
                      const std::vector<record::CaseVerdict>& verdicts) {
  std::vector<std::string> failed;
  for (const record::CaseVerdict& verdict : verdicts)
    if (present::fails(verdict)) failed.push_back(verdict.case_name);
  if (failed.empty()) return {};
  return present::repeating_line(
      gate.command_line, device.id, gate.seed, present::names_to_repeat(failed),
      {{"--baseline-ref", commits.baseline}, {"--candidate-ref", commits.candidate}});
}

void print_start(std::FILE* out, const gate::GateSetup& setup, const gate::Wanted& wanted,
                 const std::vector<std::string>& notes) {
  present::say(out, present::device_text(setup.device, !wanted.options.device.empty()));
  present::say(out, present::start_text(setup, wanted.resumed.has_value()));
  for (const std::string& note : notes)
    present::say(out, fmt::format("  {}\n", printable(note, 2000)));
}

}  // namespace

present::GateReport gate_measured(const Context& context, const gate::GateOptions& given) {
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const gate::Wanted wanted = given.resume.empty()
                                  ? gate::from_command_line(given)
                                  : gate::from_gate(context.results, given, present::say_left_out);
  const gate::GateOptions& options = wanted.options;
  const std::filesystem::path home = process::home();
  const gate::Programs programs = gate::find_programs(wanted, [&](const std::string& line) {
    if (!context.quiet) present::say(stderr, printable(line, 4000) + '\n');
  });

  const run::Profile profile =
      wanted.used_profile ? *wanted.used_profile : run::load_profile(options.profile, home);
  const record::Device device = gate::choose_device(wanted, programs);
  gate::check_options(options, device);
  const gate::GateCases cases = gate::choose_cases(wanted, programs, device, profile, home);
  gate::check_code(wanted, programs, cases);
  const std::string options_text = gate::to_text(wanted, device.id, programs, cases);
  gate::GateSetup setup = gate::setup_of(wanted, programs, device, profile, cases);
  record::Gate& gate = setup.gate;
  if (!wanted.resumed) {
    gate.command_line = "ridgeline " + shell_line(context.arguments);
    gate.options = options_text;
  }
  gate::set_runs(setup, profile, options.label);
  std::vector<std::string> notes = gate::notes_of(setup, programs, cases);
  if (!context.quiet) print_start(out, setup, wanted, notes);

  const run::DeviceLock lock(setup.device.uuid,
                             fmt::format("gate {}: {}", gate.id, gate.command_line),
                             while_in_use(setup.device.id, options.no_wait));
  present::GateReport report;
  report.doubts = run::look_for_doubts(setup.device);
  if (!context.quiet) present::say(out, present::doubts_text(report.doubts));
  const record::Environment environment = run::observe_environment(setup.device);
  report.device = setup.device;
  report.notes = notes;
  report.file = wanted.resumed ? wanted.resumed->file
                               : store::file_of_model(context.results, setup.device.model);
  store::Store store = store::Store::create(report.file);
  if (wanted.resumed) {
    gate::check_unchanged(wanted, setup, store, environment, options_text);
    gate::add_measured(setup, store);  // before the gate counts as running: it may fail
    // Refuses one that has finished while the device was waited for.
    store::resume_gate(store, gate.id);
  } else {
    store::begin(store, gate, setup.baseline_run, setup.candidate_run, setup.device, environment);
  }

  present::GateDisplay display(out, context.quiet);
  gate::GateObserver observer;
  observer.tick = std::bind_front(&present::GateDisplay::tick, &display);
  observer.decided = std::bind_front(&present::GateDisplay::decided, &display);
  observer.pilot = std::bind_front(&present::GateDisplay::pilot, &display);
  const auto tell = [&](const std::string& note) {
    display.clear();
    if (!context.quiet) present::say(out, fmt::format("  {}\n", printable(note, 2000)));
  };
  observer.note = [&](const std::string& note) {
    report.notes.push_back(note);
    tell(note);
  };
  observer.forecast = [&](const gate::GateForecast& forecast) {
    const std::string text = present::forecast_text(forecast);
    if (!report.forecast && !text.empty()) tell(text);
    report.forecast = forecast;
    gate.options = gate::with_forecast(gate.options, forecast);
    store::set_options(store, gate.id, gate.options);
  };
  try {
    gate::measure_gate(setup, store, observer);
  } catch (const gate::WorkerChanged&) {
    display.clear();
    throw;  // going on would be refused
  } catch (const Error& error) {
    display.clear();
    throw Error(error.kind(), error.what(),
                fmt::format("{}{}what was measured is stored; resume: {}", error.advice(),
                            error.advice().empty() ? "" : "; ",
                            present::resume_command(
                                gate, record::to_string(record::RunStatus::failed), report.file)));
  }
  process::end_descendants();
  display.clear();
  report.gate = gate;
  report.verdicts = store::verdicts(store, gate.id);
  report.beside = present::beside_times(store, gate);
  if (analysis::gives_counts(device.kind))
    std::ranges::move(gate::metric_notes(gate, options.config, store),
                      std::back_inserter(report.notes));
  if (report.forecast)
    if (const std::string text = present::forecast_text(*report.forecast); !text.empty())
      report.notes.push_back(text);
  present::sort_by_importance(report.verdicts);
  report.repeat = repeat_of(gate, setup.device, programs.commits, report.verdicts);
  report.exit_code = present::gate_exit_code(gate.status, report.verdicts, options.strict);
  return report;
}

}  // namespace ridgeline::cli
