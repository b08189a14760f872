#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_gate.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/gate.hpp"
#include "harness/cli/gate_progress.hpp"
#include "harness/cli/gate_words.hpp"
#include "harness/cli/repeat.hpp"
#include "harness/run/commit_build.hpp"
#include "harness/run/descendants.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/run/duration.hpp"
#include "harness/run/environment.hpp"
#include "harness/run/gate_cases.hpp"
#include "harness/run/home.hpp"
#include "harness/run/interrupt.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

using run::both_sides;
using run::Side;
using run::Sides;

constexpr std::size_t max_repeated = 20;  // names in the line that repeats failures
constexpr double default_budget_s = 600;
constexpr int cuda_samples = 25, other_samples = 10'000;  // of one side of one round, at most
constexpr double shortest_block_s = 0.03, longest_block_s = 0.1;
constexpr double sampling_share = 0.75;  // of a gate's wall time; the rest is for preparing and verifying

/// What the command line, or an interrupted gate, asks for.
struct Wanted {
  std::string mode;  // as in record::Gate
  GateOptions options;
  std::vector<std::string> workers;  // --worker, of variants
  std::string device, profile;
  std::string rules_text;
  double budget_s = default_budget_s;
  std::optional<store::FoundGate> resumed;
  std::filesystem::path repository = ".";    // of refs
  std::vector<std::string> compared;         // names of the cases of the gate that is resumed, sorted
  std::optional<run::Profile> used_profile;  // of the gate that is resumed: its file may have changed, or be gone
};

std::uint64_t parse_seed(const std::string& text) {
  if (text.empty()) return run::random_seed();
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  if (const auto [rest, error] = std::from_chars(text.data(), end, seed); error != std::errc{} || rest != end)
    throw Error(ErrorKind::usage, fmt::format("--seed {} is no whole number from 0 to 2^64 - 1", printable(text)));
  return seed;
}

std::string absolute(const std::string& program) {
  if (program.find('/') == std::string::npos && !std::filesystem::exists(program)) return program;  // on the PATH
  return std::filesystem::absolute(program).string();
}

Wanted from_command_line(const Context& context, const GateOptions& options) {
  Wanted wanted;
  wanted.options = options;
  wanted.mode = !options.baseline_workers.empty() ? "workers" : !options.baseline_ref.empty() ? "refs" : "variants";
  for (std::string& program : wanted.options.baseline_workers) program = absolute(program);
  for (std::string& program : wanted.options.candidate_workers) program = absolute(program);
  for (const std::string& program : context.workers) wanted.workers.push_back(absolute(program));
  wanted.device = context.device;
  wanted.profile = context.profile.empty() ? "quick" : context.profile;
  if (!options.budget.empty()) {
    const auto seconds = run::parse_duration(options.budget);
    if (!seconds)
      throw Error(ErrorKind::usage, fmt::format("--budget {} is no duration above 0", printable(options.budget)),
                  "write 90s, 10m or 1h30m");
    wanted.budget_s = *seconds;
  }
  if (!options.config.empty()) wanted.rules_text = run::load_gate_rules(options.config).text;
  return wanted;
}

/// The workers of both sides, and what people must know of them. Of variants, both are `baseline`.
struct Programs {
  Sides<std::vector<run::Worker>> workers;
  Sides<std::string> names;    // as the user named the sides
  Sides<std::string> commits;  // of refs
  std::filesystem::path repository;
  std::vector<std::string> notes;
};

/// Of the workers of a side's cases, sorted.
std::vector<std::string> code_of(const run::GateCases& cases, Side side) {
  std::set<std::string> found;
  for (const run::GateCase& each : cases.compared)
    found.insert((side == Side::baseline ? each.baseline : each.candidate).worker->code);
  return {found.begin(), found.end()};
}

/// Sorted.
std::vector<std::string> names_of(const std::vector<run::GateCase>& cases) {
  std::vector<std::string> names;
  for (const run::GateCase& each : cases) names.push_back(each.candidate.name);
  std::ranges::sort(names);
  return names;
}

