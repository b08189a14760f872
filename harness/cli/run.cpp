#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/case_files.hpp"
#include "harness/cli/run_all.hpp"
#include "harness/cli/run_measured.hpp"
#include "harness/present/plan.hpp"
#include "harness/present/terminal.hpp"
#include "harness/process/home.hpp"
#include "harness/process/launcher.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/doubts.hpp"
#include "harness/run/environment.hpp"
#include "harness/run/expected_ranks.hpp"
#include "harness/run/hardware_counters.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/typed_numbers.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace {

/// Takes the cases that --exclude picks out of the plan.
void exclude(run::Plan& plan, const std::vector<std::string>& excluded,
             const std::vector<run::Worker>& workers) {
  if (excluded.empty()) return;
  std::vector<std::string> names;
  for (const run::Selected& each : run::all_cases(workers, plan.device)) names.push_back(each.name);
  run::check_patterns(excluded, names);
  std::erase_if(plan.cases,
                [&](const run::Selected& each) { return any_matches(excluded, each.name); });
  if (plan.cases.empty())
    throw Error(ErrorKind::usage, "--exclude leaves no case to measure",
                "exclude fewer, or choose more");
}

/// What --launcher and --hosts say; absent when neither is given.
std::optional<process::Launcher> launcher_of(const RunOptions& options) {
  if (options.launcher.empty() && options.hosts.empty()) return std::nullopt;
  process::Launcher launcher;
  if (!options.launcher.empty()) launcher.program = options.launcher;
  launcher.hosts = options.hosts;
  process::check(launcher);
  return launcher;
}

/// The workers, whose ranks are started as `launcher` says.
std::vector<run::Worker> ask_workers(const std::vector<std::string>& named,
                                     const std::optional<process::Launcher>& launcher) {
  std::vector<run::Worker> workers = run::ask_workers(named, run::Ask::cases_and_devices);
  if (launcher)
    for (run::Worker& worker : workers) worker.launcher = *launcher;
  return workers;
}

/// Makes sure that --launcher and --hosts are about something.
void check_launched(const RunOptions& options, const run::Plan& plan) {
  for (const auto& [name, value] :
       {std::pair("--launcher", &options.launcher), std::pair("--hosts", &options.hosts)})
    if (!value->empty())
      run::require_ranks(fmt::format("{} {}", name, printable(*value)), plan.cases,
                         "leave it out, or choose such cases: ridgeline run 'collectives/*'");
}

record::Environment environment_of(const run::Plan& plan) {
  const auto of_ranks = std::ranges::find_if(
      plan.cases, [](const run::Selected& each) { return !each.worker->hello.launcher.empty(); });
  return run::observe_environment(
      plan.device, of_ranks == plan.cases.end() ? "" : process::spread(of_ranks->worker->launcher));
}

/// What a run that is resumed keeps.
void check_resumable(const RunOptions& options) {
  const std::pair<const char*, bool> kept[] = {{"PATTERN", !options.patterns.empty()},
                                               {"--exclude", !options.excluded.empty()},
                                               {"--processes", options.processes.has_value()},
                                               {"--expect-ranks", options.ranks.has_value()},
                                               {"--seed", !options.seed.empty()},
                                               {"--label", !options.label.empty()},
                                               {"--unfit", !options.unfit.empty()}};
  for (const auto& [name, given] : kept)
    if (given)
      throw Error(ErrorKind::usage, fmt::format("{} does not go with --resume", name),
                  "a run that is resumed keeps the cases and options that it was started with");
}

int resume(const Context& context, const RunOptions& options) {
  check_resumable(options);
  const std::optional<process::Launcher> launcher = launcher_of(options);
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const std::filesystem::path home = process::home();
  const present::RepeatedRun resumed =
      present::find_repeated(context.results, options.resume, present::Again::resume);
  present::check_workers(resumed, context.workers);
  run::Plan plan;
  plan.run = resumed.found.summary.run;
  plan.profile = resumed.profile;
  if (!options.budget.empty()) plan.profile.budget_s = run::parse_budget(options.budget);
  const std::vector<run::Worker> workers = ask_workers(context.workers, launcher);
  plan.device = present::same_device(resumed, workers, context.device);
  plan.cases = present::resumed_cases(resumed, workers, plan.device, home);
  check_launched(options, plan);
  if (plan.device.kind == DeviceKind::emulated) plan.profile.processes = 1;
  if (options.counters) run::require_counters(plan.device);
  const run::DeviceLock lock(plan.device.uuid,
                             fmt::format("run {}: {}", plan.run.id, plan.run.command_line),
                             while_in_use(plan.device.id, options.no_wait));
  const present::Resumed before =
      present::go_on(resumed, workers, environment_of(plan), options.counters, plan);
  if (!context.quiet) {
    present::say(out, present::device_text(plan.device));
    present::say(out, fmt::format("run {}, resumed: {}\n{}", plan.run.id,
                                  present::executions_text(plan), present::resumed_text(before)));
  }
  const std::vector<std::string> doubts = run::look_for_doubts(plan.device);
  if (!context.quiet) present::say(out, present::doubts_text(doubts));
  store::Store store = store::Store::create(resumed.found.file);
  if (!before.finished) store::resume(store, plan.run.id);
  return measure_plan(context, options, plan, store, {std::nullopt, {}, before, doubts});
}

