#include "harness/present/claims.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/present/claim_results.hpp"
#include "harness/present/readable.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::Check;
using analysis::Claim;
using analysis::ClaimVerdict;
using store::FoundRun;

using ResultsByModel = std::map<std::string, ModelResults>;

bool can_be_compared(const store::StoredRun& a, const store::StoredRun& b) {
  return a.device.uuid == b.device.uuid && a.environment.hash == b.environment.hash &&
         a.device.comparable == b.device.comparable;
}

void take_results(JudgedCheck& judged, const NewestResult& of, const NewestResult& over) {
  judged.measured = analysis::measured(judged.check, *of.summary, over.summary, of.run->roofs);
  judged.of = record::name(of.summary->case_info.id);
  judged.run = of.run->stored.run.id;
  if (over.summary == nullptr) return;
  judged.over = record::name(over.summary->case_info.id);
  judged.over_run = over.run->stored.run.id;
}

/// From the newest run with good results of both sides that give a value.
bool took_from_one_run(JudgedCheck& judged, ModelResults& results) {
  const Check& check = judged.check;
  if (!results.any_stored(check.of) || (!check.over.empty() && !results.any_stored(check.over)))
    return false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ModelResults::Run& run = results.at(i);
    const CaseSummary* of = fastest_of(run, check.of);
    const CaseSummary* over = check.over.empty() ? nullptr : fastest_of(run, check.over);
    if (of == nullptr || (over == nullptr && !check.over.empty())) continue;
    take_results(judged, {&run, of}, {&run, over});
    if (judged.measured.value) return true;
  }
  return false;
}

/// Each side from the newest run of its own.
void take_from_two_runs(JudgedCheck& judged, ModelResults& results, ModelResults& over_results) {
  const Check& check = judged.check;
  const NewestResult of = newest_of(results, check.of);
  const NewestResult over = newest_of(over_results, check.over);
  if (of.summary == nullptr)
    judged.why = why_not_good(results, check.of);
  else if (over.summary == nullptr)
    judged.why = why_not_good(over_results, check.over);
  else if (&results == &over_results && !can_be_compared(of.run->stored, over.run->stored))
    judged.why = "only runs that cannot be compared have both sides";
  else
    take_results(judged, of, over);
}

/// Whether the slug of a model has these words: "h100", "h100-nvl".
bool has_words(const std::string& model, const std::string& words) {
  return ("-" + model + "-").find("-" + words + "-") != std::string::npos;
}

/// Of the first model that has these words; null without one.
ModelResults* results_of(ResultsByModel& models, const std::string& words) {
  for (auto& [model, results] : models)
    if (has_words(model, words)) return &results;
  return nullptr;
}

/// Those that were taken; of a side of which none was, all.
std::vector<std::string> cases_to_measure(const Check& check, const JudgedCheck& judged) {
  std::vector<std::string> cases;
  const auto add = [&](const std::string& taken, const std::vector<std::string>& names) {
    for (const std::string& name : taken.empty() ? names : std::vector{taken})
      if (std::ranges::find(cases, name) == cases.end()) cases.push_back(name);
  };
  add(judged.of, check.of);
  add(judged.over, check.over);
  return cases;
}

std::string measuring_line(const JudgedCheck& judged, const std::optional<record::Device>& device) {
  std::vector<std::string> words{"ridgeline", "run"};
  if (device) words.insert(words.end(), {"--device", device->id});
  if (judged.check.counted_bytes) words.emplace_back("--counters");
  words.insert(words.end(), judged.cases.begin(), judged.cases.end());
  return shell_line(words);
}

/// `results` are of the device; null where no run of its kind is stored.
JudgedCheck judge_check(const Check& check, ModelResults* results, ResultsByModel& models) {
  JudgedCheck judged;
  judged.check = check;
  if (!check.missing.empty()) {
    judged.why = check.missing;
    return judged;
  }
  ModelResults* const others = check.over_model.empty() || results == nullptr
                                   ? results
                                   : results_of(models, check.over_model);
  if (results == nullptr) {
    judged.why = "no run of such a device is stored";
  } else if (others == nullptr) {
    judged.why = fmt::format("no run of {} is at hand", check.over_model);
  } else if (others != results || !took_from_one_run(judged, *results)) {
    if (!check.over.empty())
      take_from_two_runs(judged, *results, *others);
    else if (judged.of.empty())
      judged.why = why_not_good(*results, check.of);
  }
  if (judged.why.empty()) judged.why = judged.measured.lacks;
  judged.verdict = analysis::judge(judged.measured, check.border);
  if (results != nullptr && !check.model.empty() &&
      !has_words(results->device().model, check.model)) {
    judged.verdict = ClaimVerdict::not_measured;
    judged.why = fmt::format("the claim is about {}", check.model);
  }
  judged.cases = cases_to_measure(check, judged);
  judged.command =
      measuring_line(judged, results != nullptr ? std::optional(results->device()) : std::nullopt);
  return judged;
}

