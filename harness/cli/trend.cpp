#include "harness/present/trend.hpp"

#include <cstdio>
#include <optional>

#include <fmt/core.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::cli {
namespace {

struct TrendOptions {
  analysis::SeriesChoice choice;
  analysis::TrendRules rules;
  int new_nights = 1, shown_nights = 90;
  std::optional<double> step_percent;
  bool fail_on_new = false, series = false;
};

void check(const TrendOptions& options) {
  if (const std::string& since = options.choice.since; !since.empty() && !parse_day(since))
    throw Error(ErrorKind::usage, fmt::format("--since {} is not a date", printable(since)),
                "write it like 2026-01-31");
  if (options.new_nights < 1 || options.shown_nights < 1)
    throw Error(ErrorKind::usage, "--nights and --new-nights are 1 or more");
  if (const auto& step = options.step_percent; step && !(*step > 0 && *step <= 100))
    throw Error(ErrorKind::usage, "--step is a percentage above 0, and at most 100");
  if (options.fail_on_new && options.new_nights > options.shown_nights)
    throw Error(ErrorKind::usage, "--new-nights reaches farther back than --nights shows");
}

int trend(const Context& context, const TrendOptions& typed) {
  TrendOptions options = typed;
  check(options);
  options.choice.device = context.device;
  options.choice.profile = context.profile;
  options.rules.new_nights = static_cast<std::size_t>(options.new_nights);
  options.rules.shown_nights = static_cast<std::size_t>(options.shown_nights);
  if (options.step_percent) options.rules.least_step = *options.step_percent / 100;
  present::TrendReport report{{}, options.rules, present::fine};
  for (analysis::NightlyDevice& device :
       analysis::nightly_series(context.results, options.choice, present::say_left_out))
    report.devices.push_back(analysis::trend_of(std::move(device), options.rules));
  if (report.devices.empty()) {
    report.exit_code = present::undecided;
    present::say(
        stderr,
        fmt::format("ridgeline: no night is stored: runs of gates and of unfit machines make none; "
                    "ridgeline run --profile nightly makes one\n"));
  } else if (options.fail_on_new) {
    report.exit_code = present::fail_on_new(report.devices);
  }
  if (context.json)
    present::print_json(present::to_json(report, options.series));
  else
    present::say(stdout, present::trend_text(report));
  return report.exit_code;
}

}  // namespace

void add_trend(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "trend",
                  "Find what changed over the nights that are stored, and since when",
                  R"(
  ridgeline trend                         every case of every device, the last 90 nights listed
  ridgeline trend --device h200 'gemm/*'  of one model or device
  ridgeline trend --fail-on-new           for the nightly job: exit 1 on what last night brought
  ridgeline trend --nights 365            a year's list
  ridgeline trend --json --series         for programs, with every value

A night is the runs that started on one day (UTC); its value is the median of the medians of all
processes that were ok. A change is confirmed when the analyses of three nights running have it and
60 nights are there. It is new when the analysis of the night before did not have it (--new-nights).
With --fail-on-new the exit code is 2 when a case has newly stopped, 1 when one is newly slower (a
confirmed change, a drift, or a count for the worse) and nothing but code is known to have changed,
else 0; 3 when no night is stored. docs/trend.md says how to read it, and how often it is wrong.)",
                  trend);
  command.option("PATTERN", options.choice.patterns, "Cases; * crosses /. Without any, all",
                 {.value_name = ""});
  command.option("--device", context.device,
                 "cuda:0, words of a model, or the start of a UUID; without it all devices",
                 {.value_name = "ID"});
  command.option("--profile", context.profile,
                 "Runs of this profile; without it, of each device the usual one",
                 {.value_name = "NAME"});
  command.option("--since", options.choice.since, "Leave out all nights before this day",
                 {.value_name = "DATE"});
  command.option("--nights", options.shown_nights, "List what the last N nights brought",
                 {.value_name = "N", .default_text = "90"});
  command.option("--new-nights", options.new_nights,
                 "New is what the analysis N nights ago did not have",
                 {.value_name = "N", .default_text = "1"});
  command.option("--step", options.step_percent,
                 "The smallest change that counts; without it 1% on a GPU, 2% on a CPU",
                 {.value_name = "PERCENT"});
  command.flag("--by-model", options.choice.by_model,
               "Take all devices of a model as one, for runners that get another one each night");
  command.flag("--fail-on-new", options.fail_on_new,
               "Exit 1 or 2 when something is newly for the worse");
  add_results_option(command, context);
  add_json_option(command, context);
  command.flag("--series", options.series, "With --json: also every value of every series");
}

}  // namespace ridgeline::cli