int run(const Context& context, const RunOptions& options) {
  if (context.device == all_gpus) return run_on_all(context, options);
  if (!options.resume.empty()) return resume(context, options);
  const std::optional<process::Launcher> launcher = launcher_of(options);
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const std::filesystem::path home = process::home();
  std::optional<present::RepeatedRun> repeated;
  if (!options.repeat_of.empty())
    repeated = present::find_repeated(context.results, options.repeat_of);
  run::Plan plan;
  plan.profile = repeated
                     ? repeated->profile
                     : run::load_profile(context.profile.empty() ? "quick" : context.profile, home);
  if (!options.budget.empty()) plan.profile.budget_s = run::parse_budget(options.budget);
  if (options.processes) plan.profile.processes = *options.processes;
  const Words words(options.patterns);
  const std::vector<std::string> named = with_files(context.workers, words);
  if (repeated) present::check_workers(*repeated, named);
  const std::vector<run::Worker> workers = ask_workers(named, launcher);
  const bool files_alone = !words.files.empty() && words.patterns.empty();
  const std::vector<run::Worker> deciding = files_alone ? of_files(workers, words) : workers;
  std::vector<std::string> gone;  // of the repeated run's cases
  if (repeated) {
    plan.device = present::same_device(*repeated, workers, context.device);
    present::CasesAgain again =
        present::cases_again(*repeated, workers, plan.device, words.patterns);
    plan.cases = std::move(again.cases);
    gone = std::move(again.gone);
  } else {
    plan.device = run::choose_device(deciding, context.device);
    plan.cases = run::select(workers, plan.device, plan.profile,
                             cases_of(workers, words, to_string(plan.device.kind)), home);
  }
  exclude(plan, options.excluded, workers);
  check_launched(options, plan);
  if (options.ranks) run::expect_ranks(*options.ranks, plan.cases, workers, plan.device);
  if (plan.device.kind == DeviceKind::emulated) {
    if (options.processes)
      throw Error(ErrorKind::usage,
                  fmt::format("--processes has no effect on {}", printable(plan.device.id)),
                  "leave it out: counts are exact, so one process is enough");
    plan.profile.processes = 1;
  }
  if (options.counters) run::require_counters(plan.device);
  const bool chosen = repeated || !context.device.empty();
  if (repeated && !context.quiet) present::say(out, present::processes_text(*repeated, plan));
  const std::string device_line =
      chosen ? present::device_text(plan.device) : present::best_device_text(plan.device, deciding);
  if (options.dry_run)
    return present::dry_run(context.results, plan, device_line, context.json, context.quiet);
  plan.run.id = run::new_run_id();
  plan.run.device_uuid = plan.device.uuid;
  plan.run.label = options.label;
  plan.run.unfit = options.unfit;
  const std::vector<std::string> typed = recorded(context.arguments, workers, words);
  plan.run.command_line =
      repeated ? present::command_line(typed, *repeated) : "ridgeline " + shell_line(typed);
  plan.run.profile = plan.profile.name;
  plan.run.profile_text = plan.profile.text;
  plan.run.unstable = plan.profile.sampling.unstable;
  const bool same_seed = repeated && options.seed.empty();
  plan.run.seed = same_seed ? repeated->found.summary.run.seed : run::parse_seed(options.seed);
  if (!context.quiet) {
    present::say(out, device_line);
    present::say(out, fmt::format("run {}: {}\n", plan.run.id, present::executions_text(plan)));
  }

  const run::DeviceLock lock(plan.device.uuid,
                             fmt::format("run {}: {}", plan.run.id, plan.run.command_line),
                             while_in_use(plan.device.id, options.no_wait));
  const std::vector<std::string> doubts = run::look_for_doubts(plan.device);
  if (!context.quiet) present::say(out, present::doubts_text(doubts));
  store::Store store =
      store::Store::create(store::file_of_model(context.results, plan.device.model));
  plan.run.started = run::timestamp();
  store::begin(store, plan.run, plan.device, environment_of(plan));

  return measure_plan(context, options, plan, store,
                      {std::move(repeated), std::move(gone), std::nullopt, doubts});
}

}  // namespace

