#include "harness/gate/request.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/devices.hpp"
#include "harness/gate/programs.hpp"
#include "harness/gate/rules.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/typed_numbers.hpp"
#include "harness/run/worker_file.hpp"

namespace ridgeline::gate {
namespace {

/// Sorted.
std::vector<std::string> names_of(const std::vector<GateCase>& cases) {
  std::vector<std::string> names;
  for (const GateCase& each : cases) names.push_back(each.candidate.name);
  std::ranges::sort(names);
  return names;
}

/// Throws json::Errors.
std::vector<std::string> stored_programs(const record::Gate& gate) {
  const json::Value all = json::parse(gate.options);
  std::vector<std::string> words;
  const auto name = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  const auto each = [&](const char* option, const char* key) {
    for (const std::string& value : all.at(key).texts()) name(option, value);
  };
  if (gate.mode == record::GateMode::workers) {
    each("--baseline-worker", "baseline_workers");
    each("--candidate-worker", "candidate_workers");
  } else if (gate.mode == record::GateMode::refs) {
    name("--baseline-ref", all.at("baseline_commit").text());
    name("--candidate-ref", all.at("candidate_commit").text());
  } else if (gate.mode == record::GateMode::variants) {
    each("--worker", "workers");
  }
  return words;
}

/// Refuses `options` that do not name the programs of `gate` in its own way.
void check_named(const record::Gate& gate, const GateOptions& options) {
  const std::tuple<record::GateMode, bool, const char*> ways[] = {
      {record::GateMode::workers, !options.baseline_workers.empty(), "--baseline-worker"},
      {record::GateMode::refs, !options.baseline_ref.empty(), "--baseline-ref"},
      {record::GateMode::variants, !options.workers.empty(), "--worker"}};
  bool named = false;
  for (const auto& [mode, given, option] : ways) {
    if (given && gate.mode != mode)
      throw Error(ErrorKind::usage, fmt::format("{} does not go with gate {}, which compares {}",
                                                option, gate.id, record::to_string(gate.mode)));
    named = named || given;
  }
  const std::vector<std::string> programs = stored_programs(gate);
  if (named || programs.empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("gate {} starts programs that its record names, and a record can be a "
                          "stranger's",
                          gate.id),
              fmt::format("if you trust them, add: {}", shell_line(programs)));
}

[[noreturn]] void refuse_to_resume(const record::Gate& gate, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("cannot resume gate {}: {}", gate.id, why),
              fmt::format("start it again: {}", gate.command_line));
}

/// A number of a gate's options. Throws json::Errors, also for one that could not have been typed.
double stored_number(const json::Value& number, const char* key, bool (*may_be)(double)) {
  const double value = number.number();
  if (!may_be(value))
    throw json::Error(fmt::format("{} is {:g}, which no gate was asked for", key, value));
  return value;
}

/// The share of that name; none where there is none.
std::optional<double> stored_share(const json::Value& options, const char* key,
                                   bool (*may_be)(double)) {
  const json::Value* found = options.find(key);
  return found ? std::optional(stored_number(*found, key, may_be)) : std::nullopt;
}

bool is_delta(double share) { return is_share(share, 1); }
bool is_error_rate(double share) { return is_share(share, analysis::most_alpha); }
/// 0 is the share of a device without cases.
bool is_budget(double seconds) { return seconds >= 0 && seconds <= run::longest_duration_s; }

/// The profile as it was used. What is stored is not trusted: it is read as strictly as a file.
run::Profile used_profile(const store::FoundGate& found) {
  const record::Gate& gate = found.summary.gate;
  for (const store::RunSummary& summary : store::runs(store::Store::open(found.file))) {
    if (summary.run.id != gate.candidate_run) continue;
    run::Profile profile = run::parse_profile(
        summary.run.profile_text, fmt::format("the profile stored in gate {}", gate.id));
    profile.name = summary.run.profile;
    return profile;
  }
  throw Error(ErrorKind::store, fmt::format("gate {} in {} has no run of its candidate", gate.id,
                                            found.file.string()));
}

}  // namespace

