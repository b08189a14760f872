#include "harness/present/repeat_of.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_gate.hpp"
#include "harness/analysis/unpaired_decision.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/table.hpp"
#include "harness/present/terminal.hpp"
#include "harness/run/typed_numbers.hpp"

namespace ridgeline::present {
namespace {

using analysis::Reproduced;
using analysis::Reproduction;

constexpr std::size_t max_named = 5;  // of cases that are gone

const record::Run& run_of(const RepeatedRun& repeated) { return repeated.found.summary.run; }

[[noreturn]] void refuse(const RepeatedRun& repeated, const std::string& why,
                         const std::string& advice = {}) {
  throw Error(ErrorKind::usage,
              fmt::format("run {} cannot be {}: {}", run_of(repeated).id,
                          repeated.again == Again::repeat ? "repeated" : "resumed", why),
              advice);
}

std::string last(const std::vector<std::string>& values) {
  return values.empty() ? "" : values.back();
}

std::vector<std::string> names_of(const std::vector<store::StoredMeasurement>& measurements) {
  std::set<std::string> names;
  for (const store::StoredMeasurement& stored : measurements)
    names.insert(record::name(stored.case_info.id));
  return {names.begin(), names.end()};
}

/// "ridgeline-suites: 1a2b3c -> 4d5e6f" of workers whose code is another one.
std::vector<std::string> other_code(const store::StoredRun& then, const store::StoredRun& now) {
  using Codes = std::map<std::string, std::set<std::string>>;
  const auto codes = [](const store::StoredRun& side) {
    Codes found;
    for (const record::Build& build : side.builds)
      found[build.worker].insert(build.code_hash.substr(0, 8));
    return found;
  };
  const Codes before = codes(then), after = codes(now);
  std::vector<std::string> lines;
  for (const auto& [worker, hashes] : before)
    if (const auto found = after.find(worker); found != after.end() && found->second != hashes)
      lines.push_back(fmt::format("code of {} {} -> {}", printable(worker),
                                  printable(fmt::format("{}", fmt::join(hashes, ", "))),
                                  printable(fmt::format("{}", fmt::join(found->second, ", ")))));
  return lines;
}

std::string ratio_range(const Reproduction& each) {
  if (!each.ratio_low && !each.ratio_high) return {};
  const auto end = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : "?";
  };
  return fmt::format("{} to {}", end(each.ratio_low), end(each.ratio_high));
}

json::Value case_json(const Reproduction& each) {
  json::Value one{{"case", each.case_name},
                  {"reproduced", analysis::to_string(each.reproduced)},
                  {"reason", each.reason},
                  {"processes", {each.then_processes, each.now_processes}},
                  {"delta", each.delta}};
  json::put(one, "then_ns", each.then_ns);
  json::put(one, "now_ns", each.now_ns);
  json::put(one, "ratio", each.ratio);
  json::put(one, "ratio_low", each.ratio_low);
  json::put(one, "ratio_high", each.ratio_high);
  return one;
}

int count(const Repeat& repeat, Reproduced wanted) {
  return static_cast<int>(std::ranges::count(repeat.cases, wanted, &Reproduction::reproduced));
}

}  // namespace

run::Profile stored_profile(const record::Run& run) {
  const auto refuse_option = [](const char* option, const std::string& value, const char* what) {
    throw Error(ErrorKind::usage,
                fmt::format("its {} {} is not {}", option, printable(value), what));
  };
  run::Profile profile =
      run::parse_profile(run.profile_text, fmt::format("the profile stored in run {}", run.id));
  profile.name = run.profile;
  if (const std::string budget = last(values_of(run.command_line, "--budget")); !budget.empty()) {
    const auto seconds = run::parse_duration(budget);
    if (!seconds) refuse_option("--budget", budget, "a duration");
    profile.budget_s = *seconds;
  }
  if (const std::string count = last(values_of(run.command_line, "--processes")); !count.empty()) {
    const char* end = count.data() + count.size();
    const auto [rest, error] = std::from_chars(count.data(), end, profile.processes);
    if (error != std::errc{} || rest != end || profile.processes < 1 || profile.processes > 1000)
      refuse_option("--processes", count, "a number from 1 to 1000");
  }
  return profile;
}

