#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/table.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/baselines.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

using store::FoundRun;

/// A name in the file of one device model.
struct Named {
  record::Baseline baseline;
  FoundRun run;

  const std::string& model() const { return run.summary.device.model; }
};

/// Of all files that can be read, by model and name.
std::vector<Named> all_baselines(const std::filesystem::path& results,
                                 const std::vector<FoundRun>& runs) {
  std::map<std::filesystem::path, std::map<std::string_view, const FoundRun*>> by_file;
  for (const FoundRun& run : runs) by_file[run.file].emplace(run.summary.run.id, &run);
  std::vector<Named> all;
  for (const std::filesystem::path& file : store::results_files(results)) {
    const auto known = by_file.find(file);
    if (known == by_file.end()) continue;  // no runs, or said to be left out
    for (const record::Baseline& baseline : store::baselines(store::Store::open(file)))
      if (const auto run = known->second.find(baseline.run_id); run != known->second.end())
        all.push_back({baseline, *run->second});
  }
  return all;
}

void check_name(const std::string& name) {
  if (is_plain_name(name, 100)) return;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' cannot be the name of a baseline", printable(name)),
              "a name has 1 to 100 letters, digits, '.', '_' or '-'");
}

/// Throws unless other runs can be compared with this one.
void check_run(const FoundRun& found, const std::string& status) {
  const std::string& id = found.summary.run.id;
  if (status == "running")
    throw Error(ErrorKind::usage, fmt::format("run {} cannot be a baseline yet: it is running", id),
                "set it once the run has finished");
  if (!found.summary.run.imported.empty())
    throw Error(ErrorKind::usage,
                fmt::format("run {} cannot be a baseline: it was imported and is unverified", id),
                "a baseline is a run that Ridgeline measured");
  const bool measured = std::ranges::any_of(found.summary.outcomes, [](const auto& outcome) {
    return record::is_success(outcome.first);
  });
  if (!measured)
    throw Error(ErrorKind::usage,
                fmt::format("run {} cannot be a baseline: no measurement of it is ok", id),
                fmt::format("ridgeline show {} says what happened", id));
}

struct BaselineOptions {
  std::string name, selector;
};

int set(const Context& context, const BaselineOptions& options) {
  const std::string& name = options.name;
  check_name(name);
  const FoundRun found = store::find_run(context.results, options.selector, present::say_left_out);
  const std::vector<FoundRun> runs = store::all_runs(context.results, [](const Error&) {});
  const std::string how = present::status(found, runs), &id = found.summary.run.id;
  check_run(found, how);
  store::Store store = store::Store::create(found.file);
  std::string before;
  for (const record::Baseline& baseline : store::baselines(store))
    if (baseline.name == name) before = baseline.run_id;
  store::set_baseline(store, {name, id, run::timestamp()});
  const std::string& model = found.summary.device.model;
  present::say(
      stdout, fmt::format("baseline {} of {} is run {} of {} UTC, {}: {}\n", name, printable(model),
                          id, present::point_in_time(found.summary.run.started), how,
                          present::outcome_counts(found.summary)));
  if (!before.empty() && before != id)
    present::say(stdout, fmt::format("  before, it was run {}\n", before));
  if (how != "finished")
    present::say(
        stderr,
        fmt::format("ridgeline: run {} is {}: cases that it did not reach have no baseline\n", id,
                    how));
  return present::fine;
}

json::Value to_json(const Named& one) {
  return {{"name", one.baseline.name},
          {"model", one.model()},
          {"set_at", one.baseline.set_at},
          {"run", present::to_json(one.run)}};
}

