#include "harness/gate/commit_answer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/gate_decision.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"
#include "harness/gate/case_verdict.hpp"

namespace ridgeline::gate {
namespace {

using analysis::Tested;
using record::Verdict;

constexpr double rounding = 1e-9;  // of numbers that went through text

bool at_most(double value, double bound) { return value <= bound * (1 + rounding); }

/// A commit of the gate's stored options; empty where there is none, which is a stranger's.
std::string text_of(const record::Gate& gate, const char* name) {
  try {
    return json::parse(gate.options).at(name).text();
  } catch (const json::Error&) {
    return {};
  }
}

std::vector<std::string> cases_of(const record::Gate& gate) {
  try {
    return json::parse(gate.options).at("cases").texts();
  } catch (const json::Error&) {
    return {};
  }
}

/// A number of the gate's stored options; absent where there is none.
std::optional<double> option_of(const record::Gate& gate, const char* name) {
  try {
    const json::Value all = json::parse(gate.options);
    const json::Value* value = all.find(name);
    return value ? std::optional(value->number()) : std::nullopt;
  } catch (const json::Error&) {
    return std::nullopt;
  }
}

StoredAnswer untestable(const std::string& why) {
  StoredAnswer answer;
  answer.tested = Tested::untestable;
  answer.why = why;
  return answer;
}

/// "undecided: the budget of 10 min ended"
std::string in_words(const record::CaseVerdict& verdict) {
  const std::string_view name = record::to_string(verdict.verdict);
  return verdict.reason.empty() ? std::string(name)
                                : fmt::format("{}: {}", name, printable(verdict.reason));
}

/// As the gate itself says it, when it was to be as sure as is asked.
Tested by_verdict(const record::Gate& gate, const record::CaseVerdict& verdict,
                  const CommitQuestion& question) {
  if (verdict.verdict == Verdict::same_code) return Tested::good;
  if (!gate.rules_text.empty()) return Tested::open;  // which may have raised alpha
  const bool sure = at_most(gate.alpha, question.alpha);
  if (verdict.verdict == Verdict::improvement && sure) return Tested::good;
  if (verdict.verdict == Verdict::regression && sure && at_most(question.delta, verdict.delta))
    return Tested::bad;
  const double beta = option_of(gate, "beta").value_or(analysis::usual_pass_risk);
  if (verdict.verdict == Verdict::pass && at_most(beta, question.beta) &&
      at_most(verdict.delta, question.delta))
    return Tested::good;
  return Tested::open;
}

/// What a planned look at medians says: valid for any gate's pairs, whatever ended it.
analysis::Decision by_looks(DeviceKind kind, const std::vector<analysis::PairedTimes>& pairs,
                            const CommitQuestion& question) {
  if (pairs.empty()) return {};
  const analysis::GatePlan plan =
      with_pass_risk(on_medians_alone(analysis::plan_for(kind)), question.beta);
  analysis::CaseRule rule;
  rule.delta = question.delta;
  rule.alpha = question.alpha;
  return analysis::decide(plan, rule, 1, pairs, false);
}

StoredAnswer of_times(const store::FoundGate& found, const store::Store& store,
                      const record::CaseVerdict& verdict, const CommitQuestion& question) {
  CasePairs all;
  for (const record::Pair& pair : store::pairs(store, found.summary.gate.id))
    if (pair.case_name == question.case_name) add(all, {pair, {}});
  StoredAnswer answer;
  answer.tested = by_verdict(found.summary.gate, verdict, question);
  answer.ratio = verdict.ratio;
  int kept = verdict.pairs;
  if (answer.tested == Tested::open) {
    const analysis::Decision decision = by_looks(found.summary.device.kind, all.times, question);
    if (decision.verdict == Verdict::regression) answer.tested = Tested::bad;
    if (decision.verdict == Verdict::pass || decision.verdict == Verdict::improvement)
      answer.tested = Tested::good;
    if (decision.decided) answer.ratio = analysis::ratio_of(decision.estimate);
    kept = decision.pairs;
  }
  for (const analysis::PairedTimes& pair : all.times) {
    if (kept == 0) break;
    answer.pairs.push_back(pair);
    if (pair.disturbed == analysis::Disturbed::neither) --kept;
  }
  if (answer.tested == Tested::open) answer.why = in_words(verdict);
  return answer;
}

std::optional<double> value_of(const store::Store& store, const std::string& run,
                               const CommitQuestion& question) {
  for (const store::StoredMeasurement& stored :
       store::measurements(store, run, store::Samples::leave_out)) {
    if (record::name(stored.case_info.id) != question.case_name) continue;
    for (const record::Metric& metric : stored.measurement.metrics)
      if (metric.name == question.metric) return metric.value;
  }
  return std::nullopt;
}

StoredAnswer of_counts(const record::Gate& gate, const store::Store& store,
                       const CommitQuestion& question) {
  const auto before = value_of(store, gate.baseline_run, question),
             after = value_of(store, gate.candidate_run, question);
  if (!before || !after)
    return untestable(fmt::format("does not count {}", printable(question.metric)));
  const bool bad = std::abs(*after - question.bad_value) < std::abs(*after - *before);
  StoredAnswer answer;
  answer.tested = bad ? Tested::bad : Tested::good;
  if (*before > 0) answer.ratio = *after / *before;
  return answer;
}

bool says_nothing(Verdict verdict) {
  return record::is_failure(verdict) || verdict == Verdict::no_baseline ||
         verdict == Verdict::new_case || verdict == Verdict::skipped;
}

/// Of the end points: which metric tells the commits apart is not known yet.
StoredAnswer of_ends(const record::CaseVerdict& verdict) {
  if (verdict.verdict == Verdict::undecided) return untestable(in_words(verdict));
  StoredAnswer answer;
  answer.tested = verdict.verdict == Verdict::regression ? Tested::bad : Tested::good;
  answer.ratio = verdict.ratio;
  return answer;
}

StoredAnswer answer_of(const store::FoundGate& found, const store::Store& store,
                       const record::CaseVerdict& verdict, const CommitQuestion& question) {
  if (says_nothing(verdict.verdict)) return untestable(in_words(verdict));
  if (!analysis::gives_counts(found.summary.device.kind))
    return of_times(found, store, verdict, question);
  return question.metric.empty() ? of_ends(verdict)
                                 : of_counts(found.summary.gate, store, question);
}

}  // namespace

StoredAnswer answer_of(const store::FoundGate& found, const CommitQuestion& question) {
  const store::Store store = store::Store::open(found.file);
  for (const record::CaseVerdict& verdict : store::verdicts(store, found.summary.gate.id)) {
    if (verdict.case_name != question.case_name) continue;
    StoredAnswer answer = answer_of(found, store, verdict, question);
    answer.verdict = verdict;
    return answer;
  }
  return untestable("the gate has no verdict on the case");
}

GatesOfCommits::GatesOfCommits(const std::filesystem::path& results, const std::string& device_uuid,
                               std::string environment, const store::LeftOut& left_out)
    : environment_(std::move(environment)) {
  try {
    gates_ = store::all_gates(results, left_out);
  } catch (const Error&) {
    return;  // nothing is stored yet, or nothing that can be read, which the next gate says
  }
  std::erase_if(gates_, [&](const store::FoundGate& found) {
    const record::Gate& gate = found.summary.gate;
    return gate.mode != record::GateMode::refs || gate.aa || gate.device_uuid != device_uuid;
  });
}

std::vector<const store::FoundGate*> GatesOfCommits::of(const Sides<std::string>& commits) const {
  std::vector<const store::FoundGate*> found;
  for (const store::FoundGate& each : gates_) {
    const record::Gate& gate = each.summary.gate;
    if (text_of(gate, "baseline_commit") == commits.baseline &&
        text_of(gate, "candidate_commit") == commits.candidate &&
        store::environment(store::Store::open(each.file), gate.candidate_run).hash == environment_)
      found.push_back(&each);
  }
  return found;
}

std::optional<store::FoundGate> GatesOfCommits::finished(const Sides<std::string>& commits,
                                                         const std::string& case_name) const {
  for (const store::FoundGate* each : of(commits)) {
    if (each->summary.gate.status != record::RunStatus::finished) continue;
    const auto verdicts = store::verdicts(store::Store::open(each->file), each->summary.gate.id);
    if (std::ranges::find(verdicts, case_name, &record::CaseVerdict::case_name) != verdicts.end())
      return *each;
  }
  return std::nullopt;
}

std::optional<std::string> GatesOfCommits::unfinished(const Sides<std::string>& commits,
                                                      const CommitQuestion& question) const {
  const auto same = [](std::optional<double> stored, double wanted) {
    return stored && at_most(*stored, wanted) && at_most(wanted, *stored);
  };
  for (const store::FoundGate* each : of(commits)) {
    const record::Gate& gate = each->summary.gate;
    if (gate.status == record::RunStatus::finished || gate.status == record::RunStatus::failed ||
        cases_of(gate) != std::vector{question.case_name})
      continue;
    if (analysis::gives_counts(each->summary.device.kind) ||
        (gate.rules_text.empty() && same(gate.alpha, question.alpha) &&
         same(option_of(gate, "beta"), question.beta) &&
         same(option_of(gate, "delta"), question.delta)))
      return gate.id;
  }
  return std::nullopt;
}

}  // namespace ridgeline::gate
