#include "harness/gate/cases.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/case_verdict.hpp"

namespace ridgeline::gate {
namespace {

using record::Verdict;

/// A case as each side has it, if it does; `why` a side lacks it.
struct Candidate {
  Sides<const run::Selected*> cases;
  Sides<std::string> why;
};

std::string name_of(const Candidate& each) {
  return each.cases.candidate != nullptr ? each.cases.candidate->name : each.cases.baseline->name;
}

record::CaseVerdict settle(const Candidate& each, const analysis::CaseRule& rule, Verdict verdict,
                           const std::string& reason) {
  record::CaseVerdict made;
  made.case_name = name_of(each);
  made.baseline_case = each.cases.baseline != nullptr ? each.cases.baseline->name : "";
  made.verdict = verdict;
  made.reason = reason;
  made.delta = rule.delta;
  made.expectation = rule.expectation;
  return made;
}

/// Gives each its rule, and settles those that cannot be compared, or need not be. A regression
/// that the rules expect is looked for whatever the code.
GateCases judged(const std::vector<Candidate>& all, const std::vector<std::string>& known,
                 const CaseChoice& choice) {
  std::vector<std::string> names;
  for (const Candidate& each : all) names.push_back(name_of(each));
  const auto rules = resolve(choice.rules, names, choice.otherwise, choice.today, known);
  GateCases made;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Candidate& each = all[i];
    const bool baseline = each.why.baseline.empty(), candidate = each.why.candidate.empty();
    const auto settled = [&](Verdict verdict, const std::string& reason) {
      made.settled.push_back(settle(each, rules[i], verdict, reason));
    };
    const bool skip = !rules[i].skip.empty();
    const bool same = !skip && baseline && candidate && rules[i].expectation.empty() &&
                      choice.same_code &&
                      choice.same_code(*each.cases.baseline, *each.cases.candidate);
    if (skip)
      settled(Verdict::skipped, rules[i].skip);
    else if (same && !choice.measures_same_code)
      settled(Verdict::same_code, "");
    else if (baseline && candidate)
      made.compared.push_back({{*each.cases.baseline, *each.cases.candidate}, rules[i], same});
    else if (!baseline && !candidate)
      settled(Verdict::skipped, each.why.candidate);
    else if (baseline)
      settled(Verdict::missing, fmt::format("candidate: {}", each.why.candidate));
    else
      settled(Verdict::new_case, fmt::format("baseline: {}", each.why.baseline));
  }
  return made;
}

using ByName = std::map<std::string, const run::Selected*>;

ByName by_name(const std::vector<run::Selected>& cases) {
  ByName found;
  for (const run::Selected& each : cases) found.emplace(each.name, &each);
  return found;
}

/// Whether `each` stands for the cases of an unavailable worker.
bool stands_in(const run::Selected& each) { return !each.worker->unavailable.empty(); }

/// A side's case of that name, and why it lacks it. A suite that stands in for this one's cases
/// says why.
void look_up(const ByName& cases, const std::string& name, const run::Selected*& found,
             std::string& why) {
  const auto exact = cases.find(name);
  if (exact != cases.end()) {
    found = exact->second;
    why = found->unavailable;
    return;
  }
  why = "there is no such case";
  for (const auto& [other, selected] : cases)
    if (stands_in(*selected) && matches(other, name)) why = selected->unavailable;
}

std::vector<std::string> names_of(const std::vector<run::Worker>& workers) {
  std::vector<std::string> names;
  for (const run::Worker& worker : workers)
    for (const record::Case& info : worker.cases) names.push_back(record::name(info.id));
  return names;
}

/// What identifies a case but for its variant.
std::string problem_key(const record::Case& info) {
  record::CaseId id = info.id;
  id.variant.clear();
  return record::name(id);
}

[[noreturn]] void no_variant(Side side, const std::string& variant,
                             const std::vector<std::string>& names, DeviceKind kind) {
  const std::string near = nearest(variant, names);
  throw Error(ErrorKind::usage,
              fmt::format("--{}-variant {}: no case for {} has this variant", to_string(side),
                          printable(variant), to_string(kind)),
              near.empty() ? "ridgeline list shows all cases: suite/variant/..."
                           : fmt::format("did you mean {}? ridgeline list shows all cases", near));
}

}  // namespace