bool is_share(double share, double most) { return share > 0 && share < 1 && share <= most; }

Wanted from_command_line(const GateOptions& options) {
  Wanted wanted;
  wanted.options = options;
  wanted.mode = !options.baseline_workers.empty() ? record::GateMode::workers
                : !options.baseline_ref.empty()   ? record::GateMode::refs
                                                  : record::GateMode::variants;
  for (auto list :
       {&GateOptions::baseline_workers, &GateOptions::candidate_workers, &GateOptions::workers})
    for (std::string& program : wanted.options.*list) program = run::absolute_worker(program);
  if (options.profile.empty()) wanted.options.profile = "quick";
  if (!options.budget.empty()) wanted.budget_s = run::parse_budget(options.budget);
  run::parse_seed(options.seed);
  check_device_names(wanted.options);
  if (!options.config.empty()) wanted.rules_text = load_gate_rules(options.config).text;
  return wanted;
}

std::vector<std::string> programs_in_words(const record::Gate& gate) {
  try {
    return stored_programs(gate);
  } catch (const json::Error&) {
    return {};  // and it is refused once it is to be resumed
  }
}

Wanted from_gate(const std::filesystem::path& results, const GateOptions& options,
                 const store::LeftOut& left_out) {
  Wanted wanted;
  wanted.resumed = store::find_gate(results, options.resume, left_out);
  const record::Gate& gate = wanted.resumed->summary.gate;
  if (gate.mode == record::GateMode::runs)
    throw Error(ErrorKind::usage,
                fmt::format("gate {} compared stored runs: there is nothing to resume", gate.id));
  if (gate.status == record::RunStatus::finished)
    throw Error(ErrorKind::usage,
                fmt::format("gate {} has finished: there is nothing to resume", gate.id),
                fmt::format("ridgeline show {}", gate.id));
  wanted.mode = gate.mode;
  wanted.rules_text = gate.rules_text;
  wanted.options = options;  // formats and the like
  GateOptions& stored = wanted.options;
  try {
    const json::Value all = json::parse(gate.options);
    stored.patterns = all.at("patterns").texts();
    wanted.budget_s = stored_number(all.at("budget_s"), "budget_s", is_budget);
    stored.device = all.at("device").text();
    stored.config = all.at("config").text();
    stored.label = all.at("label").text();
    wanted.compared = all.at("cases").texts();
    std::ranges::sort(wanted.compared);
    stored.strict = stored.strict || all.at("strict").boolean();
    const json::Value* every = all.find("all");  // earlier gates measured all
    stored.all = every == nullptr || every->boolean();
    if (const json::Value* believe = all.find("believe_code"))
      stored.believe_code = believe->boolean();
    if (const json::Value* spread = all.find("spread")) stored.spread = spread->boolean();
    if (const json::Value* first = all.find("counts_first")) stored.counts_first = first->boolean();
    stored.delta = stored_share(all, "delta", is_delta);
    stored.alpha = stored_share(all, "alpha", is_error_rate);
    stored.beta = stored_share(all, "beta", is_error_rate);
    if (!is_error_rate(gate.alpha))
      throw json::Error(fmt::format("alpha is {:g}, which no gate was asked for", gate.alpha));
    check_named(gate, options);
    if (gate.mode == record::GateMode::variants) {
      stored.baseline_variant = gate.baseline;
      stored.candidate_variant = gate.candidate;
    }
  } catch (const json::Error& failure) {
    throw Error(ErrorKind::store,
                fmt::format("the options of gate {} in {} cannot be read: {}", gate.id,
                            wanted.resumed->file.string(), failure.what()));
  }
  wanted.used_profile = used_profile(*wanted.resumed);
  stored.profile = wanted.used_profile->name;
  stored.aa = gate.aa;
  stored.seed = std::to_string(gate.seed);
  return wanted;
}

