#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/dry_run.hpp"
#include "harness/cli/repeat.hpp"
#include "harness/cli/repeat_of.hpp"
#include "harness/present/case_table.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/progress.hpp"
#include "harness/present/terminal.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/home.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/record/json.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/drive.hpp"
#include "harness/run/duration.hpp"
#include "harness/run/environment.hpp"
#include "harness/run/timestamp.hpp"

namespace ridgeline::cli {
namespace {

/// Options of `run` alone.
struct RunOptions {
  std::vector<std::string> patterns, excluded;
  std::string label, unfit, budget, seed, repeat_of;
  std::optional<int> processes;
  bool strict = false, no_wait = false, dry_run = false;
};

run::Profile with_options(run::Profile profile, const RunOptions& options) {
  if (!options.budget.empty()) {
    const auto seconds = run::parse_duration(options.budget);
    if (!seconds)
      throw Error(ErrorKind::usage, fmt::format("--budget {} is not a duration above 0", printable(options.budget)),
                  "write 90s, 2m or 1h30m");
    profile.budget_s = *seconds;
  }
  if (options.processes) profile.processes = *options.processes;
  return profile;
}

/// `otherwise` without --seed.
std::uint64_t chosen_seed(const RunOptions& options, std::uint64_t otherwise) {
  if (options.seed.empty()) return otherwise;
  std::uint64_t seed = 0;
  const char* end = options.seed.data() + options.seed.size();
  if (const auto [rest, error] = std::from_chars(options.seed.data(), end, seed); error != std::errc{} || rest != end)
    throw Error(ErrorKind::usage,
                fmt::format("--seed {} is not a whole number from 0 to 2^64 - 1", printable(options.seed)));
  return seed;
}

/// Takes the cases that --exclude picks out of the plan.
void exclude(run::Plan& plan, const std::vector<std::string>& excluded, const std::vector<run::Worker>& workers) {
  if (excluded.empty()) return;
  std::vector<std::string> names;
  for (const run::Selected& each : run::all_cases(workers, plan.device)) names.push_back(each.name);
  run::check_patterns(excluded, names);
  std::erase_if(plan.cases, [&](const run::Selected& each) {
    return std::ranges::any_of(excluded, [&](const std::string& pattern) { return matches(pattern, each.name); });
  });
  if (plan.cases.empty())
    throw Error(ErrorKind::usage, "--exclude leaves no case to measure", "exclude fewer, or choose more");
}

/// What the end of the budget has left out, in words; empty when it has not.
std::string cut_off_text(const run::Profile& profile, const std::vector<analysis::CaseSummary>& summaries,
                         int cut_off) {
  const auto never = std::ranges::count(summaries, record::Outcome::not_measured, &analysis::CaseSummary::outcome);
  if (cut_off == 0)
    return never == 0 ? "" : fmt::format("--budget gives more than {}\n", units::duration(profile.budget_s));
  return fmt::format(
      "the budget of {} left no time for {} execution{} of cases, which have fewer processes than {}; --budget "
      "gives more\n",
      units::duration(profile.budget_s), cut_off, cut_off == 1 ? "" : "s", profile.processes);
}

int close(const Context& context, const RunOptions& options, const run::Plan& plan, const store::Store& store,
          record::RunStatus status, int cut_off, const std::optional<Repeat>& again) {
  const auto summaries =
      analysis::summarise(store.measurements(plan.run.id, store::Samples::leave_out), store.roofs(plan.run.id));
  int code = present::exit_code(status, summaries, options.strict);
  if (again && !again->gone.empty() && code != present::interrupted) code = present::not_all_measured;
  const std::string repeat = repeating_failures(plan.run.command_line, plan.device.id, plan.run.seed, summaries);
  if (context.json) {
    json::Value all{{"run", plan.run.id},
                    {"status", record::to_string(status)},
                    {"device", record::to_json(plan.device)},
                    {"profile", plan.profile.name},
                    {"seed", plan.run.seed},
                    {"file", store.file().string()},
                    {"exit_code", code},
                    {"cases", json::Value::array()}};
    for (const analysis::CaseSummary& summary : summaries) all["cases"].push_back(present::to_json(summary));
    if (cut_off > 0) all["cut_off"] = cut_off;
    if (again) all["repeat_of"] = to_json(*again);
    if (!repeat.empty()) all["repeat"] = repeat;
    present::print_json(all);
    return code;
  }
  present::say(stdout, fmt::format("\n{}\n{}: {}\n", present::case_table(summaries, present::look_of(stdout)),
                                   summaries.size() == 1 ? "1 case" : fmt::format("{} cases", summaries.size()),
                                   summaries.empty() ? "nothing was measured" : present::outcome_counts(summaries)));
  present::say(stdout, cut_off_text(plan.profile, summaries, cut_off));
  if (again) present::say(stdout, fmt::format("\n{}", repeat_text(*again, present::look_of(stdout).width)));
  present::say(stdout, fmt::format("stored as {} in {}{}\n", plan.run.id, store.file().string(),
                                   status == record::RunStatus::interrupted ? ", marked as interrupted" : ""));
  if (!repeat.empty()) present::say(stdout, fmt::format("repeat what failed: {}\n", repeat));
  return code;
}

int run(const Context& context, const RunOptions& options) {
  const process::Interrupt interrupt;
  process::adopt_orphans();
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const std::filesystem::path home = process::home();
  std::optional<RepeatedRun> repeated;
  if (!options.repeat_of.empty()) repeated = find_repeated(context, options.repeat_of);
  run::Plan plan;
  plan.profile = with_options(
      repeated ? repeated->profile : run::load_profile(context.profile.empty() ? "quick" : context.profile, home),
      options);
  const std::vector<run::Worker> workers = run::ask_workers(
      repeated && context.workers.empty() ? repeated->workers : context.workers, run::Ask::cases_and_devices);
  std::vector<std::string> gone;  // of the repeated run's cases
  if (repeated) {
    plan.device = same_device(*repeated, workers, context.device);
    CasesAgain again = cases_again(*repeated, workers, plan.device, options.patterns);
    plan.cases = std::move(again.cases);
    gone = std::move(again.gone);
  } else {
    plan.device = run::choose_device(workers, context.device);
    plan.cases = run::select(workers, plan.device, plan.profile, options.patterns, home);
  }
  exclude(plan, options.excluded, workers);
  if (plan.device.kind == DeviceKind::emulated) {
    if (options.processes)
      throw Error(ErrorKind::usage, fmt::format("--processes has no effect on {}", printable(plan.device.id)),
                  "leave it out: counts are exact, so one process is enough");
    plan.profile.processes = 1;
  }
  const bool chosen = repeated || !context.device.empty();
  if (repeated && !context.quiet) present::say(out, processes_text(*repeated, plan));
  if (options.dry_run) return dry_run(context, plan, chosen);
  plan.run.id = run::new_run_id();
  plan.run.device_uuid = plan.device.uuid;
  plan.run.label = options.label;
  plan.run.unfit = options.unfit;
  plan.run.command_line =
      repeated ? command_line(context.arguments, *repeated) : "ridgeline " + shell_line(context.arguments);
  plan.run.profile = plan.profile.name;
  plan.run.profile_text = plan.profile.text;
  plan.run.seed = chosen_seed(options, repeated ? repeated->found.summary.run.seed : run::random_seed());
  if (!context.quiet) {
    present::say(out, device_text(plan, chosen));
    present::say(out, fmt::format("run {}: {}\n", plan.run.id, executions_text(plan)));
  }

  const run::DeviceLock lock(
      plan.device.uuid, fmt::format("run {}: {}", plan.run.id, plan.run.command_line), [&](const std::string& holder) {
        if (options.no_wait)
          throw Error(ErrorKind::dependency, fmt::format("device {} is in use by {}", plan.device.id, holder),
                      "wait for it, or leave out --no-wait");
        fmt::print(stderr, "waiting for device {}, which is in use by {}\n", plan.device.id, holder);
      });
  store::Store store = store::Store::create(std::filesystem::path(context.results) / (plan.device.model + ".sqlite"));
  plan.run.started = run::timestamp();
  store.begin(plan.run, plan.device, run::observe_environment(plan.device));

  present::ProgressDisplay display(out, context.quiet);
  run::Observer observer;
  int cut_off = 0;
  observer.tick = [&](const run::Progress& progress) {
    cut_off = progress.cut_off;
    display.tick(progress);
  };
  observer.stored = [&](const run::Progress& progress, const run::Selected& selected,
                        const record::Measurement& measurement) {
    cut_off = progress.cut_off;
    display.stored(progress, selected, measurement);
  };
  const record::RunStatus status = [&] {
    try {
      return run::drive(plan, store, observer);
    } catch (const Error& error) {
      display.clear();
      throw Error(error.kind(), error.what(),
                  fmt::format("{}{}what was reported as measured is stored; repeat: {}", error.advice(),
                              error.advice().empty() ? "" : "; ",
                              repeating_line(plan.run.command_line, plan.device.id, plan.run.seed)));
    }
  }();
  process::end_descendants();
  display.clear();
  std::optional<Repeat> again;
  if (repeated) again = compare(*repeated, plan.run.id, std::move(gone), store);
  return close(context, options, plan, store, status, cut_off, again);
}

int run_or_stop(const Context& context, const RunOptions& options) {
  try {
    return run(context, options);
  } catch (const process::Interrupted&) {  // before anything was measured
    fmt::print(stderr, "ridgeline: interrupted; nothing was measured\n");
    return present::interrupted;
  }
}

}  // namespace

void add_run(Command program, Context& context) {
  const auto options = std::make_shared<RunOptions>();
  const Command command = add_command(
      program, context, "run", "Measure cases and keep every sample",
      "  ridgeline run                                 the profile quick on the best device\n"
      "  ridgeline run --device cpu gemm 'roofs/*'     these suites of the profile, on the CPU\n"
      "  ridgeline run --profile nightly --label try   more cases, more closely, with a word to find it by\n"
      "  ridgeline run --budget 30s --processes 3      at most so long; three processes give an interval\n"
      "  ridgeline run --exclude '*/naive' --dry-run   what would be measured, and about how long it would take\n"
      "  ridgeline run gemm/naive/f32/m=128,n=128,k=128\n"
      "                                                a full name is measured whatever the profile says\n"
      "  ridgeline run --repeat-of latest              the same cases, seeds, order and options again: does each case\n"
      "                                                come out the same? What is given beside it replaces its own\n\n"
      "Every measurement is stored the moment it is finished; Ctrl-C keeps what is done, a second one ends at once.\n"
      "Exit codes: 0 fine, 2 wrong result, crash or timeout, 3 with --strict also unstable, disturbed or above "
      "its roof, 130 interrupted.",
      [&context, options] { return run_or_stop(context, *options); });
  command.option("PATTERN", options->patterns, "Globs on case names; without any, all of the profile");
  command.option("--exclude", options->excluded, "Leave out the cases that this glob picks; may be given again")
      .value_name("PATTERN")
      .one_value();
  add_device_option(command, context);
  const Option profile = add_profile_option(command, context);
  command.option("--budget", options->budget, "Wall clock of the whole run, in place of the profile's")
      .value_name("TIME");
  command.option("--processes", options->processes, "Processes per case, in place of the profile's")
      .value_name("N")
      .between(1, 1000);
  command.option("--seed", options->seed, "Of the order of cases and of their inputs").value_name("N");
  command.option("--repeat-of", options->repeat_of, "Measure the cases of a stored run again, and compare")
      .value_name("RUN")
      .excludes(profile);
  command.option("--label", options->label, "A word to find the run by").value_name("TEXT");
  command.option("--unfit", options->unfit, "Why the machine is not fit to measure: the run makes no night of a trend")
      .value_name("TEXT");
  command.flag("--strict", options->strict, "Exit 3 when a case is unstable, was disturbed or beats its roof");
  command.flag("--dry-run", options->dry_run, "List the cases and estimate the time; measure and store nothing");
  command.flag("--no-wait", options->no_wait, "Exit 69 when another run holds the device");
  add_results_option(command, context);
  add_worker_option(command, context);
  add_json_option(command, context);
  add_quiet_option(command, context);
}

}  // namespace ridgeline::cli
