#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/gate.hpp"
#include "harness/gate/counted_first.hpp"
#include "harness/gate/devices.hpp"
#include "harness/gate/programs.hpp"
#include "harness/gate/request.hpp"
#include "harness/gate/setup.hpp"
#include "harness/present/gate_progress.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/plan.hpp"
#include "harness/present/repeat.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/home.hpp"
#include "harness/process/launcher.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/doubts.hpp"
#include "harness/run/environment.hpp"
#include "harness/run/timestamp.hpp"
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
  return present::repeating_line(gate.command_line, device.id, gate.seed,
                                 present::names_to_repeat(failed),
                                 {{"--baseline-ref", commits.baseline},
                                  {"--candidate-ref", commits.candidate},
                                  {"--device", device.id}});
}

void print_note(std::FILE* out, const std::string& note) {
  present::say(out, fmt::format("  {}\n", printable(note, 2000)));
}

void print_start(std::FILE* out, const gate::GateSetup& setup, const gate::Wanted& wanted,
                 const gate::Programs& programs, const std::vector<std::string>& notes) {
  present::say(out, wanted.options.device.empty()
                        ? present::best_device_text(setup.device, deciding(wanted, programs))
                        : present::device_text(setup.device));
  present::say(out, present::start_text(setup, wanted.resumed.has_value()));
  for (const std::string& note : notes) print_note(out, note);
}

/// One device's part of what a command measures.
struct DeviceGate {
  gate::Wanted wanted;
  record::Device device;
  gate::GateCases cases;
  std::string options_text;
  gate::GateSetup setup;
  present::GateReport report;
  std::optional<store::Store> store;
  bool begun = false;  // is running, as the store has it
};

/// The devices that are wanted, which can be gated together.
std::vector<record::Device> choose_devices(const gate::Wanted& wanted,
                                           const gate::Programs& programs) {
  std::vector<record::Device> devices;
  for (const std::string& name : gate::device_names(wanted.options.device)) {
    gate::Wanted one = wanted;
    one.options.device = name;
    devices.push_back(gate::choose_device(one, programs));
  }
  gate::check_devices(wanted.options, devices);
  return devices;
}

/// Of two sides, the one that waits is stopped, which reaches this host alone.
void check_hosts(const gate::GateCases& cases) {
  const bool has_ranks = std::ranges::any_of(cases.compared, [](const gate::GateCase& each) {
    return !each.baseline.worker->hello.launcher.empty();
  });
  if (const std::string spread = process::spread({}); has_ranks && !spread.empty())
    throw Error(ErrorKind::usage,
                fmt::format("a gate cannot measure ranks on other hosts ({})", spread),
                "choose other cases, or start it where all ranks are on this host");
}

/// All parts, before anything is measured. They share alpha, and the budget by their cases.
std::deque<DeviceGate> prepare(const Context& context, const gate::Wanted& wanted,
                               const gate::Programs& programs, const run::Profile& profile,
                               const std::filesystem::path& home) {
  std::deque<DeviceGate> parts;
  gate::GateCases all;
  std::vector<std::string> left_out;
  const std::vector<record::Device> devices = choose_devices(wanted, programs);
  const std::vector<std::vector<std::string>> patterns =
      gate::patterns_by_device(wanted, programs, devices, profile);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const record::Device& device = devices[i];
    if (patterns[i].empty() && !wanted.options.patterns.empty()) {
      left_out.push_back(
          fmt::format("{} is left out: no pattern chooses a case for it", device.id));
      continue;
    }
    DeviceGate& part = parts.emplace_back();
    part.wanted = wanted;
    part.wanted.options.patterns = patterns[i];
    part.device = device;
    part.cases = gate::choose_cases(part.wanted, programs, device, profile, home);
    std::erase_if(part.cases.elsewhere, [&](const run::ForOtherDevice& other) {
      return std::ranges::count(devices, other.device.kind, &record::Device::kind) > 0;
    });
    std::ranges::copy(part.cases.compared, std::back_inserter(all.compared));
  }
  check_hosts(all);
  gate::check_variants(wanted, all);
  for (DeviceGate& part : parts) {
    if (devices.size() > 1)
      part.wanted = gate::on_device(part.wanted, part.device.id, part.cases.compared.size(),
                                    all.compared.size());
    part.options_text = gate::to_text(part.wanted, part.device.id, programs, part.cases);
    part.setup = gate::setup_of(part.wanted, programs, part.device, profile, part.cases);
    record::Gate& gate = part.setup.gate;
    if (!wanted.resumed) {
      gate.cases = static_cast<int>(all.compared.size());
      gate.command_line = "ridgeline " + shell_line(context.arguments);
      gate.options = part.options_text;
    }
    gate::set_runs(part.setup, profile, wanted.options.label);
    part.report.device = part.device;
    part.report.notes = gate::notes_of(part.setup, programs, part.cases);
    part.report.file = wanted.resumed ? wanted.resumed->file
                                      : store::file_of_model(context.results, part.device.model);
  }
  std::ranges::copy(left_out, std::back_inserter(parts.front().report.notes));
  return parts;
}

/// Of all devices, always in one order, so that no two commands wait for each other.
std::vector<run::DeviceLock> lock(const std::deque<DeviceGate>& parts, bool no_wait) {
  std::vector<const DeviceGate*> ordered;
  for (const DeviceGate& part : parts) ordered.push_back(&part);
  std::ranges::sort(ordered, {}, [](const DeviceGate* part) { return part->device.uuid; });
  std::vector<run::DeviceLock> locks;
  for (const DeviceGate* part : ordered) {
    const record::Gate& gate = part->setup.gate;
    locks.emplace_back(part->device.uuid, fmt::format("gate {}: {}", gate.id, gate.command_line),
                       while_in_use(part->device.id, no_wait));
  }
  return locks;
}