void add_run(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "run", "Measure cases and keep every sample",
                  R"(
  ridgeline run                                 the profile quick on the best device
  ridgeline run mine.py                         all cases of a Python file of one's own
  ridgeline run --device cpu gemm 'roofs/*'     these suites of the profile, on the CPU
  ridgeline run --device all                    on every GPU at once, a run each: which is slower
                                                than its siblings?
  ridgeline run --profile nightly --label try   more cases, more closely, with a word to find it by
  ridgeline run --budget 30s --processes 3      at most so long; three processes give an interval
  ridgeline run --exclude '*/naive' --dry-run   what would be measured, and about how long
  ridgeline run gemm/naive/f32/m=128,n=128,k=128
                                                a full name is measured whatever the profile says
  ridgeline run --repeat-of latest              the same cases, seeds, order and options again: does
                                                each come out the same? What is given beside it
                                                replaces its own
  ridgeline run gemm --counters                 what the hardware counts in one execution of each,
                                                kept beside its times: ncu must be on the PATH
  ridgeline run 'collectives/*' --hosts hosts   ranks on several hosts, by mpirun
  ridgeline run --resume latest --budget 5m     go on with a run that was interrupted, killed or cut
                                                off by its budget: what it has is not measured
                                                again. The budget counts from now
  ridgeline run --resume latest --counters      and read the counters that it lacks, of a finished
                                                run, too

Every measurement is stored the moment it is finished; Ctrl-C keeps what is done, a second one ends
at once.
Exit codes: 0 fine, 2 wrong result, crash, timeout or no time left for a case, 3 with --strict also
unstable, disturbed or above its roof, 130 interrupted.)",
                  run, "nothing was measured");
  command.option("PATTERN", options.patterns,
                 "Globs on case names, and Python files of cases; without any, all of the profile");
  command.option("--exclude", options.excluded,
                 "Leave out the cases that this glob picks; may be given again",
                 {.value_name = "PATTERN", .one_value = true});
  for (const auto add : {add_device_option, add_profile_option}) add(command, context);
  command.option("--budget", options.budget,
                 "Wall clock of the whole run, its counters too, in place of the profile's",
                 {.value_name = "TIME"});
  command.option("--processes", options.processes, "Processes per case, in place of the profile's",
                 {.value_name = "N", .between = std::pair(1, 1000)});
  command.option("--expect-ranks", options.ranks,
                 "Refuse to measure collectives by another number of ranks",
                 {.value_name = "N", .between = std::pair(1, 100000)});
  command.option("--launcher", options.launcher,
                 "What starts the ranks of collectives; without it mpirun",
                 {.value_name = "PROGRAM", .one_of = process::launchers});
  command.option("--hosts", options.hosts,
                 "Start ranks on the hosts of this hostfile of Open MPI's; this one is the first",
                 {.value_name = "FILE"});
  command.option("--seed", options.seed, "Of the order of cases and of their inputs",
                 {.value_name = "N"});
  command.option("--repeat-of", options.repeat_of,
                 "Measure the cases of a stored run again, and compare", {.value_name = "RUN"});
  command.option("--resume", options.resume, "Measure what a stored run has left, as a part of it",
                 {.value_name = "RUN"});
  command.option("--label", options.label, "A word to find the run by",
                 {.value_name = "TEXT", .may_be_empty = true});
  command.option("--unfit", options.unfit,
                 "Why the machine is not fit to measure: the run makes no night of a trend",
                 {.value_name = "TEXT", .may_be_empty = true});
  command.flag("--counters", options.counters,
               "Afterwards have Nsight Compute read the GPU's counters of each case");
  command.flag("--strict", options.strict,
               "Exit 3 when a case is unstable, was disturbed or beats its roof");
  command.flag("--dry-run", options.dry_run,
               "List the cases and estimate the time; measure and store nothing");
  command.flag("--no-wait", options.no_wait, "Exit 69 when another run holds the device");
  command.exclusive({"--profile", "--repeat-of", "--resume"});
  command.exclusive({"--dry-run", "--resume"});
  for (const auto add : {add_results_option, add_worker_option, add_json_option, add_quiet_option})
    add(command, context);
}

}  // namespace ridgeline::cli
