#include "harness/cli/trend.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/case_files.hpp"
#include "harness/present/json_output.hpp"
#include "harness/run/timestamp.hpp"

namespace ridgeline::cli {
namespace {

using present::ListedFindings;
using present::TrendReport;

struct TrendOptions : TrendChoice {
  ListedFindings listed;
  std::optional<int> limit;
  int new_nights = 1;
  bool fail_on_new = false, no_record = false, series = false;
};

void check(const TrendOptions& options, bool json) {
  check_days(options);
  if (options.shown_nights < 1 || options.new_nights < 1)
    throw Error(ErrorKind::usage, "--nights and --new-nights are 1 or more");
  if (options.fail_on_new && options.new_nights > options.shown_nights)
    throw Error(ErrorKind::usage, "--new-nights reaches farther back than --nights shows");
  if (options.limit && *options.limit < 1) throw Error(ErrorKind::usage, "--limit is 1 or more");
  if (options.series && !json) throw Error(ErrorKind::usage, "--series goes with --json");
  if (options.no_record && !options.fail_on_new)
    throw Error(ErrorKind::usage, "--no-record goes with --fail-on-new",
                "without that nothing is remembered anyway");
}

/// Remembers what was told of all devices; throws the first failure after trying each.
void record_told(std::vector<analysis::DeviceTrend>& devices, const std::string& job,
                 const std::string& now) {
  std::optional<Error> failure;
  for (analysis::DeviceTrend& trend : devices) try {
      const analysis::NightlyDevice& nights = trend.nights;
      const store::Retold changes = analysis::retold(trend, now);
      store::tell(store::Store::create(nights.file),
                  {nights.key, nights.profile, job, nights.nights.back().date, now}, changes);
    } catch (const Error& error) {
      if (!failure) failure = error;
    }
  if (!failure) return;
  throw Error(failure->kind(), failure->what(),
              "what was told is not remembered, so that the next start tells it again" +
                  (failure->advice().empty() ? "" : "; " + failure->advice()));
}

/// Says of which models several devices are there, each with so few nights that nothing of it can
/// be told, as where runners get another device every night.
void say_strangers(const std::vector<analysis::DeviceTrend>& devices) {
  constexpr std::size_t several = 3;
  std::map<std::string, std::size_t> strangers;
  for (const analysis::DeviceTrend& trend : devices)
    if (trend.nights.pool.empty() && trend.nights.nights.size() < analysis::least_told_nights)
      ++strangers[trend.nights.device.model];
  for (const auto& [model, count] : strangers)
    if (count >= several)
      present::say(
          stderr,
          fmt::format(
              "ridgeline: {} devices of {} have fewer than {} nights each, of which nothing "
              "can be told; if runners get another one each night, --by-model takes them "
              "as one, as the label pool does (ridgeline run --label pool)\n",
              count, printable(model), analysis::least_told_nights));
}

int trend(const Context& context, const TrendOptions& given) {
  check(given, context.json);
  TrendOptions options = given;
  options.choice.patterns = stored_patterns(given.choice.patterns);
  const std::string now = run::timestamp();
  analysis::TrendRules rules = rules_of(options);
  rules.new_nights = static_cast<std::size_t>(options.new_nights);
  TrendReport report{{}, rules, present::fine, options.listed};
  report.devices = standing_trends(context, options, rules, now, [&](const Error& why) {
    present::say_left_out(why);
    report.left_out.emplace_back(why.what());
  });
  if (options.limit) report.listed.most = static_cast<std::size_t>(*options.limit);
  if (!options.choice.by_model) say_strangers(report.devices);
  if (report.devices.empty()) {
    report.exit_code = present::undecided;
    present::say(
        stderr,
        fmt::format(
            "ridgeline: no night is stored{}: runs of gates, of unfit machines and imported "
            "ones make none; ridgeline run --profile nightly makes one\n",
            options.choice.until.empty() ? "" : " until " + options.choice.until));
  } else if (options.fail_on_new) {
    report.exit_code = present::fail_on_new(report.devices);
  }
  const bool blind = options.fail_on_new && !report.left_out.empty();
  if (blind) report.exit_code = static_cast<int>(ErrorKind::store);
  if (context.json)
    present::print_json(present::to_json(report, options.series));
  else
    present::say(stdout, present::trend_text(report));
  // Only what has been said is remembered as told: whoever is killed in between tells it again.
  if (options.fail_on_new && options.choice.until.empty() && !options.no_record) {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return report.exit_code;
    record_told(report.devices, job_of(options), now);
  }
  if (blind)
    throw Error(ErrorKind::store, "nobody knows what is new in the results that were left out",
                "mend them, or move them away; what was told of the others stays told");
  return report.exit_code;
}

}  // namespace

void check_days(const TrendChoice& options) {
  for (const auto& [name, day] :
       {std::pair("--since", options.choice.since), std::pair("--until", options.choice.until)})
    if (!day.empty() && !parse_day(day))
      throw Error(ErrorKind::usage, fmt::format("{} {} is not a date", name, printable(day)),
                  "write it like 2026-01-31");
  if (!options.choice.until.empty() && options.choice.until < options.choice.since)
    throw Error(ErrorKind::usage, "--until lies before --since");
}

analysis::TrendRules rules_of(const TrendChoice& options) {
  if (const auto& step = options.step_percent; step && !(*step > 0 && *step <= 100))
    throw Error(ErrorKind::usage, "--step is a percentage above 0, and at most 100",
                !(*step > 0)
                    ? "at 0 there is no change so small that noise could not be it; try 0.1"
                    : "5 is 5%: levels that are nearer to each other are no change");
  constexpr double longest_tick_ns = 1e9;
  if (const auto& tick = options.tick_ns; tick && !(*tick >= 0 && *tick <= longest_tick_ns))
    throw Error(ErrorKind::usage, "--tick is a time in ns, and at most a second",
                "at 0 the tick is not known");
  analysis::TrendRules rules;
  rules.tick_ns = options.tick_ns.value_or(rules.tick_ns);
  rules.shown_nights = static_cast<std::size_t>(options.shown_nights);
  if (options.step_percent) rules.least_step = *options.step_percent / 100;
  return rules;
}

std::string job_of(const TrendChoice& options) {
  std::vector<std::string> words = options.choice.patterns;
  if (options.step_percent) words.push_back(fmt::format("--step {}", *options.step_percent));
  if (options.tick_ns.value_or(0) > 0) words.push_back(fmt::format("--tick {}", *options.tick_ns));
  if (options.shown_nights != TrendChoice().shown_nights)
    words.push_back(fmt::format("--nights {}", options.shown_nights));
  if (!options.choice.since.empty()) words.push_back("--since " + options.choice.since);
  return fmt::to_string(fmt::join(words, " "));
}

std::vector<analysis::DeviceTrend> standing_trends(const Context& context,
                                                   const TrendChoice& options,
                                                   const analysis::TrendRules& rules,
                                                   const std::string& now,
                                                   const store::LeftOut& left_out) {
  analysis::SeriesChoice choice = options.choice;
  choice.device = context.device;
  choice.profile = context.profile;
  choice.now = parse_point_in_time(now).value();
  if (!choice.until.empty())
    choice.now = std::min(*choice.now, *parse_point_in_time(choice.until + "T23:59:59Z"));
  std::vector<analysis::DeviceTrend> trends;
  std::vector<Error> unreadable;
  for (analysis::NightlyDevice& device :
       analysis::nightly_series(context.results, choice, left_out))
    try {
      const analysis::Remembered remembered = analysis::remembered(
          store::Store::open(device.file), device, job_of(options), choice.until);
      analysis::DeviceTrend trend = analysis::trend_of(std::move(device), rules);
      analysis::stand(trend, remembered, rules, now);
      trend.silent_days = analysis::silence_of(trend.nights, *choice.now);
      trends.push_back(std::move(trend));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::store) throw;
      unreadable.push_back(error);
    }
  if (trends.empty() && !unreadable.empty()) throw Error(unreadable.front());
  std::ranges::for_each(unreadable, left_out);
  return trends;
}