void count_first(const Context& context, const gate::Programs& programs, std::FILE* out,
                 DeviceGate& part) {
  for (const std::string& note : gate::count_first(programs, part.setup)) {
    part.report.notes.push_back(note);
    if (!context.quiet) print_note(out, note);
  }
}

void begin(DeviceGate& part) {
  const record::Environment environment = run::observe_environment(part.device);
  part.store.emplace(store::Store::create(part.report.file));
  store::Store& store = *part.store;
  gate::GateSetup& setup = part.setup;
  if (part.wanted.resumed) {
    gate::check_unchanged(part.wanted, setup, store, environment, part.options_text);
    gate::add_measured(setup, store);  // before the gate counts as running: it may fail
    // Refuses one that has finished while the device was waited for.
    store::resume_gate(store, setup.gate.id);
  } else {
    store::begin(store, setup.gate, setup.baseline_run, setup.candidate_run, part.device,
                 environment);
  }
  part.begun = true;
}

void measure(const Context& context, const gate::Programs& programs, std::FILE* out,
             DeviceGate& part) {
  gate::GateSetup& setup = part.setup;
  record::Gate& gate = setup.gate;
  store::Store& store = *part.store;
  present::GateReport& report = part.report;
  report.doubts = run::look_for_doubts(part.device);
  if (!context.quiet) present::say(out, present::doubts_text(report.doubts));
  present::GateDisplay display(out, context.quiet);
  gate::GateObserver observer;
  observer.tick = std::bind_front(&present::GateDisplay::tick, &display);
  observer.decided = std::bind_front(&present::GateDisplay::decided, &display);
  observer.pilot = std::bind_front(&present::GateDisplay::pilot, &display);
  const auto tell = [&](const std::string& note) {
    display.clear();
    if (!context.quiet) print_note(out, note);
  };
  observer.note = [&](const std::string& note) {
    report.notes.push_back(note);
    tell(note);
  };
  observer.forecast = [&](const gate::GateForecast& forecast) {
    const std::string text = present::forecast_text(forecast);
    // Again when the costs turned out to be others, but not when the pilot adds what is found.
    const bool news = !report.forecast || report.forecast->wanted_s != forecast.wanted_s;
    if (news && !text.empty()) tell(text);
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
  if (analysis::gives_counts(part.device.kind))
    std::ranges::move(gate::metric_notes(gate, part.wanted.options.config, store),
                      std::back_inserter(report.notes));
  if (report.forecast)
    if (const std::string text = present::forecast_text(*report.forecast); !text.empty())
      report.notes.push_back(text);
  report.verdicts = store::verdicts(store, gate.id);
  report.beside = present::beside_times(store, gate);
  report.spent = store::spent_time(store, gate.id);
  present::sort_by_importance(report.verdicts);
  report.repeat = repeat_of(gate, part.device, programs.commits, report.verdicts);
}

/// A part that has begun and is not measured any more: it can be resumed.
void leave(DeviceGate& part) {
  record::Gate& gate = part.setup.gate;
  gate.status = record::RunStatus::interrupted;
  gate.finished = run::timestamp();
  store::finish_gate(*part.store, gate.id, gate.status, gate.finished);
}

}  // namespace

std::vector<present::GateReport> gates_measured(const Context& context,
                                                const gate::GateOptions& given) {
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const gate::Wanted wanted = given.resume.empty()
                                  ? gate::from_command_line(given)
                                  : gate::from_gate(context.results, given, present::say_left_out);
  const std::filesystem::path home = process::home();
  const run::Profile profile =
      wanted.used_profile ? *wanted.used_profile : run::load_profile(wanted.options.profile, home);
  const gate::Programs programs = gate::find_programs(wanted, [&](const std::string& line) {
    if (!context.quiet) present::say(stderr, printable(line, 4000) + '\n');
  });
  std::deque<DeviceGate> parts = prepare(context, wanted, programs, profile, home);
  if (!context.quiet)
    for (const DeviceGate& part : parts)
      print_start(out, part.setup, part.wanted, programs, part.report.notes);
  const std::vector<run::DeviceLock> locks = lock(parts, wanted.options.no_wait);
  if (wanted.options.counts_first)
    for (DeviceGate& part : parts) count_first(context, programs, out, part);
  std::vector<present::GateReport> reports;
  std::size_t measured = 0;
  try {
    for (DeviceGate& part : parts) begin(part);
    for (DeviceGate& part : parts) {
      const bool stop =
          measured > 0 && parts[measured - 1].setup.gate.status != record::RunStatus::finished;
      ++measured;
      stop ? leave(part) : measure(context, programs, out, part);
      part.report.gate = part.setup.gate;
      part.report.exit_code = present::gate_exit_code(part.setup.gate.status, part.report.verdicts,
                                                      wanted.options.strict);
      reports.push_back(part.report);
    }
  } catch (...) {
    for (; measured < parts.size() && parts[measured].begun; ++measured) {
      try {
        leave(parts[measured]);
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first failure is the
                                         // one to tell
      }
    }
    throw;
  }
  return reports;
}

present::GateReport gate_measured(const Context& context, const gate::GateOptions& options) {
  const std::vector<present::GateReport> reports = gates_measured(context, options);
  require(reports.size() == 1, "this gate is of one device");
  return reports.front();
}

}  // namespace ridgeline::cli
