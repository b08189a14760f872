#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_side.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/gate.hpp"
#include "harness/cli/gate_programs.hpp"
#include "harness/cli/gate_request.hpp"
#include "harness/cli/repeat.hpp"
#include "harness/present/gate_progress.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/home.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/environment.hpp"
#include "harness/run/timestamp.hpp"

namespace ridgeline::cli {
namespace {

using gate::Side;
using gate::Sides;

constexpr std::size_t max_repeated = 20;                  // names in the line that repeats failures
constexpr int cuda_samples = 25, other_samples = 10'000;  // of one side of one round, at most
constexpr double shortest_block_s = 0.03, longest_block_s = 0.1;
constexpr double sampling_share = 0.75;  // of a gate's wall time; the rest is for preparing and verifying

run::Sampling sampling_of(const run::Profile& profile, DeviceKind kind) {
  run::Sampling sampling = profile.sampling;
  sampling.target = 0;  // a block ends by its time, or its count: never because of what it found
  sampling.max_samples = kind == DeviceKind::cuda ? cuda_samples : other_samples;
  sampling.min_samples = sampling.max_samples;
  return sampling;
}

/// How long one side of one round samples: as long as gives every case all its rounds within the budget, within bounds.
double block_s(const gate::GateSetup& setup) {
  const auto blocks = 2 * setup.cases.size() * static_cast<std::size_t>(setup.plan.looks.back());
  return std::clamp(sampling_share * setup.budget_s / static_cast<double>(std::max<std::size_t>(blocks, 1)),
                    shortest_block_s, longest_block_s);
}

record::Run side_run(const record::Gate& gate, const run::Profile& profile, const std::string& label, Side side) {
  record::Run made;
  made.id = fmt::format("{}-{}", gate.id, to_string(side));
  made.gate = gate.id;
  made.device_uuid = gate.device_uuid;
  made.label = label;
  made.command_line = gate.command_line;
  made.profile = profile.name;
  made.profile_text = profile.text;
  made.seed = gate.seed;
  made.started = gate.started;
  return made;
}

/// Decided cases of an interrupted gate stay decided.
void add_measured(gate::GateSetup& setup, const store::Store& store) {
  setup.pairs = store.pairs(setup.gate.id);
  for (const record::CaseVerdict& verdict : store.verdicts(setup.gate.id)) {
    const bool settled = std::ranges::any_of(
        setup.settled, [&](const record::CaseVerdict& each) { return each.case_name == verdict.case_name; });
    if (verdict.verdict != record::Verdict::undecided && !settled) setup.settled.push_back(verdict);
  }
}

/// Commits are named by their hashes: branches move.
std::string repeat_of(const record::Gate& gate, const record::Device& device, const Sides<std::string>& commits,
                      const std::vector<record::CaseVerdict>& verdicts) {
  std::vector<std::string> failed;
  for (const record::CaseVerdict& verdict : verdicts)
    if (present::fails(verdict)) failed.push_back(verdict.case_name);
  if (failed.empty()) return {};
  if (failed.size() > max_repeated) failed.clear();  // all of it again
  return repeating_line(gate.command_line, device.id, gate.seed, failed,
                        {{"--baseline-ref", commits.baseline}, {"--candidate-ref", commits.candidate}});
}

/// What is counted is the compiler's code: with another compiler the same source may count otherwise.
std::vector<std::string> build_notes(const gate::GateCases& cases) {
  Sides<std::vector<record::Build>> builds;
  for (const gate::GateCase& each : cases.compared) {
    builds.baseline.push_back(each.baseline.worker->hello.build);
    builds.candidate.push_back(each.candidate.worker->hello.build);
  }
  const std::vector<std::string> changed = analysis::build_changes(builds.baseline, builds.candidate);
  if (changed.empty()) return {};
  return {fmt::format("the sides were built differently, and counts may differ for that alone: {}",
                      fmt::join(changed, "; "))};
}

void print_start(std::FILE* out, const gate::GateSetup& setup, const Wanted& wanted,
                 const std::vector<std::string>& notes) {
  present::say(out, fmt::format("device {}: {} ({}){}\n", printable(setup.device.id), printable(setup.device.name),
                                printable(setup.device.model), wanted.device.empty() ? ", the best one here" : ""));
  const auto cases = setup.cases.size();
  const std::string many = fmt::format("{} case{}", cases, cases == 1 ? "" : "s");
  if (analysis::gives_counts(setup.device.kind))
    present::say(out, fmt::format("gate {}{}: {}; counts are exact, so one execution of each side decides\n",
                                  setup.gate.id, wanted.resumed ? ", gone on with" : "", many));
  else
    present::say(out, fmt::format("gate {}{}: {}, at most {} rounds and {}\n", setup.gate.id,
                                  wanted.resumed ? ", gone on with, with a new budget" : "", many,
                                  setup.plan.looks.back(), units::duration(setup.budget_s)));
  for (const std::string& note : notes) present::say(out, fmt::format("  {}\n", printable(note, 2000)));
}

}  // namespace

present::GateReport gate_measured(const Context& context, const GateOptions& given) {
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const Wanted wanted = given.resume.empty() ? from_command_line(context, given) : from_gate(context, given);
  const GateOptions& options = wanted.options;
  const std::filesystem::path home = process::home();
  const Programs programs = find_programs(wanted, [&](const std::string& line) {
    if (!context.quiet) present::say(stderr, printable(line, 4000) + '\n');
  });

  gate::GateSetup setup;
  setup.device = choose_device(wanted, programs);
  check_options(options, setup.device);
  const bool counts = analysis::gives_counts(setup.device.kind);
  const run::Profile profile = wanted.used_profile ? *wanted.used_profile : run::load_profile(wanted.profile, home);
  const gate::GateCases cases = choose_cases(wanted, programs, setup.device, profile, home);
  check_code(wanted, programs, cases);
  setup.cases = cases.compared;
  setup.settled = cases.settled;
  setup.plan = analysis::plan_for(setup.device.kind);
  setup.sampling = sampling_of(profile, setup.device.kind);
  setup.budget_s = wanted.budget_s;
  setup.sampling_s = block_s(setup);
  setup.case_timeout_s = profile.case_timeout_s;
  const std::string options_text = to_text(wanted, setup.device.id, programs, cases);

  record::Gate& gate = setup.gate;
  if (wanted.resumed) {
    gate = wanted.resumed->summary.gate;
    gate.cases = static_cast<int>(setup.cases.size());
  } else {
    gate.id = run::new_run_id();
    gate.device_uuid = setup.device.uuid;
    gate.mode = wanted.mode;
    gate.baseline = programs.names.baseline;
    gate.candidate = programs.names.candidate;
    gate.command_line = "ridgeline " + shell_line(context.arguments);
    gate.options = options_text;
    gate.rules_text = wanted.rules_text;
    gate.seed = parse_seed(options.seed);
    gate.alpha = options.alpha.value_or(analysis::CaseRule{}.alpha);
    gate.cases = static_cast<int>(setup.cases.size());
    gate.aa = options.aa;
    gate.baseline_run = gate.id + "-baseline";
    gate.candidate_run = gate.id + "-candidate";
    gate.started = run::timestamp();
  }
  setup.baseline_run = side_run(gate, profile, options.label, Side::baseline);
  setup.candidate_run = side_run(gate, profile, options.label, Side::candidate);
  std::vector<std::string> notes = programs.notes;
  if (counts) std::ranges::move(build_notes(cases), std::back_inserter(notes));
  if (gate.aa) notes.push_back("A/A: both sides are said to be the same code, so that every alarm is a false one");
  if (!context.quiet) print_start(out, setup, wanted, notes);

  const run::DeviceLock lock(
      setup.device.uuid, fmt::format("gate {}: {}", gate.id, gate.command_line), [&](const std::string& holder) {
        if (options.no_wait)
          throw Error(ErrorKind::dependency,
                      fmt::format("device {} is being measured on by {}", setup.device.id, holder),
                      "wait for it, or leave out --no-wait");
        fmt::print(stderr, "waiting for device {}, which is being measured on by {}\n", setup.device.id, holder);
      });
  const record::Environment environment = run::observe_environment(setup.device);
  present::GateReport report;
  report.device = setup.device;
  report.notes = notes;
  report.file =
      wanted.resumed ? wanted.resumed->file : std::filesystem::path(context.results) / (setup.device.model + ".sqlite");
  store::Store store = store::Store::create(report.file);
  if (wanted.resumed) {
    check_unchanged(wanted, setup, store, environment, options_text);
    store.resume_gate(gate.id);  // refuses one that has finished while the device was waited for
    add_measured(setup, store);
  } else {
    store.begin(gate, setup.baseline_run, setup.candidate_run, setup.device, environment);
  }

  present::GateDisplay display(out, context.quiet);
  gate::GateObserver observer;
  observer.tick = [&](const gate::GateProgress& progress) { display.tick(progress); };
  observer.decided = [&](const gate::GateProgress& progress, const record::CaseVerdict& verdict) {
    display.decided(progress, verdict);
  };
  observer.pilot = [&](const gate::GateProgress& progress, const std::vector<record::CaseVerdict>& verdicts) {
    display.pilot(progress, verdicts);
  };
  observer.note = [&](const std::string& note) {
    report.notes.push_back(note);
    display.clear();
    if (!context.quiet) present::say(out, fmt::format("  {}\n", printable(note, 2000)));
  };
  try {
    gate.status = gate::drive_gate(setup, store, observer);
  } catch (const gate::WorkerChanged&) {
    display.clear();
    throw;  // going on would be refused
  } catch (const Error& error) {
    display.clear();
    throw Error(error.kind(), error.what(),
                fmt::format("{}{}what was measured is stored; go on: ridgeline gate --resume {}", error.advice(),
                            error.advice().empty() ? "" : "; ", gate.id));
  }
  process::end_descendants();
  display.clear();
  gate.finished = run::timestamp();
  report.gate = gate;
  report.verdicts = store.verdicts(gate.id);
  if (counts) std::ranges::move(metric_notes(gate, options.config, store), std::back_inserter(report.notes));
  present::sort_by_importance(report.verdicts);
  report.repeat = repeat_of(gate, setup.device, programs.commits, report.verdicts);
  report.exit_code = present::gate_exit_code(gate.status, report.verdicts, options.strict);
  return report;
}

}  // namespace ridgeline::cli
