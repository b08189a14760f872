#include "harness/present/claims.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/ladder.hpp"
#include "harness/base/error.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/present/terminal.hpp"
#include "harness/store/selector.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::Check;
using analysis::Claim;
using analysis::ClaimVerdict;
using store::FoundRun;

/// What the runs of a device model say of the cases that claims name. Each run is read when it is
/// first asked for.
class ModelResults {
 public:
  struct Run {
    store::StoredRun stored;
    std::vector<record::Roof> roofs;
    std::map<std::string, CaseSummary> good;  // by name
    std::map<std::string, std::string> bad;   // why the result is not good
  };

  ModelResults(std::vector<FoundRun> newest_first, const std::set<std::string>& wanted)
      : found_(std::move(newest_first)), runs_(found_.size()), wanted_(wanted) {
    for (auto& [id, name] : store::case_names(store::Store::open(found_.front().file)))
      stored_.insert(name);
  }

  const record::Device& device() const { return found_.front().summary.device; }
  std::size_t size() const { return found_.size(); }
  /// Whether any run, of a gate too, has tried one of the cases. Saves reading all runs for them.
  bool any_stored(const std::vector<std::string>& names) const {
    return std::ranges::any_of(names, [&](const auto& name) { return stored_.contains(name); });
  }

  const Run& at(std::size_t place) {
    if (!runs_[place]) runs_[place] = read(found_[place]);
    return *runs_[place];
  }

 private:
  Run read(const FoundRun& found) const {
    const store::Store store = store::Store::open(found.file);
    const std::string& id = found.summary.run.id;
    Run of{store::stored_run(store, found.summary), store::roofs(store, id), {}, {}};
    const store::Timings timings = store::timings(store, id);
    if (std::ranges::none_of(timings.cases, [&](const record::Case& one) {
          return wanted_.contains(record::name(one.id));
        }))
      return of;
    std::vector<store::StoredMeasurement> kept =
        store::measurements(store, id, store::Samples::leave_out);
    std::erase_if(kept, [&](const store::StoredMeasurement& one) {
      return !wanted_.contains(one.measurement.case_name);
    });
    for (CaseSummary& one : analysis::summarise(kept, of.roofs, of.stored.run.unstable)) {
      std::string name = record::name(one.case_info.id);
      if (analysis::is_good(one))
        of.good.emplace(std::move(name), std::move(one));
      else
        of.bad.emplace(std::move(name), one.beats_roof ? "faster than its roof allows"
                                        : one.disturbed
                                            ? "disturbed"
                                            : analysis::in_words(one.outcome, one.reason));
    }
    return of;
  }

  std::vector<FoundRun> found_;
  std::vector<std::optional<Run>> runs_;
  const std::set<std::string>& wanted_;
  std::set<std::string> stored_;
};

using ResultsByModel = std::map<std::string, ModelResults>;

/// The fastest of `names` of which the run has a good result; null without one.
const CaseSummary* fastest_of(const ModelResults::Run& run, const std::vector<std::string>& names) {
  const CaseSummary* best = nullptr;
  for (const std::string& name : names) {
    const auto found = run.good.find(name);
    if (found == run.good.end()) continue;
    const auto gain = best != nullptr ? analysis::speed_up(*best, found->second) : std::nullopt;
    if (best == nullptr || (gain && gain->ratio > 1)) best = &found->second;
  }
  return best;
}

/// Of the newest run that has one.
struct NewestResult {
  const ModelResults::Run* run = nullptr;
  const CaseSummary* summary = nullptr;
};
NewestResult newest_of(ModelResults& results, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < results.size() && results.any_stored(names); ++i)
    if (const CaseSummary* found = fastest_of(results.at(i), names)) return {&results.at(i), found};
  return {};
}

/// Why there is no good result of any of `names`.
std::string why_not_good(ModelResults& results, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < results.size() && results.any_stored(names); ++i)
    for (const std::string& name : names)
      if (const auto found = results.at(i).bad.find(name); found != results.at(i).bad.end())
        return fmt::format("{}: {}", name, found->second);
  return fmt::format("no run has {}", names.front());
}

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

std::string measuring_line(const Check& check, const JudgedCheck& judged,
                           const std::optional<record::Device>& device) {
  std::vector<std::string> words{"ridgeline", "run"};
  if (device) words.insert(words.end(), {"--device", device->id});
  if (check.counted_bytes) words.emplace_back("--counters");
  const auto add = [&](const std::string& taken, const std::vector<std::string>& names) {
    for (const std::string& name : taken.empty() ? names : std::vector{taken})
      if (std::ranges::find(words, name) == words.end()) words.push_back(name);
  };
  add(judged.of, check.of);
  add(judged.over, check.over);
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
    judged.why = fmt::format("it is about {}", check.model);
  }
  judged.command = measuring_line(
      check, judged, results != nullptr ? std::optional(results->device()) : std::nullopt);
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

std::map<std::string, std::vector<FoundRun>> runs_by_model(const std::filesystem::path& results,
                                                           const std::string& run,
                                                           const std::set<DeviceKind>& kinds) {
  std::map<std::string, std::vector<FoundRun>> by_model;  // each newest first
  if (!run.empty()) {
    const FoundRun found = store::find_run(results, run, say_left_out);
    if (!kinds.contains(found.summary.device.kind))
      throw Error(ErrorKind::usage,
                  fmt::format("no claim is about {}", printable(found.summary.device.model)),
                  "suites/claims.toml lists the claims");
    by_model[found.summary.device.model].push_back(found);
    return by_model;
  }
  for (const FoundRun& found : store::all_runs(results, say_left_out))
    if (found.summary.run.gate.empty() && found.summary.run.unfit.empty() &&
        kinds.contains(found.summary.device.kind))
      by_model[found.summary.device.model].push_back(found);
  return by_model;
}

}  // namespace

std::vector<ClaimsOfDevice> find_claims(const std::filesystem::path& results,
                                        const std::string& run, const std::vector<Claim>& claims) {
  std::set<DeviceKind> kinds;
  std::set<std::string> wanted;
  for (const Claim& claim : claims) {
    kinds.insert(claim.kind);
    for (const Check& check : claim.checks) {
      wanted.insert(check.of.begin(), check.of.end());
      wanted.insert(check.over.begin(), check.over.end());
    }
  }
  ResultsByModel models;
  for (auto& [model, runs] : runs_by_model(results, run, kinds))
    models.emplace(model, ModelResults(runs, wanted));
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

}  // namespace ridgeline::present