void add_choice(Command command, Context& context, TrendChoice& options) {
  command.option("--device", context.device,
                 "cuda:0, words of a model, or the start of a UUID; without it all devices",
                 {.value_name = "ID"});
  command.option("--profile", context.profile,
                 "Runs of this profile; without it, of each device the usual one",
                 {.value_name = "NAME"});
  command.option("--nights", options.shown_nights, "List what the last N nights brought",
                 {.value_name = "N", .default_text = "90"});
  command.option("--step", options.step_percent,
                 "The smallest change that counts; without it 1% on a GPU, 2% on a CPU",
                 {.value_name = "PERCENT"});
  command.option(
      "--tick", options.tick_ns,
      "The clock that times samples goes on by so many ns; without it as far as it shows",
      {.value_name = "NS"});
  command.flag("--by-model", options.choice.by_model,
               "Take all devices of a model as one, for runners that get another one each night");
  add_results_option(command, context);
  add_json_option(command, context);
}

void add_trend(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "trend",
                  "Find what changed over the nights that are stored, and since when",
                  R"(
  ridgeline trend                         every case of every device, the last 90 nights listed
  ridgeline trend --device h200 'gemm/*'  of one model or device
  ridgeline trend --fail-on-new           for the nightly job: exit 1 on what last night brought
  ridgeline trend --nights 365            a year's list
  ridgeline trend --until 2026-01-31      what would have been said on that day
  ridgeline trend --only new --only regression
                                          new regressions; the exit code stays that of all
  ridgeline trend acknowledge a0b1c2d3 --why 'ticket 17'
                                          seen: it fails no night any more (also: expect, resolve)
  ridgeline trend --json --series         for programs, with every value

A night is the runs from one quiet time of the day to the next; its value is the median of the
medians of all processes that were ok. A change is told once its nights are unlike any that the case
had before: a large one after two nights, a small one after a week or two. With --fail-on-new the
exit code is 2 when a case has newly stopped, 1 when one is newly slower (a change, a drift, or a
count for the worse) and nothing but code is known to have changed, else 0; 3 when no night with a
case is stored; 74 when a results file that may matter cannot be read, whatever the others hold, or
when one cannot be written: then the next start tells the same again. What was told is remembered in
the results file: each change fails one night, and again only when the job starts again for that
night. docs/trend.md says how to read it, and how often it is wrong.)",
                  trend);
  command.option("PATTERN", options.choice.patterns, "Cases; * crosses /. Without any, all",
                 {.value_name = ""});
  add_choice(command, context, options);
  command.option("--since", options.choice.since, "Leave out all nights before this day",
                 {.value_name = "DATE"});
  command.option("--until", options.choice.until,
                 "What would have been said on this day (UTC): as if no later run were stored",
                 {.value_name = "DATE"});
  command.option("--only", options.listed.kinds,
                 "List these alone, once or more; new narrows the others",
                 {.value_name = "KIND",
                  .one_value = true,
                  .one_of = {"regression", "improvement", "environment", "drift", "stopped",
                             "renamed", "mode", "gone", "new"}});
  command.option("--limit", options.limit, "List at most N of a device", {.value_name = "N"});
  command.option("--new-nights", options.new_nights, "New is what was told on the last N nights",
                 {.value_name = "N", .default_text = "1"});
  command.flag("--fail-on-new", options.fail_on_new,
               "Exit 1 or 2 when something is newly for the worse, and remember what was told");
  command.flag("--no-record", options.no_record, "With --fail-on-new: remember nothing");
  command.flag("--series", options.series, "With --json: also every value of every series");
  add_told_commands(command, context);
  add_siblings_command(command, context);
}

}  // namespace ridgeline::cli
