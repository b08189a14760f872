#include "harness/gate/setup.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/stored_side.hpp"
#include "harness/base/units.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/read_gates.hpp"

namespace ridgeline::gate {
namespace {

constexpr int cuda_samples = 25, other_samples = 10'000;  // of one side of one round, at most
constexpr double shortest_block_s = 0.03, longest_block_s = 0.1;
constexpr double least_use = 3.5;  // sampling takes at least so many times as long as what it needs
                                   // around it ...
constexpr double least_samples = 5;  // ... and as so many samples, ...
constexpr double most_growth = 5;    // ... unless these make a block so many times as long as the
                                     // shortest
constexpr double dear_use = 0.5;     // and at least so many times, whatever the budget
constexpr double sampling_share = 0.75;  // of a gate's wall time; the rest is for preparing and
                                         // verifying

run::Sampling sampling_of(const run::Profile& profile, DeviceKind kind) {
  run::Sampling sampling = profile.sampling;
  sampling.target = 0;  // a block ends by its time, or its count: never because of what it found
  sampling.max_samples = kind == DeviceKind::cuda ? cuda_samples : other_samples;
  sampling.min_samples = sampling.max_samples;
  sampling.energy_s = 0;  // not in each round
  return sampling;
}

/// How long one side of one round samples: as long as gives every case all its rounds within the
/// budget, within bounds.
double first_block_s(const GateSetup& setup) {
  const auto blocks = 2 * setup.cases.size() * static_cast<std::size_t>(setup.plan.looks.back());
  return std::clamp(
      sampling_share * setup.budget_s / static_cast<double>(std::max<std::size_t>(blocks, 1)),
      shortest_block_s, longest_block_s);
}

record::Run side_run(const record::Gate& gate, const run::Profile& profile,
                     const std::string& label, Side side) {
  record::Run made;
  made.id = fmt::format("{}-{}", gate.id, to_string(side));
  made.gate = gate.id;
  made.device_uuid = gate.device_uuid;
  made.label = label;
  made.command_line = gate.command_line;
  made.profile = profile.name;
  made.profile_text = profile.text;
  made.unstable = profile.sampling.unstable;
  made.seed = gate.seed;
  made.started = gate.started;
  return made;
}

/// What is counted is the compiler's code: with another compiler the same source may count
/// otherwise.
std::vector<std::string> build_notes(const GateCases& cases) {
  Sides<std::vector<record::Build>> builds;
  for (const GateCase& each : cases.compared)
    for (const Side side : both_sides) builds[side].push_back(each[side].worker->hello.build);
  const std::vector<std::string> changed =
      analysis::build_changes(builds.baseline, builds.candidate);
  if (changed.empty()) return {};
  return {fmt::format("the sides were built differently, and counts may differ for that alone: {}",
                      fmt::join(changed, "; "))};
}

}  // namespace

GateSetup setup_of(const Wanted& wanted, const Programs& programs, const record::Device& device,
                   const run::Profile& profile, const GateCases& cases) {
  GateSetup setup;
  setup.device = device;
  setup.cases = cases.compared;
  setup.settled = cases.settled;
  setup.plan = analysis::plan_for(device.kind);
  if (wanted.options.beta) setup.plan = with_pass_risk(setup.plan, *wanted.options.beta);
  setup.sampling = sampling_of(profile, device.kind);
  setup.energy_s = profile.sampling.energy_s;
  setup.budget_s = wanted.budget_s;
  setup.sampling_s = first_block_s(setup);
  setup.spread = wanted.options.spread;
  setup.case_timeout_s = profile.case_timeout_s;
  record::Gate& gate = setup.gate;
  if (wanted.resumed) {
    gate = wanted.resumed->summary.gate;
  } else {
    gate.id = run::new_run_id();
    gate.device_uuid = device.uuid;
    gate.mode = wanted.mode;
    gate.baseline = programs.names.baseline;
    gate.candidate = programs.names.candidate;
    gate.rules_text = wanted.rules_text;
    gate.seed = run::parse_seed(wanted.options.seed);
    gate.alpha = wanted.options.alpha.value_or(analysis::CaseRule{}.alpha);
    gate.aa = wanted.options.aa;
    gate.baseline_run = gate.id + "-baseline";
    gate.candidate_run = gate.id + "-candidate";
    gate.started = run::timestamp();
  }
  // One that is resumed may be a part of a gate on several devices, which share alpha.
  gate.cases = std::max(gate.cases, static_cast<int>(setup.cases.size()));
  return setup;
}

void set_runs(GateSetup& setup, const run::Profile& profile, const std::string& label) {
  setup.baseline_run = side_run(setup.gate, profile, label, Side::baseline);
  setup.candidate_run = side_run(setup.gate, profile, label, Side::candidate);
}

void add_measured(GateSetup& setup, const store::Store& store) {
  store::each_pair(store, setup.gate.id, [&](const store::SampledPair& each) {
    setup.pairs.push_back(
        {each.pair, analysis::shape_of(each.baseline_ns, each.candidate_ns), each.total_ns / 1e9});
  });
  for (const record::CaseVerdict& verdict : store::verdicts(store, setup.gate.id)) {
    const auto known =
        std::ranges::find(setup.settled, verdict.case_name, &record::CaseVerdict::case_name);
    // A fresh budget may be enough for what the last one was not enough to begin.
    const bool unbegun = verdict.verdict == record::Verdict::not_measured &&
                         std::ranges::none_of(setup.pairs, [&](const MeasuredPair& pair) {
                           return pair.pair.case_name == verdict.case_name;
                         });
    if (verdict.verdict != record::Verdict::undecided && !unbegun && known == setup.settled.end())
      setup.settled.push_back(verdict);
  }
}

double block_s(double shortest_s, double share_s, const RoundCosts& costs) {
  const double wanted_s =
      std::max(least_use * costs.around_s,
               std::min(least_samples * costs.sample_s, 2 * most_growth * shortest_s));
  // What is dear to prepare is sampled longer, even where its share of the budget is used up: more
  // rounds would cost more than they tell.
  const double dear_s = dear_use * costs.around_s;
  return std::max(std::min(wanted_s, std::max(share_s - costs.around_s, dear_s)) / 2, shortest_s);
}

std::vector<std::string> notes_of(const GateSetup& setup, const Programs& programs,
                                  const GateCases& cases) {
  std::vector<std::string> notes = programs.notes;
  const auto same =
      std::ranges::count(cases.settled, record::Verdict::same_code, &record::CaseVerdict::verdict);
  if (same > 0)
    notes.push_back(
        fmt::format("{} the same code on both sides and {} not measured (--all measures {})",
                    same == 1 ? "1 case has" : fmt::format("{} cases have", same),
                    same == 1 ? "is" : "are", same == 1 ? "it" : "them"));
  for (const run::ForOtherDevice& other : cases.elsewhere)
    notes.push_back(fmt::format("{} for {} {} not in this gate: --device {} {} {}",
                                units::plural(other.cases, "case"), to_string(other.device.kind),
                                other.cases == 1 ? "is" : "are", other.device.id,
                                analysis::gives_counts(other.device.kind) ? "counts" : "measures",
                                other.cases == 1 ? "it" : "them"));
  if (analysis::gives_counts(setup.device.kind))
    std::ranges::move(build_notes(cases), std::back_inserter(notes));
  if (!setup.gate.aa && is_one_code(cases))
    notes.push_back(
        "both sides say the same of their code: a difference is noise, or comes from what else "
        "they load");
  if (setup.gate.aa)
    notes.push_back(
        "A/A: both sides are said to be the same code, so that every alarm is a false one");
  return notes;
}

}  // namespace ridgeline::gate