RepeatedRun find_repeated(const std::filesystem::path& results, const std::string& selector,
                          Again again) {
  RepeatedRun repeated{again, store::find_run(results, selector, say_left_out), {}, {}, {}, {}, {}};
  const record::Run& run = run_of(repeated);
  if (!run.gate.empty())
    refuse(repeated,
           fmt::format("it is a side of gate {}, which measured both sides in turn", run.gate),
           fmt::format("{} the gate: ridgeline show names the command",
                       again == Again::repeat ? "repeat" : "resume"));
  if (!run.imported.empty())
    refuse(repeated, fmt::format("it was imported from {}, and Ridgeline did not measure it",
                                 printable(run.imported)));
  repeated.budget = last(values_of(run.command_line, "--budget"));
  repeated.processes = last(values_of(run.command_line, "--processes"));
  repeated.workers = values_of(run.command_line, "--worker");
  try {
    repeated.profile = stored_profile(run);
  } catch (const Error& error) {
    refuse(repeated, error.what());
  }
  repeated.measurements = store::measurements(store::Store::open(repeated.found.file), run.id,
                                              store::Samples::leave_out);
  if (again == Again::repeat && repeated.measurements.empty())
    refuse(repeated, "it measured nothing");
  return repeated;
}

void check_workers(const RepeatedRun& repeated, const std::vector<std::string>& named) {
  if (!named.empty() || repeated.workers.empty()) return;
  std::vector<std::string> words;
  for (const std::string& worker : repeated.workers)
    words.insert(words.end(), {"--worker", worker});
  refuse(repeated, "it started programs that its record names, and a record can be a stranger's",
         fmt::format("if you trust them, add: {}", shell_line(words)));
}

std::string command_line(const std::vector<std::string>& arguments, const RepeatedRun& repeated) {
  const std::vector<LinePart> typed = line_parts("ridgeline " + shell_line(arguments));
  std::vector<std::string> inherited;
  const auto inherit = [&](const std::string& name, const std::string& value) {
    if (!value.empty() && std::ranges::count(typed, name, &LinePart::option) == 0)
      inherited.insert(inherited.end(), {name, value});
  };
  inherit("--budget", repeated.budget);
  inherit("--processes", repeated.processes);

  std::vector<std::string> words;
  for (const LinePart& part : typed) {
    if (part.option != "--repeat-of") {
      words.insert(words.end(), part.words.begin(), part.words.end());
      continue;
    }
    words.insert(words.end(), {part.option, run_of(repeated).id});
    words.insert(words.end(), inherited.begin(), inherited.end());
    inherited.clear();
  }
  return shell_line(words);
}

record::Device same_device(const RepeatedRun& repeated, const std::vector<run::Worker>& workers,
                           const std::string& id) {
  const record::Device& then = repeated.found.summary.device;
  std::vector<std::string> here;
  for (const record::Device& device : run::devices_of(workers)) {
    if (device.uuid == then.uuid && (id.empty() || id == device.id)) return device;
    here.push_back(fmt::format("{} ({})", printable(device.id), printable(device.name)));
  }
  refuse(repeated,
         fmt::format("it was measured on {} ({}), which is not {}", printable(then.id),
                     printable(then.name), id.empty() ? "here" : printable(id)),
         fmt::format("here {} {}", here.size() == 1 ? "is" : "are", fmt::join(here, ", ")));
}

CasesAgain cases_again(const RepeatedRun& repeated, const std::vector<run::Worker>& workers,
                       const record::Device& device, const std::vector<std::string>& patterns) {
  const std::vector<std::string> names = names_of(repeated.measurements);
  run::check_patterns(patterns, names);
  std::set<std::string> wanted;
  for (const std::string& name : names)
    if (any_matches(patterns, name)) wanted.insert(name);
  CasesAgain again;
  // In the workers' order, from which the seed makes the order of measuring.
  for (run::Selected& each : run::all_cases(workers, device))
    if (wanted.erase(each.name) > 0) again.cases.push_back(std::move(each));
  again.gone.assign(wanted.begin(), wanted.end());
  if (again.cases.empty())
    refuse(repeated, fmt::format("no worker lists any of its cases any more, such as {}",
                                 again.gone.front()));
  return again;
}