/// All that an interrupted gate needs to be gone on with, beside what the store has of it.
std::string to_text(const Wanted& wanted, const std::string& device, const Programs& programs,
                    const run::GateCases& cases) {
  const GateOptions& options = wanted.options;
  nlohmann::json all{
      {"patterns", options.patterns}, {"budget_s", wanted.budget_s}, {"device", device},
      {"profile", wanted.profile},    {"config", options.config},    {"label", options.label},
      {"strict", options.strict},     {"workers", wanted.workers},   {"cases", names_of(cases.compared)}};
  for (const Side side : both_sides) all[fmt::format("{}_code", run::to_string(side))] = code_of(cases, side);
  if (options.delta) all["delta"] = *options.delta;
  if (options.alpha) all["alpha"] = *options.alpha;
  if (wanted.mode == "workers") {
    all["baseline_workers"] = options.baseline_workers;
    all["candidate_workers"] = options.candidate_workers;
  } else if (wanted.mode == "refs") {
    all["baseline_commit"] = programs.commits.baseline;
    all["candidate_commit"] = programs.commits.candidate;
    all["repository"] = programs.repository.string();
  }
  return all.dump();
}

/// The profile as it was used. What is stored is not trusted: it is read as strictly as a file.
run::Profile used_profile(const store::FoundGate& found) {
  const record::Gate& gate = found.summary.gate;
  for (const store::RunSummary& summary : store::Store::open(found.file).runs()) {
    if (summary.run.id != gate.candidate_run) continue;
    run::Profile profile =
        run::parse_profile(summary.run.profile_text, fmt::format("the profile stored in gate {}", gate.id));
    profile.name = summary.run.profile;
    return profile;
  }
  throw Error(ErrorKind::store, fmt::format("gate {} in {} has no run of its candidate", gate.id, found.file.string()));
}

Wanted from_gate(const Context& context, const GateOptions& options) {
  Wanted wanted;
  wanted.resumed = store::find_gate(context.results, options.resume, say_left_out);
  const record::Gate& gate = wanted.resumed->summary.gate;
  if (gate.mode == "runs")
    throw Error(ErrorKind::usage, fmt::format("gate {} compared stored runs: there is nothing to go on with", gate.id));
  if (gate.status == record::RunStatus::finished)
    throw Error(ErrorKind::usage, fmt::format("gate {} has finished: there is nothing to go on with", gate.id),
                fmt::format("ridgeline show {}", gate.id));
  wanted.mode = gate.mode;
  wanted.rules_text = gate.rules_text;
  wanted.options = options;  // formats and the like
  GateOptions& stored = wanted.options;
  try {
    const nlohmann::json all = nlohmann::json::parse(gate.options);
    all.at("patterns").get_to(stored.patterns);
    all.at("budget_s").get_to(wanted.budget_s);
    all.at("device").get_to(wanted.device);
    all.at("profile").get_to(wanted.profile);
    all.at("config").get_to(stored.config);
    all.at("label").get_to(stored.label);
    all.at("workers").get_to(wanted.workers);
    all.at("cases").get_to(wanted.compared);
    std::ranges::sort(wanted.compared);
    stored.strict = stored.strict || all.at("strict").get<bool>();
    if (all.contains("delta")) stored.delta = all["delta"].get<double>();
    if (all.contains("alpha")) stored.alpha = all["alpha"].get<double>();
    if (gate.mode == "workers") {
      all.at("baseline_workers").get_to(stored.baseline_workers);
      all.at("candidate_workers").get_to(stored.candidate_workers);
    } else if (gate.mode == "refs") {
      all.at("baseline_commit").get_to(stored.baseline_ref);
      all.at("candidate_commit").get_to(stored.candidate_ref);
      wanted.repository = all.at("repository").get<std::string>();
    } else {
      stored.baseline_variant = gate.baseline;
      stored.candidate_variant = gate.candidate;
    }
  } catch (const nlohmann::json::exception& failure) {
    throw Error(ErrorKind::store, fmt::format("the options of gate {} in {} cannot be read: {}", gate.id,
                                              wanted.resumed->file.string(), failure.what()));
  }
  wanted.used_profile = used_profile(*wanted.resumed);
  wanted.profile = wanted.used_profile->name;
  stored.aa = gate.aa;
  stored.seed = std::to_string(gate.seed);
  return wanted;
}

