#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/case_table.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/plan.hpp"
#include "harness/present/progress.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/repeat_of.hpp"
#include "harness/present/terminal.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/home.hpp"
#include "harness/record/json.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/drive.hpp"
#include "harness/run/environment.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/typed_numbers.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace {

/// Options of `run` alone.
struct RunOptions {
  std::vector<std::string> patterns, excluded;
  std::string label, unfit, budget, seed, repeat_of;
  std::optional<int> processes;
  bool strict = false, no_wait = false, dry_run = false;
};

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

/// What the end of the budget has left out, in words; empty when it has not.
std::string cut_off_text(const run::Profile& profile,
                         const std::vector<analysis::CaseSummary>& summaries, int cut_off) {
  const auto never =
      std::ranges::count(summaries, record::Outcome::not_measured, &analysis::CaseSummary::outcome);
  if (cut_off == 0)
    return never == 0
               ? ""
               : fmt::format("--budget gives more than {}\n", units::duration(profile.budget_s));
  return fmt::format(
      "the budget of {} left no time for {} of cases, which have fewer processes than {}; --budget "
      "gives more\n",
      units::duration(profile.budget_s), units::plural(cut_off, "execution"), profile.processes);
}

int close(const Context& context, const RunOptions& options, const run::Plan& plan,
          const store::Store& store, record::RunStatus status, int cut_off,
          const std::optional<present::Repeat>& again) {
  const auto summaries =
      analysis::summarise(store::measurements(store, plan.run.id, store::Samples::leave_out),
                          store::roofs(store, plan.run.id), plan.run.unstable);
  int code = present::exit_code(status, summaries, options.strict);
  if (again && !again->gone.empty() && code != present::interrupted)
    code = present::not_all_measured;
  const std::string repeat =
      present::repeating_failures(plan.run.command_line, plan.device.id, plan.run.seed, summaries);
  if (context.json) {
    json::Value all{{"run", plan.run.id},
                    {"status", record::to_string(status)},
                    {"device", record::to_json(plan.device)},
                    {"profile", plan.profile.name},
                    {"seed", plan.run.seed},
                    {"file", store.file().string()},
                    {"exit_code", code},
                    {"cases", json::list(summaries, [](const auto& summary) {
                       return present::to_json(summary);
                     })}};
    if (cut_off > 0) all["cut_off"] = cut_off;
    if (const auto above = present::names_above_roof(summaries); !above.empty())
      all["above_roof"] = above;
    if (again) all["repeat_of"] = present::to_json(*again);
    if (!repeat.empty()) all["repeat"] = repeat;
    present::print_json(all);
    return code;
  }
  present::say(
      stdout,
      fmt::format("\n{}\n{}: {}\n", present::case_table(summaries, present::look_of(stdout)),
                  units::plural(std::ssize(summaries), "case"),
                  summaries.empty() ? "nothing was measured" : present::outcome_counts(summaries)));
  present::say(stdout, cut_off_text(plan.profile, summaries, cut_off));
  if (again)
    present::say(stdout,
                 fmt::format("\n{}", present::repeat_text(*again, present::look_of(stdout).width)));
  present::say(
      stdout,
      fmt::format("stored as {} in {}{}\n", plan.run.id, store.file().string(),
                  status == record::RunStatus::interrupted ? ", marked as interrupted" : ""));
  if (!repeat.empty()) present::say(stdout, fmt::format("repeat what failed: {}\n", repeat));
  return code;
}