std::string processes_text(const RepeatedRun& repeated, const run::Plan& plan) {
  std::map<std::string, int> timed;  // processes per case
  int most = 0;
  for (const store::StoredMeasurement& stored : repeated.measurements)
    if (stored.measurement.median_ns)
      most = std::max(most, ++timed[record::name(stored.case_info.id)]);
  const int cases = static_cast<int>(plan.cases.size());
  const std::string few = analysis::too_few_processes(most, plan.profile.processes, cases);
  if (most == 0 || few.empty()) return {};
  const int enough = analysis::least_processes({}, cases);
  const std::string processes = std::to_string(enough);
  const std::string budget =
      fmt::format("{:.0f}s", std::ceil(plan.profile.budget_s * enough / plan.profile.processes));
  const std::string& typed = run_of(repeated).command_line;
  std::string line = repeating_line(typed, plan.device.id, run_of(repeated).seed, {},
                                    {{"--processes", processes}, {"--budget", budget}});
  for (const auto& [option, value] :
       {std::pair("--processes", processes), std::pair("--budget", budget)})
    if (values_of(typed, option).empty()) line += fmt::format(" {} {}", option, value);
  return fmt::format("{}\n  measure more first: {}\n", few, line);
}

Repeat compare(const RepeatedRun& repeated, const std::string& run_id,
               std::vector<std::string> gone, const store::Store& store) {
  Repeat repeat;
  repeat.id = run_of(repeated).id;
  repeat.gone = std::move(gone);
  const auto now = store::measurements(store, run_id, store::Samples::leave_out);
  const std::vector<std::string> measured = names_of(now);
  std::vector<store::StoredMeasurement> then = repeated.measurements;
  std::erase_if(then, [&](const store::StoredMeasurement& stored) {
    return !std::ranges::binary_search(measured, record::name(stored.case_info.id));
  });
  repeat.cases = analysis::reproductions(then, now, repeated.found.summary.device.kind);
  const store::Store old_store = store::Store::open(repeated.found.file);
  store::RunSummary again = repeated.found.summary;
  again.run.id = run_id;
  const store::StoredRun before = store::stored_run(old_store, repeated.found.summary),
                         after = store::stored_run(store, again);
  const analysis::EnvironmentChanges differ = analysis::changes(before, after);
  repeat.changes = other_code(before, after);
  for (const auto* list : {&differ.comparable, &differ.recorded})
    repeat.changes.insert(repeat.changes.end(), list->begin(), list->end());
  return repeat;
}

std::string repeat_text(const Repeat& repeat, std::size_t width) {
  using Align = Table::Align;
  Table table({{"case"},
               {"then", Align::right},
               {"now", Align::right},
               {"now/then", Align::right},
               {"95% interval", Align::right, false, true},
               {"reproduced"}});
  for (const Reproduction& each : repeat.cases) {
    table.add({printable(each.case_name, 400), each.then_ns ? units::time(*each.then_ns) : "",
               each.now_ns ? units::time(*each.now_ns) : "",
               each.ratio ? fmt::format("{:.3f}", *each.ratio) : "", ratio_range(each),
               std::string(analysis::to_string(each.reproduced))});
    if (!each.reason.empty()) table.note(printable(each.reason, 150));
  }
  std::string text;
  if (!repeat.cases.empty()) text += table.text(width) + '\n';
  for (const std::string& change : repeat.changes)
    text += fmt::format("changed since: {}\n", change);
  const double delta = repeat.cases.empty() ? 0 : repeat.cases.front().delta;
  text += fmt::format("run {}: {} reproduced{}, {} not, {} undecided", repeat.id,
                      count(repeat, Reproduced::yes),
                      delta > 0 ? fmt::format(" within {}", units::percent(delta)) : "",
                      count(repeat, Reproduced::no), count(repeat, Reproduced::undecided));
  if (!repeat.gone.empty()) {
    const std::vector<std::string> named(
        repeat.gone.begin(),
        repeat.gone.begin() + static_cast<std::ptrdiff_t>(std::min(max_named, repeat.gone.size())));
    text += fmt::format("; {} no longer there: {}{}", repeat.gone.size(),
                        printable(fmt::format("{}", fmt::join(named, ", ")), 2000),
                        named.size() < repeat.gone.size() ? ", ..." : "");
  }
  return text + '\n';
}

json::Value to_json(const Repeat& repeat) {
  return {{"run", repeat.id},
          {"reproduced", count(repeat, Reproduced::yes)},
          {"not_reproduced", count(repeat, Reproduced::no)},
          {"undecided", count(repeat, Reproduced::undecided)},
          {"changes", repeat.changes},
          {"gone", repeat.gone},
          {"cases", json::list(repeat.cases, case_json)}};
}

}  // namespace ridgeline::present