std::vector<std::string> programs_of(const std::filesystem::path& folder) {
  std::vector<std::string> programs{(folder / "ridgeline-suites").string()};
  const std::filesystem::path collectives = folder / "ridgeline-collectives";
  if (std::filesystem::exists(collectives)) programs.push_back(collectives.string());
  return programs;
}

std::string built_from(const std::vector<run::Worker>& workers) {
  std::vector<std::string> texts;
  for (const run::Worker& worker : workers) {
    const record::Build& build = worker.hello.build;
    texts.push_back(fmt::format("{}{}{}", worker.program.string(),
                                build.commit.empty() || build.commit == "unknown"
                                    ? ""
                                    : fmt::format(", built from {}", printable(build.commit.substr(0, 12))),
                                build.dirty ? " with local changes" : ""));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

Programs find_programs(const Wanted& wanted, const std::function<void(const std::string&)>& say) {
  const GateOptions& options = wanted.options;
  Programs found;
  if (wanted.mode == "variants") {
    found.workers.baseline = run::ask_workers(wanted.workers, run::Ask::cases_and_devices);
    found.names = {options.baseline_variant, options.candidate_variant};
    return found;
  }
  Sides<std::vector<std::string>> programs{options.baseline_workers, options.candidate_workers};
  Sides<std::string> subjects;
  if (wanted.mode == "refs") {
    // Both are looked up before the first is built, which takes minutes.
    const Sides<run::Commit> commits{run::find_commit(options.baseline_ref, wanted.repository),
                                     run::find_commit(options.candidate_ref, wanted.repository)};
    found.repository = commits.candidate.repository;
    found.names = {options.baseline_ref, options.candidate_ref};
    for (const Side side : both_sides) {
      found.commits[side] = commits[side].hash;
      subjects[side] = fmt::format("{} is {} ({})", printable(found.names[side]), commits[side].hash.substr(0, 12),
                                   printable(commits[side].subject, 100));
    }
    if (found.commits.baseline == found.commits.candidate && !options.aa)
      throw Error(
          ErrorKind::usage,
          fmt::format("{} and {} are the same commit, {}: there is nothing to compare", printable(options.baseline_ref),
                      printable(options.candidate_ref), found.commits.baseline.substr(0, 12)),
          "--aa compares it with itself, to see how often a gate is wrong");
    for (const Side side : both_sides) programs[side] = programs_of(run::build_commit(commits[side], say));
  } else {
    for (const Side side : both_sides) found.names[side] = fmt::format("{}", fmt::join(programs[side], " "));
  }
  for (const Side side : both_sides) {
    found.workers[side] = run::ask_only(programs[side], run::Ask::cases_and_devices);
    found.notes.push_back(fmt::format("{}: {}", run::to_string(side),
                                      wanted.mode == "refs" ? subjects[side] : built_from(found.workers[side])));
  }
  return found;
}

record::Device choose_device(const Wanted& wanted, const Programs& programs) {
  if (wanted.mode == "variants") return run::choose_device(programs.workers.baseline, wanted.device);
  const record::Device device = run::choose_device(programs.workers.candidate, wanted.device);
  const record::Device same = run::choose_device(programs.workers.baseline, device.id);
  if (same.uuid != device.uuid)
    throw Error(ErrorKind::dependency, fmt::format("the sides do not see the same device {}: {} and {}",
                                                   printable(device.id), printable(same.uuid), printable(device.uuid)));
  return device;
}

run::GateCases choose_cases(const Wanted& wanted, const Programs& programs, const record::Device& device,
                            const run::Profile& profile, const std::filesystem::path& home) {
  run::CaseChoice choice;
  choice.device = device;
  choice.profile = profile;
  choice.patterns = wanted.options.patterns;
  choice.home = home;
  if (!wanted.rules_text.empty()) choice.rules = run::parse_gate_rules(wanted.rules_text, wanted.options.config);
  choice.otherwise.delta = wanted.options.delta.value_or(analysis::default_delta(device.kind));
  choice.otherwise.alpha = wanted.options.alpha.value_or(choice.otherwise.alpha);
  choice.today = run::timestamp().substr(0, 10);
  if (wanted.mode == "variants") return run::pair_by_variant(programs.workers.baseline, programs.names, choice);
  return run::pair_by_name(programs.workers, choice);
}

/// Refuses to compare code with itself, which can find nothing but false alarms, unless that is what is wanted.
void check_code(const Wanted& wanted, const Programs& programs, const run::GateCases& cases) {
  if (wanted.options.aa || cases.compared.empty()) return;
  if (wanted.mode == "variants") {
    if (wanted.options.baseline_variant != wanted.options.candidate_variant) return;
    throw Error(ErrorKind::usage,
                fmt::format("both sides are the variant {}: there is nothing to compare",
                            printable(wanted.options.baseline_variant)),
                "--aa compares it with itself, to see how often a gate is wrong");
  }
  const bool same = std::ranges::all_of(cases.compared, [](const run::GateCase& each) {
    const std::string& code = each.baseline.worker->hello.build.code_hash;
    return analysis::is_known_code(code) && code == each.candidate.worker->hello.build.code_hash;
  });
  if (same)
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} are the same code, {}: there is nothing to compare",
                            printable(programs.names.baseline), printable(programs.names.candidate),
                            printable(cases.compared.front().candidate.worker->hello.build.code_hash, 16)),
                "--aa compares it with itself, to see how often a gate is wrong");
}