int run(const Context& context, const RunOptions& options) {
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
  if (repeated) present::check_workers(*repeated, context.workers);
  const std::vector<run::Worker> workers =
      run::ask_workers(context.workers, run::Ask::cases_and_devices);
  std::vector<std::string> gone;  // of the repeated run's cases
  if (repeated) {
    plan.device = present::same_device(*repeated, workers, context.device);
    present::CasesAgain again =
        present::cases_again(*repeated, workers, plan.device, options.patterns);
    plan.cases = std::move(again.cases);
    gone = std::move(again.gone);
  } else {
    plan.device = run::choose_device(workers, context.device);
    plan.cases = run::select(workers, plan.device, plan.profile, options.patterns, home);
  }
  exclude(plan, options.excluded, workers);
  if (plan.device.kind == DeviceKind::emulated) {
    if (options.processes)
      throw Error(ErrorKind::usage,
                  fmt::format("--processes has no effect on {}", printable(plan.device.id)),
                  "leave it out: counts are exact, so one process is enough");
    plan.profile.processes = 1;
  }
  const bool chosen = repeated || !context.device.empty();
  if (repeated && !context.quiet) present::say(out, present::processes_text(*repeated, plan));
  if (options.dry_run)
    return present::dry_run(context.results, plan, chosen, context.json, context.quiet);
  plan.run.id = run::new_run_id();
  plan.run.device_uuid = plan.device.uuid;
  plan.run.label = options.label;
  plan.run.unfit = options.unfit;
  plan.run.command_line = repeated ? present::command_line(context.arguments, *repeated)
                                   : "ridgeline " + shell_line(context.arguments);
  plan.run.profile = plan.profile.name;
  plan.run.profile_text = plan.profile.text;
  plan.run.unstable = plan.profile.sampling.unstable;
  const bool same_seed = repeated && options.seed.empty();
  plan.run.seed = same_seed ? repeated->found.summary.run.seed : run::parse_seed(options.seed);
  if (!context.quiet) {
    present::say(out, present::device_text(plan.device, chosen));
    present::say(out, fmt::format("run {}: {}\n", plan.run.id, present::executions_text(plan)));
  }

  const run::DeviceLock lock(plan.device.uuid,
                             fmt::format("run {}: {}", plan.run.id, plan.run.command_line),
                             while_in_use(plan.device.id, options.no_wait));
  store::Store store =
      store::Store::create(store::file_of_model(context.results, plan.device.model));
  plan.run.started = run::timestamp();
  store::begin(store, plan.run, plan.device, run::observe_environment(plan.device));

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
                  fmt::format("{}{}what was reported as measured is stored; repeat: {}",
                              error.advice(), error.advice().empty() ? "" : "; ",
                              present::repeating_line(plan.run.command_line, plan.device.id,
                                                      plan.run.seed)));
    }
  }();
  process::end_descendants();
  display.clear();
  std::optional<present::Repeat> again;
  if (repeated) again = present::compare(*repeated, plan.run.id, std::move(gone), store);
  return close(context, options, plan, store, status, cut_off, again);
}

}  // namespace

void add_run(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "run", "Measure cases and keep every sample",
                  R"(
  ridgeline run                                 the profile quick on the best device
  ridgeline run --device cpu gemm 'roofs/*'     these suites of the profile, on the CPU
  ridgeline run --profile nightly --label try   more cases, more closely, with a word to find it by
  ridgeline run --budget 30s --processes 3      at most so long; three processes give an interval
  ridgeline run --exclude '*/naive' --dry-run   what would be measured, and about how long
  ridgeline run gemm/naive/f32/m=128,n=128,k=128
                                                a full name is measured whatever the profile says
  ridgeline run --repeat-of latest              the same cases, seeds, order and options again: does
                                                each come out the same? What is given beside it
                                                replaces its own

Every measurement is stored the moment it is finished; Ctrl-C keeps what is done, a second one ends
at once.
Exit codes: 0 fine, 2 wrong result, crash or timeout, 3 with --strict also unstable, disturbed or
above its roof, 130 interrupted.)",
                  run, "nothing was measured");
  command.option("PATTERN", options.patterns,
                 "Globs on case names; without any, all of the profile");
  command.option("--exclude", options.excluded,
                 "Leave out the cases that this glob picks; may be given again",
                 {.value_name = "PATTERN", .one_value = true});
  for (const auto add : {add_device_option, add_profile_option}) add(command, context);
  command.option("--budget", options.budget,
                 "Wall clock of the whole run, in place of the profile's", {.value_name = "TIME"});
  command.option("--processes", options.processes, "Processes per case, in place of the profile's",
                 {.value_name = "N", .between = std::pair(1, 1000)});
  command.option("--seed", options.seed, "Of the order of cases and of their inputs",
                 {.value_name = "N"});
  command.option("--repeat-of", options.repeat_of,
                 "Measure the cases of a stored run again, and compare", {.value_name = "RUN"});
  command.option("--label", options.label, "A word to find the run by",
                 {.value_name = "TEXT", .may_be_empty = true});
  command.option("--unfit", options.unfit,
                 "Why the machine is not fit to measure: the run makes no night of a trend",
                 {.value_name = "TEXT", .may_be_empty = true});
  command.flag("--strict", options.strict,
               "Exit 3 when a case is unstable, was disturbed or beats its roof");
  command.flag("--dry-run", options.dry_run,
               "List the cases and estimate the time; measure and store nothing");
  command.flag("--no-wait", options.no_wait, "Exit 69 when another run holds the device");
  command.exclusive({"--profile", "--repeat-of"});
  for (const auto add : {add_results_option, add_worker_option, add_json_option, add_quiet_option})
    add(command, context);
}

}  // namespace ridgeline::cli
