#include "harness/gate/programs.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_gate.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/commit_build.hpp"
#include "harness/gate/foresight.hpp"
#include "harness/gate/same_code.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/worker_file.hpp"

namespace ridgeline::gate {
namespace {

std::string built_from(const std::vector<run::Worker>& workers) {
  std::vector<std::string> texts;
  for (const run::Worker& worker : workers) {
    const record::Build& build = worker.hello.build;
    texts.push_back(
        fmt::format("{}{}{}", worker.program.string(),
                    build.commit.empty() || build.commit == "unknown"
                        ? ""
                        : fmt::format(", built from {}", printable(build.commit.substr(0, 12))),
                    build.dirty ? " with local changes" : ""));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// The programs of a side, with how they are started.
std::set<std::pair<std::filesystem::path, std::vector<std::string>>> files_of(
    const std::vector<std::string>& programs) {
  std::set<std::pair<std::filesystem::path, std::vector<std::string>>> files;
  for (const std::string& program : programs) {
    run::WorkerFile found = run::find_worker(program);
    files.emplace(std::move(found.file), std::move(found.command.arguments));
  }
  return files;
}

/// Refuses the programs of one side for both: somebody has named one of them twice.
void check_files(const GateOptions& options) {
  if (options.aa || files_of(options.baseline_workers) != files_of(options.candidate_workers))
    return;
  throw Error(ErrorKind::usage,
              fmt::format("both sides are {}: there is nothing to compare",
                          printable(fmt::format("{}", fmt::join(options.candidate_workers, " ")))),
              "--aa compares it with itself, to see how often a gate is wrong");
}

/// Whether the workers of both sides are the same code as a whole.
bool of_one_code(const GateCase& each) {
  const std::string& code = each.baseline.worker->hello.build.code_hash;
  return analysis::is_known_code(code) && code == each.candidate.worker->hello.build.code_hash;
}

}  // namespace

Programs find_programs(const Wanted& wanted, const std::function<void(const std::string&)>& say) {
  const GateOptions& options = wanted.options;
  Programs found;
  if (wanted.mode == record::GateMode::variants) {
    found.workers.baseline = run::ask_workers(wanted.options.workers, run::Ask::cases_and_devices);
    found.names = {options.baseline_variant, options.candidate_variant};
    return found;
  }
  Sides<std::vector<std::string>> programs{options.baseline_workers, options.candidate_workers};
  Sides<std::string> subjects;
  if (wanted.mode == record::GateMode::refs) {
    // Both are looked up before the first is built, which takes minutes.
    const Commit both[] = {find_commit(options.baseline_ref), find_commit(options.candidate_ref)};
    const Sides<Commit> commits{both[0], both[1]};
    found.names = {options.baseline_ref, options.candidate_ref};
    for (const Side side : both_sides) {
      found.commits[side] = commits[side].hash;
      subjects[side] =
          fmt::format("{} is {} ({})", printable(found.names[side]),
                      commits[side].hash.substr(0, 12), printable(commits[side].subject, 100));
    }
    if (found.commits.baseline == found.commits.candidate && !options.aa)
      throw Error(ErrorKind::usage,
                  fmt::format("{} and {} are the same commit, {}: there is nothing to compare",
                              printable(options.baseline_ref), printable(options.candidate_ref),
                              found.commits.baseline.substr(0, 12)),
                  "commit the change, or name an older commit such as HEAD~1; --aa compares one "
                  "with itself, to see how often a gate is wrong");
    check_commits(wanted, found.commits);
    look_ahead(both, {options.device, options.patterns, options.no_wait}, say);
    for (const Side side : both_sides) programs[side] = build_commit(commits[side], say);
  } else {
    check_files(options);
    for (const Side side : both_sides)
      found.names[side] = fmt::format("{}", fmt::join(programs[side], " "));
  }
  for (const Side side : both_sides) {
    found.workers[side] = run::ask_only(programs[side], run::Ask::cases_and_devices);
    found.notes.push_back(fmt::format(
        "{}: {}", to_string(side),
        wanted.mode == record::GateMode::refs ? subjects[side] : built_from(found.workers[side])));
  }
  return found;
}

const std::vector<run::Worker>& deciding(const Wanted& wanted, const Programs& programs) {
  return wanted.mode == record::GateMode::variants ? programs.workers.baseline
                                                   : programs.workers.candidate;
}

record::Device choose_device(const Wanted& wanted, const Programs& programs) {
  const record::Device device =
      run::choose_device(deciding(wanted, programs), wanted.options.device);
  if (wanted.mode == record::GateMode::variants) return device;
  const record::Device same = run::choose_device(programs.workers.baseline, device.id);
  if (same.uuid != device.uuid)
    throw Error(ErrorKind::dependency,
                fmt::format("the sides do not see the same device {}: {} and {}",
                            printable(device.id), printable(same.uuid), printable(device.uuid)));
  return device;
}

std::vector<std::vector<std::string>> patterns_by_device(const Wanted& wanted,
                                                         const Programs& programs,
                                                         std::span<const record::Device> devices,
                                                         const run::Profile& profile) {
  const bool variants = wanted.mode == record::GateMode::variants;
  const std::vector<run::Worker> workers =
      variants ? programs.workers.baseline : either_of(programs.workers);
  const run::Workers which = variants ? run::Workers::all : run::Workers::some;
  std::vector<std::vector<std::string>> patterns(devices.size());
  for (const std::string& pattern : wanted.options.patterns) {
    std::vector<bool> chooses;
    for (const record::Device& device : devices)
      chooses.push_back(run::chooses(workers, device, profile, pattern, which));
    const bool none = std::ranges::count(chooses, true) == 0;
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (none || chooses[i]) patterns[i].push_back(pattern);
  }
  return patterns;
}

GateCases choose_cases(const Wanted& wanted, const Programs& programs, const record::Device& device,
                       const run::Profile& profile, const std::filesystem::path& home) {
  CaseChoice choice;
  choice.device = device;
  choice.profile = profile;
  choice.patterns = wanted.options.patterns;
  choice.home = home;
  if (!wanted.rules_text.empty())
    choice.rules = parse_gate_rules(wanted.rules_text, wanted.options.config);
  choice.otherwise.delta = wanted.options.delta.value_or(analysis::default_delta(device.kind));
  choice.otherwise.alpha = wanted.options.alpha.value_or(choice.otherwise.alpha);
  choice.today = run::timestamp().substr(0, 10);
  SameCode same_code(wanted.options.believe_code);
  if (wanted.mode != record::GateMode::variants && !wanted.options.aa &&
      !analysis::gives_counts(device.kind))
    choice.same_code = std::ref(same_code);
  choice.measures_same_code = wanted.options.all;
  if (wanted.mode == record::GateMode::variants)
    return pair_by_variant(programs.workers.baseline, programs.names, choice);
  return pair_by_name(programs.workers, choice);
}

std::vector<std::string> code_of(const GateCases& cases, Side side) {
  std::set<std::string> found;
  for (const GateCase& each : cases.compared) found.insert(each[side].worker->code);
  return {found.begin(), found.end()};
}

bool executes_same_code(const GateCases& cases, const std::string& case_name) {
  for (const record::CaseVerdict& known : cases.settled)
    if (known.case_name == case_name) return known.verdict == record::Verdict::same_code;
  return std::ranges::any_of(cases.compared, [&](const GateCase& each) {
    return each.candidate.name == case_name && of_one_code(each);
  });
}

bool is_one_code(const GateCases& cases) {
  return !cases.compared.empty() && std::ranges::all_of(cases.compared, [](const GateCase& each) {
    return each.baseline.worker != each.candidate.worker && of_one_code(each);
  });
}

void check_variants(const Wanted& wanted, const GateCases& cases) {
  const GateOptions& options = wanted.options;
  if (wanted.mode != record::GateMode::variants || options.aa || cases.compared.empty() ||
      options.baseline_variant != options.candidate_variant)
    return;
  throw Error(ErrorKind::usage,
              fmt::format("both sides are the variant {}: there is nothing to compare",
                          printable(options.baseline_variant)),
              "--aa compares it with itself, to see how often a gate is wrong");
}

}  // namespace ridgeline::gate