std::vector<run::Worker> either_of(const Sides<std::vector<run::Worker>>& workers) {
  std::vector<run::Worker> either = workers.candidate;
  std::set<std::pair<DeviceKind, std::string>> listed;
  for (const run::Worker& worker : either)
    for (const record::Case& info : worker.cases)
      listed.emplace(info.device_kind, record::name(info.id));
  for (const run::Worker& worker : workers.baseline) {
    run::Worker rest = worker;
    std::erase_if(rest.cases, [&](const record::Case& info) {
      return listed.contains({info.device_kind, record::name(info.id)});
    });
    either.push_back(std::move(rest));
  }
  return either;
}

GateCases pair_by_name(const Sides<std::vector<run::Worker>>& workers, const CaseChoice& choice) {
  // What either side has is chosen from: a case that one of them lacks must not be passed over.
  const std::vector<run::Worker> either = either_of(workers);
  const std::vector<run::Selected> chosen = run::select(
      either, choice.device, choice.profile, choice.patterns, choice.home, run::Workers::some);
  const Sides<std::vector<run::Selected>> all{run::all_cases(workers.baseline, choice.device),
                                              run::all_cases(workers.candidate, choice.device)};
  const Sides<ByName> named{by_name(all.baseline), by_name(all.candidate)};

  std::vector<Candidate> pairs;
  for (const run::Selected& selected : chosen) {
    const bool real_ones =
        stands_in(selected) && std::ranges::any_of(chosen, [&](const run::Selected& other) {
          return !stands_in(other) && matches(selected.name, other.name);
        });
    if (real_ones) continue;  // each of them says what it lacks
    Candidate each;
    for (const Side side : both_sides)
      look_up(named[side], selected.name, each.cases[side], each.why[side]);
    pairs.push_back(std::move(each));
  }
  GateCases made = judged(pairs, names_of(either), choice);
  made.elsewhere = run::for_other_devices(either, choice.device, choice.profile, choice.patterns);
  return made;
}

GateCases pair_by_variant(const std::vector<run::Worker>& workers,
                          const Sides<std::string>& variants, const CaseChoice& choice) {
  const std::vector<run::Selected> all = run::all_cases(workers, choice.device);
  std::set<std::string> known;
  Sides<std::map<std::string, const run::Selected*>> by_problem;
  Sides<std::set<std::string>> suites;
  for (const run::Selected& each : all) {
    known.insert(each.info.id.variant);
    for (const Side side : both_sides)
      if (each.info.id.variant == variants[side]) {
        by_problem[side].emplace(problem_key(each.info), &each);
        suites[side].insert(each.info.id.suite);
      }
  }
  for (const Side side : both_sides)
    if (!known.contains(variants[side]))
      no_variant(side, variants[side], {known.begin(), known.end()}, choice.device.kind);

  // A variant's name may be used by several suites; those without the other variant are not what
  // was asked for.
  const auto shared = [&](const run::Selected& each) {
    return suites.baseline.contains(each.info.id.suite) &&
           suites.candidate.contains(each.info.id.suite);
  };
  std::vector<Candidate> pairs;
  std::set<std::string> taken;
  bool any_common = false;
  for (const run::Selected& selected :
       run::select(workers, choice.device, choice.profile, choice.patterns, choice.home)) {
    const std::string& variant = selected.info.id.variant;
    if ((variant != variants.baseline && variant != variants.candidate) || !shared(selected))
      continue;
    const std::string key = problem_key(selected.info);
    if (!taken.insert(key).second) continue;
    Candidate each;
    for (const Side side : both_sides) {
      const auto found = by_problem[side].find(key);
      each.cases[side] = found == by_problem[side].end() ? nullptr : found->second;
      each.why[side] = each.cases[side] == nullptr
                           ? fmt::format("{} does not have this problem", variants[side])
                           : each.cases[side]->unavailable;
    }
    any_common = any_common || (each.cases.baseline != nullptr && each.cases.candidate != nullptr);
    pairs.push_back(std::move(each));
  }
  if (!any_common)
    throw Error(ErrorKind::usage,
                fmt::format("none of the chosen cases has both variants, {} and {}",
                            printable(variants.baseline), printable(variants.candidate)),
                "give PATTERNs that pick cases of both, or another --profile; ridgeline list shows "
                "all cases");
  return judged(pairs, names_of(workers), choice);
}

}  // namespace ridgeline::gate