int list(const Context& context) {
  const std::vector<FoundRun> runs = store::all_runs(context.results, present::say_left_out);
  const std::vector<Named> all = all_baselines(context.results, runs);
  if (context.json) {
    present::print_json({{"baselines", json::list(all)}});
    return present::fine;
  }
  if (all.empty()) {
    present::say(
        stdout,
        fmt::format("there are no baselines in {}; ridgeline baseline set NAME RUN makes one\n",
                    context.results));
    return present::fine;
  }
  present::Table table({{"baseline"},
                        {"device"},
                        {"run"},
                        {"started (UTC)"},
                        {"label"},
                        {"measurements"},
                        {"set (UTC)"}});
  for (const Named& one : all) {
    const record::Run& run = one.run.summary.run;
    table.add({printable(one.baseline.name), printable(one.model()), run.id,
               present::point_in_time(run.started), printable(run.label),
               present::outcome_counts(one.run.summary),
               present::point_in_time(one.baseline.set_at)});
  }
  present::say(stdout, table.text());
  return present::fine;
}

int remove(const Context& context, const BaselineOptions& options) {
  const std::string& selector = options.name;
  const auto at = selector.find('@');
  const std::string name = at == std::string::npos ? selector : selector.substr(at + 1);
  std::vector<Named> all =
      all_baselines(context.results, store::all_runs(context.results, present::say_left_out));
  if (at != std::string::npos) {
    const std::filesystem::path file = store::results_file(context.results, selector.substr(0, at));
    std::erase_if(all, [&](const Named& one) { return one.run.file != file; });
  }
  std::vector<std::string> known, models;
  for (const Named& one : all) {
    known.push_back(one.baseline.name);
    if (one.baseline.name == name) models.push_back(one.run.file.stem().string());
  }
  if (models.empty())
    throw Error(
        ErrorKind::usage, fmt::format("no baseline is called '{}'", printable(selector)),
        known.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(known, ", ")));
  if (models.size() > 1)
    throw Error(
        ErrorKind::usage, fmt::format("{} device models have a baseline {}", models.size(), name),
        fmt::format("say which: {}@{}", fmt::join(models, fmt::format("@{}, ", name)), name));
  const auto one =
      std::ranges::find(all, name, [](const Named& each) { return each.baseline.name; });
  store::remove_baseline(store::Store::create(one->run.file), name);
  present::say(stdout, fmt::format("baseline {} of {} is removed; run {} stays\n", name,
                                   printable(one->model()), one->baseline.run_id));
  return present::fine;
}

}  // namespace

void add_baseline(Command program, Context& context) {
  const Command command = program.command("baseline", "Name the runs that others are compared with",
                                          R"(
Examples:
  ridgeline baseline set main h200@latest       baseline:main is this run from now on, for its
                                                device model
  ridgeline gate --baseline h200@baseline:main --candidate h200@latest
                                                baseline:NAME is a run wherever a run is asked for
  ridgeline baseline list                       all names, of all device models
  ridgeline baseline remove h200@main           the run stays

Each device model has names of its own, so that one name (main) can stand for a run of every
model.)");
  const auto [setting, set_options] = add_command(
      command, context, "set", "Let a name stand for a run; a name that is taken moves to it",
      R"(
  ridgeline baseline set main latest          the latest run
  ridgeline baseline set v1.0 h200@label:v1   or any other, as for show)",
      set);
  setting.option("NAME", set_options.name, "Letters, digits, '.', '_' and '-'", {.required = true});
  setting.option("RUN", set_options.selector, "Which run, as for show", {.required = true});
  add_results_option(setting, context);
  const Command listing = add_command(command, context, "list", "List the names and their runs",
                                      R"(
  ridgeline baseline list          all device models
  ridgeline baseline list --json   for programs)",
                                      [&context] { return list(context); });
  for (const auto add : {add_results_option, add_json_option}) add(listing, context);
  const auto [removing, remove_options] =
      add_command(command, context, "remove", "Forget a name; its run stays",
                  R"(
  ridgeline baseline remove main        where one device model has it
  ridgeline baseline remove h200@main   of this model)",
                  remove);
  removing.option("NAME", remove_options.name, "The name, or MODEL@NAME", {.required = true});
  add_results_option(removing, context);
}

}  // namespace ridgeline::cli