ClaimsOfDevice judge_claims(const std::vector<Claim>& claims, DeviceKind kind,
                            ModelResults* results, ResultsByModel& models) {
  ClaimsOfDevice of{kind, {}, {}};
  if (results != nullptr) of.device = results->device();
  for (const Claim& claim : claims) {
    if (claim.kind != kind) continue;
    JudgedClaim& judged = of.claims.emplace_back();
    judged.claim = claim;
    std::vector<ClaimVerdict> verdicts;
    for (const Check& check : claim.checks) {
      judged.checks.push_back(judge_check(check, results, models));
      verdicts.push_back(judged.checks.back().verdict);
    }
    judged.verdict = analysis::judge(verdicts);
  }
  return of;
}

using RunsByModel = std::map<std::string, std::vector<FoundRun>>;  // each newest first

/// Of these kinds of devices, less those of gates, of machines that were not fit, and imported
/// ones.
RunsByModel runs_by_model(const std::vector<FoundRun>& all, const std::set<DeviceKind>& kinds) {
  RunsByModel by_model;
  for (const FoundRun& found : all)
    if (found.summary.run.gate.empty() && found.summary.run.unfit.empty() &&
        found.summary.run.imported.empty() && kinds.contains(found.summary.device.kind))
      by_model[found.summary.device.model].push_back(found);
  return by_model;
}

RunsByModel asked_run(const std::filesystem::path& results, const std::string& run,
                      const std::set<DeviceKind>& kinds) {
  const FoundRun found = store::find_run(results, run, say_left_out);
  const record::Device& device = found.summary.device;
  if (!kinds.contains(device.kind))
    throw Error(ErrorKind::usage, fmt::format("no claim is about {}", printable(device.model)),
                "suites/claims.toml lists the claims");
  return {{device.model, {found}}};
}

std::set<DeviceKind> kinds_of(const std::vector<Claim>& claims) {
  std::set<DeviceKind> kinds;
  for (const Claim& claim : claims) kinds.insert(claim.kind);
  return kinds;
}

std::set<std::string> cases_of(const std::vector<Claim>& claims) {
  std::set<std::string> cases;
  for (const Claim& claim : claims)
    for (const Check& check : claim.checks) {
      cases.insert(check.of.begin(), check.of.end());
      cases.insert(check.over.begin(), check.over.end());
    }
  return cases;
}

}  // namespace

std::vector<ClaimsOfDevice> find_claims(const std::filesystem::path& results,
                                        const std::string& run, const std::vector<Claim>& claims) {
  std::set<DeviceKind> kinds = kinds_of(claims);
  const std::set<std::string> wanted = cases_of(claims);
  const std::vector<ReportRun> none_at_hand;
  ResultsByModel models;
  for (const auto& [model, runs] :
       run.empty() ? runs_by_model(store::all_runs(results, say_left_out), kinds)
                   : asked_run(results, run, kinds))
    models.emplace(model, ModelResults(runs, wanted, none_at_hand));
  std::vector<ClaimsOfDevice> found;
  for (auto& [model, of] : models) {
    const DeviceKind kind = of.device().kind;
    found.push_back(judge_claims(claims, kind, &of, models));
    if (run.empty()) kinds.erase(kind);
  }
  if (run.empty())
    for (const DeviceKind kind : kinds)
      found.push_back(judge_claims(claims, kind, nullptr, models));
  return found;
}

std::vector<ClaimsOfDevice> stored_claims(const std::vector<FoundRun>& all,
                                          const std::string& model,
                                          const std::vector<ReportRun>& at_hand,
                                          const std::vector<Claim>& claims,
                                          const store::LeftOut& left_out) {
  const std::set<std::string> wanted = cases_of(claims);
  ResultsByModel models;
  std::vector<ClaimsOfDevice> found;
  for (const auto& of_model : runs_by_model(all, kinds_of(claims)))
    unless_unreadable(left_out, [&] {
      models.emplace(of_model.first, ModelResults(of_model.second, wanted, at_hand));
    });
  for (auto& results : models)
    if (model.empty() || results.first == model)
      unless_unreadable(left_out, [&] {
        ModelResults& of = results.second;
        found.push_back(judge_claims(claims, of.device().kind, &of, models));
      });
  return found;
}

}  // namespace ridgeline::present