run::Sampling sampling_of(const run::Profile& profile, const std::string& device_kind) {
  run::Sampling sampling = profile.sampling;
  sampling.target = 0;  // a block ends by its time, or its count: never because of what it found
  sampling.max_samples = device_kind == "cuda" ? cuda_samples : other_samples;
  sampling.min_samples = sampling.max_samples;
  return sampling;
}

/// How long one side of one round samples: as long as gives every case all its rounds within the budget, within bounds.
double block_s(const run::GateSetup& setup) {
  const auto blocks = 2 * setup.cases.size() * static_cast<std::size_t>(setup.plan.looks.back());
  return std::clamp(sampling_share * setup.budget_s / static_cast<double>(std::max<std::size_t>(blocks, 1)),
                    shortest_block_s, longest_block_s);
}

record::Run side_run(const record::Gate& gate, const run::Profile& profile, const std::string& label, Side side) {
  record::Run made;
  made.id = fmt::format("{}-{}", gate.id, run::to_string(side));
  made.gate = gate.id;
  made.device_uuid = gate.device_uuid;
  made.label = label;
  made.command_line = gate.command_line;
  made.profile = profile.name;
  made.profile_text = profile.text;
  made.seed = gate.seed;
  made.started = gate.started;
  return made;
}

/// Refuses to go on with a gate whose sides, device or circumstances are not what they were.
void check_unchanged(const Wanted& wanted, const run::GateSetup& setup, const store::Store& store,
                     const record::Environment& environment, const std::string& options_text) {
  const record::Gate& before = wanted.resumed->summary.gate;
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::usage, fmt::format("cannot go on with gate {}: {}", before.id, what),
                fmt::format("start it again: {}", before.command_line));
  };
  if (before.device_uuid != setup.device.uuid) refuse("the device is another one");
  const nlohmann::json then = nlohmann::json::parse(before.options), now = nlohmann::json::parse(options_text);
  for (const Side side : both_sides) {
    const std::string key = fmt::format("{}_code", run::to_string(side));
    if (!then.contains(key) || then[key] != now[key])
      refuse(fmt::format("the {}'s code has changed", run::to_string(side)));
  }
  std::vector<std::string> others;
  std::ranges::set_symmetric_difference(wanted.compared, names_of(setup.cases), std::back_inserter(others));
  if (!others.empty())
    refuse(fmt::format("it would compare other cases now: {}{}", printable(others.front()),
                       others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : ""));
  if (store.environment(setup.candidate_run.id).hash != environment.hash)
    refuse("the comparable environment has changed: ridgeline show says what it was");
}