std::string to_text(const Wanted& wanted, const std::string& device, const Programs& programs,
                    const GateCases& cases) {
  const GateOptions& options = wanted.options;
  json::Value all{{"patterns", options.patterns},
                  {"budget_s", wanted.budget_s},
                  {"device", device},
                  {"profile", options.profile},
                  {"config", options.config},
                  {"label", options.label},
                  {"strict", options.strict},
                  {"all", options.all},
                  {"believe_code", options.believe_code},
                  {"spread", options.spread},
                  {"counts_first", options.counts_first},
                  {"workers", options.workers},
                  {"cases", names_of(cases.compared)}};
  for (const Side side : both_sides)
    all[fmt::format("{}_code", to_string(side))] = code_of(cases, side);
  if (options.delta) all["delta"] = *options.delta;
  if (options.alpha) all["alpha"] = *options.alpha;
  if (options.beta) all["beta"] = *options.beta;
  if (wanted.mode == record::GateMode::workers) {
    all["baseline_workers"] = options.baseline_workers;
    all["candidate_workers"] = options.candidate_workers;
  } else if (wanted.mode == record::GateMode::refs) {
    all["baseline_commit"] = programs.commits.baseline;
    all["candidate_commit"] = programs.commits.candidate;
  }
  return all.dump();
}

Wanted on_device(const Wanted& wanted, const std::string& device, std::size_t cases,
                 std::size_t all) {
  Wanted part = wanted;
  part.options.device = device;
  part.budget_s *= all == 0 ? 0 : static_cast<double>(cases) / static_cast<double>(all);
  return part;
}

std::vector<std::string> metric_notes(const record::Gate& gate, const std::filesystem::path& file,
                                      const store::Store& store) {
  if (gate.rules_text.empty()) return {};
  std::set<std::string> counted;
  for (const std::string& run : {gate.baseline_run, gate.candidate_run})
    for (const store::StoredMeasurement& stored :
         store::measurements(store, run, store::Samples::leave_out))
      for (const record::Metric& metric : stored.measurement.metrics) counted.insert(metric.name);
  return unknown_metrics(parse_gate_rules(gate.rules_text, file), counted);
}

void check_commits(const Wanted& wanted, const Sides<std::string>& commits) {
  if (!wanted.resumed) return;
  const record::Gate& before = wanted.resumed->summary.gate;
  const json::Value then = json::parse(before.options);
  for (const Side side : both_sides)
    if (then.at(fmt::format("{}_commit", to_string(side))) != json::Value(commits[side]))
      refuse_to_resume(before, fmt::format("the {} is another commit", to_string(side)));
}

void check_unchanged(const Wanted& wanted, const GateSetup& setup, const store::Store& store,
                     const record::Environment& environment, const std::string& options_text) {
  const record::Gate& before = wanted.resumed->summary.gate;
  const auto refuse = [&](const std::string& what) { refuse_to_resume(before, what); };
  if (before.device_uuid != setup.device.uuid) refuse("the device is another one");
  const json::Value then = json::parse(before.options), now = json::parse(options_text);
  for (const Side side : both_sides) {
    const std::string key = fmt::format("{}_code", to_string(side));
    if (then.find(key) == nullptr || then.at(key) != now.at(key))
      refuse(fmt::format("the {}'s code has changed", to_string(side)));
  }
  std::vector<std::string> others;
  std::ranges::set_symmetric_difference(wanted.compared, names_of(setup.cases),
                                        std::back_inserter(others));
  if (!others.empty())
    refuse(fmt::format("it would compare other cases now: {}{}", printable(others.front()),
                       others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : ""));
  if (store::environment(store, setup.candidate_run.id).hash != environment.hash)
    refuse("the comparable environment has changed: ridgeline show says what it was");
}

}  // namespace ridgeline::gate
