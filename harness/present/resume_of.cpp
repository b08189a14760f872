#include "harness/present/resume_of.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/night_changes.hpp"
#include "harness/analysis/stored_side.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/repeat.hpp"
#include "harness/run/executed.hpp"
#include "harness/run/hardware_counters.hpp"

namespace ridgeline::present {
namespace {

[[noreturn]] void refuse_to_resume(const record::Run& run, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("cannot resume run {}: {}", run.id, why),
              fmt::format("start it again: {}", printable(run.command_line, 4000)));
}

bool asked_for_counters(const record::Run& run) {
  const std::vector<LinePart> parts = line_parts(run.command_line);
  return std::ranges::count(parts, "--counters", &LinePart::option) > 0;
}

void check_code(const record::Run& run, const std::vector<record::Build>& builds,
                const std::vector<run::Worker>& workers) {
  for (const record::Build& build : builds) {
    const auto worker = std::ranges::find_if(workers, [&](const run::Worker& each) {
      return (each.unavailable.empty() ? each.hello.build.worker : each.name) == build.worker;
    });
    const std::string name = printable(build.worker);
    if (worker == workers.end())
      refuse_to_resume(run, fmt::format("{}, which measured a part of it, is not here", name));
    const std::string& code = worker->hello.build.code_hash;
    if (!worker->unavailable.empty() && build.code_hash.empty()) continue;  // nor was it then
    if (!analysis::is_known_code(build.code_hash) || !analysis::is_known_code(code))
      refuse_to_resume(
          run, fmt::format("{} does not say which code it is, so that the parts of the run could "
                           "be of two",
                           name));
    if (code != build.code_hash)
      refuse_to_resume(
          run, fmt::format("the code of {} has changed: {} -> {}", name,
                           printable(build.code_hash.substr(0, 8)), printable(code.substr(0, 8))));
  }
}

/// Recorded facts without readings, such as a load or a temperature.
record::Facts settings(const record::Facts& facts) {
  record::Facts kept;
  for (const auto& [key, value] : facts)
    if (!analysis::is_reading(key)) kept.emplace(key, value);
  return kept;
}

/// Whether the run's budget has left out executions. Of a profile that cannot be read nobody knows,
/// and such a run is not resumed.
bool lacks_executions(const record::Run& run,
                      const std::vector<store::StoredMeasurement>& measurements) {
  run::Profile profile;
  try {
    profile = stored_profile(run);
  } catch (const Error&) {
    return false;
  }
  const run::Executed executed(measurements, profile.case_timeout_s);
  return std::ranges::any_of(measurements, [&](const store::StoredMeasurement& stored) {
    const bool counted = stored.case_info.device_kind == DeviceKind::emulated;
    return executed.left(record::name(stored.case_info.id), counted ? 1 : profile.processes) > 0;
  });
}

}  // namespace

std::vector<run::Selected> resumed_cases(const RepeatedRun& resumed,
                                         const std::vector<run::Worker>& workers,
                                         const record::Device& device,
                                         const std::filesystem::path& home) {
  const record::Run& run = resumed.found.summary.run;
  if (is_repeat(run.command_line)) refuse_to_resume(run, "it repeats another run");
  std::vector<run::Selected> cases;
  try {
    cases = run::select(workers, device, resumed.profile, typed_patterns(run.command_line), home);
  } catch (const Error& error) {
    refuse_to_resume(run, error.what());
  }
  const std::vector<std::string> excluded = values_of(run.command_line, "--exclude");
  if (!excluded.empty())
    std::erase_if(cases,
                  [&](const run::Selected& each) { return any_matches(excluded, each.name); });
  std::set<std::string> names;
  for (const run::Selected& each : cases) names.insert(each.name);
  std::set<std::string> others;
  for (const store::StoredMeasurement& stored : resumed.measurements)
    if (const std::string name = record::name(stored.case_info.id); !names.contains(name))
      others.insert(name);
  if (!others.empty())
    refuse_to_resume(
        run,
        fmt::format("it would measure other cases now: {} is not among them{}",
                    printable(*others.begin(), 400),
                    others.size() > 1 ? fmt::format(", nor are {} more", others.size() - 1) : ""));
  return cases;
}

Resumed go_on(const RepeatedRun& resumed, const std::vector<run::Worker>& workers,
              const record::Environment& environment, bool counters, run::Plan& plan) {
  const store::Store store = store::Store::open(resumed.found.file);
  const record::Run& run = resumed.found.summary.run;
  check_code(run, store::builds(store, run.id), workers);
  const record::Environment before = store::environment(store, run.id);
  const std::vector<std::string> comparable =
      analysis::fact_changes(before.comparable, environment.comparable);
  if (before.hash != environment.hash)
    refuse_to_resume(run,
                     fmt::format("the comparable environment has changed: {}",
                                 comparable.empty() ? "its facts have other names"
                                                    : fmt::to_string(fmt::join(comparable, "; "))));
  plan.earlier = store::measurements(store, run.id, store::Samples::leave_out);
  const bool measured = run::executions_left(plan) == 0;
  const std::size_t uncounted = counters ? run::without_counters(plan.earlier).size() : 0;
  if (measured && uncounted == 0)
    throw Error(ErrorKind::usage,
                fmt::format("run {} has all of its executions{}: there is nothing to resume",
                            run.id, counters ? ", and counters of all that was timed" : ""),
                fmt::format("ridgeline show {}", run.id));
  return {run::Executed(plan.earlier, plan.profile.case_timeout_s).count(), uncounted,
          measured && run.status == record::RunStatus::finished,
          analysis::fact_changes(settings(before.recorded), settings(environment.recorded))};
}

std::string resumed_text(const Resumed& resumed) {
  std::string text = fmt::format(
      "{} {} stored\n", units::plural(static_cast<std::int64_t>(resumed.executions), "execution"),
      resumed.executions == 1 ? "is" : "are");
  if (resumed.counters > 0)
    text += fmt::format("counters of {} are left to read\n",
                        units::plural(static_cast<std::int64_t>(resumed.counters), "case"));
  for (const std::string& change : resumed.changes)
    text += fmt::format("  changed since: {}\n", change);
  return text;
}

json::Value to_json(const Resumed& resumed) {
  json::Value object{{"executions", resumed.executions}, {"changes", resumed.changes}};
  if (resumed.counters > 0) object["counters"] = resumed.counters;
  return object;
}

std::string resuming_line(const record::Run& run, std::string_view state,
                          const std::vector<store::StoredMeasurement>& measurements,
                          const std::filesystem::path& file, bool counters) {
  if (state == "running" || !run.gate.empty() || !run.imported.empty() ||
      is_repeat(run.command_line))
    return {};
  counters = counters || asked_for_counters(run);
  const bool uncounted = counters && !run::without_counters(measurements).empty();
  if (state == "finished" && !uncounted && !lacks_executions(run, measurements)) return {};
  std::vector<std::string> words{"ridgeline", "run", "--resume", run.id};
  if (counters) words.emplace_back("--counters");
  for (const char* option : {"--worker", "--launcher", "--hosts"})
    for (const std::string& value : values_of(run.command_line, option))
      words.insert(words.end(), {option, value});
  const std::filesystem::path otherwise = default_results() / file.filename();
  if (file.lexically_normal() != otherwise.lexically_normal())
    words.insert(words.end(), {"--results", file.parent_path().string()});
  return shell_line(words);
}

}  // namespace ridgeline::present