/// Decided cases of an interrupted gate stay decided.
void add_measured(run::GateSetup& setup, const store::Store& store) {
  setup.pairs = store.pairs(setup.gate.id);
  for (const record::CaseVerdict& verdict : store.verdicts(setup.gate.id)) {
    const bool settled = std::ranges::any_of(
        setup.settled, [&](const record::CaseVerdict& each) { return each.case_name == verdict.case_name; });
    if (verdict.verdict != record::Verdict::undecided && !settled) setup.settled.push_back(verdict);
  }
}

/// Commits are named by their hashes: branches move.
std::string repeat_of(const record::Gate& gate, const record::Device& device, const Sides<std::string>& commits,
                      const std::vector<record::CaseVerdict>& verdicts) {
  std::vector<std::string> failed;
  for (const record::CaseVerdict& verdict : verdicts)
    if (fails(verdict)) failed.push_back(verdict.case_name);
  if (failed.empty()) return {};
  if (failed.size() > max_repeated) failed.clear();  // all of it again
  return repeating_line(gate.command_line, device.id, gate.seed, failed,
                        {{"--baseline-ref", commits.baseline}, {"--candidate-ref", commits.candidate}});
}

void print_start(std::FILE* out, const run::GateSetup& setup, const Wanted& wanted,
                 const std::vector<std::string>& notes) {
  say(out, fmt::format("device {}: {} ({}){}\n", printable(setup.device.id), printable(setup.device.name),
                       printable(setup.device.model), wanted.device.empty() ? ", the best one here" : ""));
  const auto cases = setup.cases.size();
  say(out, fmt::format("gate {}{}: {} case{}, at most {} rounds and {}\n", setup.gate.id,
                       wanted.resumed ? ", gone on with, with a new budget" : "", cases, cases == 1 ? "" : "s",
                       setup.plan.looks.back(), units::duration(setup.budget_s)));
  for (const std::string& note : notes) say(out, fmt::format("  {}\n", printable(note, 2000)));
}

}  // namespace

