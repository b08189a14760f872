#include "harness/cli/run_measured.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/case_table.hpp"
#include "harness/present/clocks.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/hardware_table.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/progress.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/terminal.hpp"
#include "harness/process/clock.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/record/json.hpp"
#include "harness/run/hardware_counters.hpp"

namespace ridgeline::cli {
namespace {

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

/// How the measuring of a plan ended.
struct Ending {
  record::RunStatus status = record::RunStatus::finished;
  int cut_off = 0;  // executions that the budget left out of measured cases
  std::optional<present::Repeat> again;
  std::vector<run::Unread> unread;  // counters that were asked for
};

/// Whose counters were not read, a line for each reason.
std::string unread_text(const std::vector<run::Unread>& unread) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [name, reason] : unread) by_reason[reason].push_back(name);
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text += fmt::format("counters of {} were not read: {}\n",
                        names.size() == 1 ? printable(names.front(), 400)
                                          : fmt::format("{} cases, {} among them,", names.size(),
                                                        printable(names.front(), 400)),
                        reason);
  return text;
}

int close(const Context& context, const RunOptions& options, const run::Plan& plan,
          const store::Store& store, const Ending& ending, const Origin& origin) {
  const auto& [status, cut_off, again, unread] = ending;
  const auto measurements = store::measurements(store, plan.run.id, store::Samples::leave_out);
  const auto summaries =
      analysis::summarise(measurements, store::roofs(store, plan.run.id), plan.run.unstable);
  const std::optional<analysis::Clocks> clocks = analysis::clocks_of(measurements);
  int code = present::exit_code(status, summaries, options.strict);
  if (((again && !again->gone.empty()) || !unread.empty()) && code != present::interrupted)
    code = present::not_all_measured;
  if (!unread.empty() && process::Interrupt::requested()) code = present::interrupted;
  const std::string repeat = present::repeating_failures(plan.run, plan.device.id, summaries);
  const std::string resume = present::resuming_line(plan.run, record::to_string(status),
                                                    measurements, store.file(), options.counters);
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
    if (clocks) all["clocks"] = present::to_json(*clocks);
    if (again) all["repeat_of"] = present::to_json(*again);
    if (origin.resumed) all["resumed"] = present::to_json(*origin.resumed);
    if (!origin.doubts.empty()) all["doubts"] = origin.doubts;
    for (const auto& [name, reason] : unread) all["counters_unread"][name] = reason;
    if (!resume.empty()) all["resume"] = resume;
    if (!repeat.empty()) all["repeat"] = repeat;
    present::print_json(all);
    return code;
  }
  present::say(
      stdout,
      fmt::format("\n{}\n{}: {}\n", present::case_table(summaries, present::look_of(stdout)),
                  units::plural(std::ssize(summaries), "case"),
                  summaries.empty() ? "nothing was measured" : present::outcome_counts(summaries)));
  if (clocks) present::say(stdout, fmt::format("clocks: {}\n", present::clocks_text(*clocks)));
  present::say(stdout, cut_off_text(plan.profile, summaries, cut_off));
  if (const std::string hardware = present::hardware_table(summaries, present::look_of(stdout));
      !hardware.empty())
    present::say(stdout, fmt::format("\n{}\n", hardware));
  present::say(stdout, unread_text(unread));
  if (again)
    present::say(stdout,
                 fmt::format("\n{}", present::repeat_text(*again, present::look_of(stdout).width)));
  present::say(
      stdout,
      fmt::format("stored as {} in {}{}\n", plan.run.id, store.file().string(),
                  status == record::RunStatus::interrupted ? ", marked as interrupted" : ""));
  if (!resume.empty()) present::say(stdout, fmt::format("resume: {}\n", printable(resume, 4000)));
  if (!repeat.empty()) present::say(stdout, fmt::format("repeat what failed: {}\n", repeat));
  return code;
}

}  // namespace

int measure_plan(const Context& context, const RunOptions& options, const run::Plan& plan,
                 store::Store& store, Origin origin) {
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const process::Clock::time_point start = process::Clock::now();
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
    if (origin.resumed && origin.resumed->finished) return record::RunStatus::finished;
    try {
      return run::drive(plan, store, observer);
    } catch (const Error& error) {
      display.clear();
      const std::string resume =
          present::resuming_line(plan.run, "failed", {}, store.file(), options.counters);
      throw Error(
          error.kind(), error.what(),
          fmt::format("{}{}what was reported as measured is stored; {}: {}", error.advice(),
                      error.advice().empty() ? "" : "; ", resume.empty() ? "repeat" : "resume",
                      resume.empty() ? present::repeating_line(plan.run, plan.device.id) : resume));
    }
  }();
  process::end_descendants();
  display.clear();
  Ending ending{status, cut_off, {}, {}};
  if (options.counters && status == record::RunStatus::finished) {
    std::optional<double> limit_s;  // a profile's budget is for times alone
    if (!options.budget.empty()) limit_s = plan.profile.budget_s - process::seconds_since(start);
    ending.unread = run::read_counters(
        plan, store, limit_s,
        [&](const std::string& case_name, int after) { display.counting(case_name, after); });
  }
  display.clear();
  if (origin.repeated)
    ending.again = present::compare(*origin.repeated, plan.run.id, std::move(origin.gone), store);
  return close(context, options, plan, store, ending, origin);
}

}  // namespace ridgeline::cli