GateReport gate_measured(const Context& context, const GateOptions& given) {
  std::FILE* out = context.json ? stderr : stdout;  // for people
  const Wanted wanted = given.resume.empty() ? from_command_line(context, given) : from_gate(context, given);
  const GateOptions& options = wanted.options;
  const std::filesystem::path home = run::home();
  const Programs programs = find_programs(wanted, [&](const std::string& line) {
    if (!context.quiet) say(stderr, printable(line, 4000) + '\n');
  });

  run::GateSetup setup;
  setup.device = choose_device(wanted, programs);
  const run::Profile profile = wanted.used_profile ? *wanted.used_profile : run::load_profile(wanted.profile, home);
  const run::GateCases cases = choose_cases(wanted, programs, setup.device, profile, home);
  check_code(wanted, programs, cases);
  setup.cases = cases.compared;
  setup.settled = cases.settled;
  setup.plan = analysis::plan_for(setup.device.kind);
  setup.sampling = sampling_of(profile, setup.device.kind);
  setup.budget_s = wanted.budget_s;
  setup.sampling_s = block_s(setup);
  setup.case_timeout_s = profile.case_timeout_s;
  const std::string options_text = to_text(wanted, setup.device.id, programs, cases);

  record::Gate& gate = setup.gate;
  if (wanted.resumed) {
    gate = wanted.resumed->summary.gate;
    gate.cases = static_cast<int>(setup.cases.size());
  } else {
    gate.id = run::new_run_id();
    gate.device_uuid = setup.device.uuid;
    gate.mode = wanted.mode;
    gate.baseline = programs.names.baseline;
    gate.candidate = programs.names.candidate;
    gate.command_line = "ridgeline " + shell_line(context.arguments);
    gate.options = options_text;
    gate.rules_text = wanted.rules_text;
    gate.seed = parse_seed(options.seed);
    gate.alpha = options.alpha.value_or(analysis::CaseRule{}.alpha);
    gate.cases = static_cast<int>(setup.cases.size());
    gate.aa = options.aa;
    gate.baseline_run = gate.id + "-baseline";
    gate.candidate_run = gate.id + "-candidate";
    gate.started = run::timestamp();
  }
  setup.baseline_run = side_run(gate, profile, options.label, Side::baseline);
  setup.candidate_run = side_run(gate, profile, options.label, Side::candidate);
  std::vector<std::string> notes = programs.notes;
  if (gate.aa) notes.push_back("A/A: both sides are said to be the same code, so that every alarm is a false one");
  if (!context.quiet) print_start(out, setup, wanted, notes);

  const run::DeviceLock lock(
      setup.device.uuid, fmt::format("gate {}: {}", gate.id, gate.command_line), [&](const std::string& holder) {
        if (options.no_wait)
          throw Error(ErrorKind::dependency,
                      fmt::format("device {} is being measured on by {}", setup.device.id, holder),
                      "wait for it, or leave out --no-wait");
        fmt::print(stderr, "waiting for device {}, which is being measured on by {}\n", setup.device.id, holder);
      });
  const record::Environment environment = run::observe_environment(setup.device);
  GateReport report;
  report.device = setup.device;
  report.notes = notes;
  report.file = wanted.resumed ? wanted.resumed->file : context.results / (setup.device.model + ".sqlite");
  store::Store store = store::Store::create(report.file);
  if (wanted.resumed) {
    check_unchanged(wanted, setup, store, environment, options_text);
    store.resume_gate(gate.id);  // refuses one that has finished while the device was waited for
    add_measured(setup, store);
  } else {
    store.begin(setup.baseline_run, setup.device, environment);
    store.begin(setup.candidate_run, setup.device, environment);
    store.begin(gate);
  }

  GateDisplay display(out, context.quiet);
  run::GateObserver observer;
  observer.tick = [&](const run::GateProgress& progress) { display.tick(progress); };
  observer.decided = [&](const run::GateProgress& progress, const record::CaseVerdict& verdict) {
    display.decided(progress, verdict);
  };
  observer.pilot = [&](const run::GateProgress& progress, const std::vector<record::CaseVerdict>& verdicts) {
    display.pilot(progress, verdicts);
  };
  observer.note = [&](const std::string& note) {
    report.notes.push_back(note);
    display.clear();
    if (!context.quiet) say(out, fmt::format("  {}\n", printable(note, 2000)));
  };
  try {
    gate.status = run::drive_gate(setup, store, observer);
  } catch (const run::WorkerChanged&) {
    display.clear();
    throw;  // going on would be refused
  } catch (const Error& error) {
    display.clear();
    throw Error(error.kind(), error.what(),
                fmt::format("{}{}what was measured is stored; go on: ridgeline gate --resume {}", error.advice(),
                            error.advice().empty() ? "" : "; ", gate.id));
  }
  run::end_descendants();
  display.clear();
  gate.finished = run::timestamp();
  report.gate = gate;
  report.verdicts = store.verdicts(gate.id);
  sort_by_importance(report.verdicts);
  report.repeat = repeat_of(gate, setup.device, programs.commits, report.verdicts);
  report.exit_code = gate_exit_code(gate.status, report.verdicts, options.strict);
  return report;
}

}  // namespace ridgeline::cli
