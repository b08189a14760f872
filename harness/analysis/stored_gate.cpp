#include "harness/analysis/stored_gate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/count_decision.hpp"
#include "harness/analysis/gate_looks.hpp"
#include "harness/analysis/gate_power.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/analysis/unpaired_decision.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

using record::CaseVerdict;
using record::Outcome;
using record::Verdict;
using store::StoredMeasurement;

/// What one run has of one case.
struct Half {
  const record::Measurement* failure = nullptr;   // the worst of its processes
  const record::Measurement* left_out = nullptr;  // the worst of what was not measured
  std::vector<double> medians_ns;                 // of the undisturbed processes
  int ok = 0;                                     // of those
  int disturbed = 0;                              // processes
  std::string why;            // the first reason for not being ok, among those with samples
  std::string differ;         // why they are unstable together, although each is ok
  std::set<std::string> how;  // launch and cache of the undisturbed ones
  bool not_a_time = false;    // a median that is no positive number
  Executions counts;          // of a device that has no times, by replicate

  bool measured() const { return !medians_ns.empty() || disturbed > 0 || !counts.empty(); }
};

/// Of disturbed processes that lie on the candidate's side by chance.
constexpr double stored_leaning_p = 0.1;

using Halves = std::map<std::string, Half>;

/// `limit`: Run::unstable.
Half half_of(const CaseProcesses& processes, std::optional<double> limit) {
  Half half;
  std::vector<ProcessResult> results;
  for (const StoredMeasurement* process : processes) {
    const record::Measurement& m = process->measurement;
    results.push_back({m.outcome, m.median_ns});
    if (m.outcome == Outcome::counted) half.counts.push_back(&m);
    half.disturbed += m.outcome == Outcome::invalid_environment;
    if (record::has_samples(m.outcome) && m.outcome != Outcome::ok && half.why.empty())
      half.why = m.reason;
  }
  const OverProcesses over = over_processes(results, limit);
  half.differ = over.differ;
  const record::Measurement& worst = processes[over.worst]->measurement;
  if (record::is_failure(worst.outcome))
    half.failure = &worst;
  else if (!record::has_samples(worst.outcome) && worst.outcome != Outcome::counted)
    half.left_out = &worst;
  if (over.disturbed) return half;
  for (const std::size_t i : over.counting) {
    const record::Measurement& m = processes[i]->measurement;
    half.not_a_time = half.not_a_time || !(std::isfinite(*m.median_ns) && *m.median_ns > 0);
    half.medians_ns.push_back(*m.median_ns);
    half.ok += m.outcome == Outcome::ok;
    half.how.insert(fmt::format("{} {}", m.launch, m.cache));
  }
  return half;
}

Halves halves(const StoredSide& side) {
  Halves found;
  for (const CaseProcesses& processes : by_case(side.measurements))
    found[record::name(processes.back()->case_info.id)] = half_of(processes, side.run.unstable);
  return found;
}

std::string words(const record::Measurement* measurement) {
  return in_words(measurement->outcome, measurement->reason);
}

/// What a side says of a case that it did not measure.
std::string not_there(const char* name, const StoredSide& side, const Half& half) {
  if (half.left_out) return fmt::format("{}: {}", name, words(half.left_out));
  const bool whole = side.run.status == record::RunStatus::finished;
  return fmt::format("the {}'s run does not have it{}", name,
                     whole ? "" : ", and is " + side.status);
}

Verdict of(Outcome failure) {
  return failure == Outcome::wrong_result ? Verdict::wrong_result
         : failure == Outcome::crashed    ? Verdict::crashed
                                          : Verdict::timeout;
}

using Said = std::pair<Verdict, std::string>;

/// The verdict on a case that no times are needed for.
std::optional<Said> without_times(const StoredSide& baseline, const StoredSide& candidate,
                                  const CaseRule& rule, const Half& old_half,
                                  const Half& new_half) {
  if (!rule.skip.empty()) return Said{Verdict::skipped, rule.skip};
  const bool has_old = old_half.measured() || old_half.failure,
             has_new = new_half.measured() || new_half.failure;
  if (!has_old && !has_new) {
    require(old_half.left_out || new_half.left_out, "a case that is judged is one of a run's");
    return Said{Verdict::skipped, words(new_half.left_out ? new_half.left_out : old_half.left_out)};
  }
  if (!has_new) return Said{Verdict::missing, not_there("candidate", candidate, new_half)};
  const bool olds = old_half.failure &&
                    (!new_half.failure ||
                     severity(old_half.failure->outcome) > severity(new_half.failure->outcome));
  if (const record::Measurement* failure = olds ? old_half.failure : new_half.failure)
    return Said{of(failure->outcome),
                fmt::format("{}: {}", olds ? "baseline" : "candidate", words(failure))};
  if (!has_old) return Said{Verdict::new_case, not_there("baseline", baseline, old_half)};
  return std::nullopt;
}

/// Whether both sides have times that were measured alike, or none that count.
bool are_alike(const Half& old_half, const Half& new_half) {
  return !old_half.not_a_time && !new_half.not_a_time &&
         (old_half.how == new_half.how || old_half.how.empty() || new_half.how.empty());
}

/// Why what both sides have is not judged.
std::optional<Said> unfit(const Half& old_half, const Half& new_half) {
  if (!old_half.counts.empty() && !new_half.counts.empty()) return std::nullopt;
  if (old_half.not_a_time || new_half.not_a_time)
    return Said{Verdict::invalid_environment,
                fmt::format("{}: the median of a process is not a positive number",
                            old_half.not_a_time ? "baseline" : "candidate")};
  const auto because = [](const std::string& why) {
    return why.empty() ? "" : ": " + printable(why, 1000);
  };
  if (old_half.ok == 0)
    return Said{
        Verdict::no_baseline,
        fmt::format("no process of the baseline was {}{}",
                    old_half.medians_ns.empty() ? "undisturbed" : "steady", because(old_half.why))};
  if (new_half.medians_ns.empty())
    return Said{
        Verdict::invalid_environment,
        fmt::format("no process of the candidate was undisturbed{}", because(new_half.why))};
  if (old_half.how != new_half.how)
    return Said{Verdict::invalid_environment,
                fmt::format("measured differently: {} -> {}",
                            printable(fmt::to_string(fmt::join(old_half.how, ", "))),
                            printable(fmt::to_string(fmt::join(new_half.how, ", "))))};
  return std::nullopt;
}

/// What a reader must know of a case that was judged.
std::string doubts(const Half& old_half, const Half& new_half, const CaseRule& rule, int cases) {
  std::vector<std::string> list;
  const std::size_t a = old_half.medians_ns.size(), b = new_half.medians_ns.size();
  if (!can_reach(a, b, rule.alpha / cases))
    list.push_back(
        fmt::format("{} and {} processes can never show a regression among {}: it takes {} a side",
                    a, b, units::plural(cases, "case"), least_processes(rule, cases)));
  for (const auto& [side, half] :
       {std::pair("baseline", &old_half), std::pair("candidate", &new_half)}) {
    const auto unsteady = half->medians_ns.size() - static_cast<std::size_t>(half->ok);
    if (unsteady > 0)
      list.push_back(fmt::format("{} unsteady in {} of its processes", side, unsteady));
    if (!half->differ.empty()) list.push_back(fmt::format("{}: {}", side, half->differ));
    if (half->disturbed > 0)
      list.push_back(fmt::format("{} disturbed in {} of its processes", side, half->disturbed));
  }
  return fmt::to_string(fmt::join(list, "; "));
}

/// With other inputs a case whose data decides what it touches counts something else.
void judge_counts(CaseVerdict& verdict, const Half& old_half, const Half& new_half,
                  const CaseRule& rule) {
  const auto [before, after] = alike(old_half.counts, new_half.counts);
  judge_counts(verdict, before->metrics, after->metrics, rule);
  if (before->seed != after->seed && verdict.verdict != Verdict::pass)
    verdict.reason += fmt::format("{}the inputs differ, too: seed {} -> {}",
                                  verdict.reason.empty() ? "" : "; ", before->seed, after->seed);
}

/// p against "the candidate is not disturbed more often": its disturbed processes are left out, and
/// may be the slow ones.
double p_of_leaning(const Half& old_half, const Half& new_half) {
  const auto of = [](const Half& half) { return static_cast<std::size_t>(half.disturbed); };
  return p_of_disturbed(old_half.medians_ns.size() + of(old_half), of(old_half),
                        new_half.medians_ns.size() + of(new_half), of(new_half));
}

/// What speaks for a slow-down in a case that is not decided, for whatever reason.
std::optional<record::Doubt> doubt_about(const Half& old_half, const Half& new_half,
                                         const CaseRule& rule, int cases) {
  const double delta =
      old_half.medians_ns.empty() ? std::log1p(rule.delta) : log_delta(rule, old_half.medians_ns);
  const std::optional<double> limit = doubted_above(rule, delta);
  if (!limit) return std::nullopt;
  if (p_of_leaning(old_half, new_half) <= exact_doubt_p / cases) return record::Doubt::exact;
  return doubt_of_unpaired(old_half.medians_ns, new_half.medians_ns, *limit, cases);
}

void judge(CaseVerdict& verdict, const Half& old_half, const Half& new_half, const CaseRule& rule,
           const GatePlan& plan, int cases) {
  if (!new_half.counts.empty()) return judge_counts(verdict, old_half, new_half, rule);
  const Decision decision =
      decide_unpaired(plan, rule, cases, old_half.medians_ns, new_half.medians_ns);
  verdict.verdict = decision.verdict;
  set_numbers(verdict, decision);
  verdict.reason = doubts(old_half, new_half, rule, cases);
  if (verdict.verdict == Verdict::pass && p_of_leaning(old_half, new_half) <= stored_leaning_p)
    verdict.verdict = Verdict::undecided;
  if (verdict.verdict == Verdict::undecided)
    verdict.doubt = doubt_about(old_half, new_half, rule, cases);
  verdict.expected =
      verdict.verdict == Verdict::regression && is_as_expected(rule, verdict.ratio.value());
}

/// Of a case that could not be judged although both sides have times of one kind: it is undecided
/// where these speak for a slow-down.
void add_doubt(CaseVerdict& verdict, const Half& old_half, const Half& new_half,
               const CaseRule& rule, int cases) {
  verdict.doubt = doubt_about(old_half, new_half, rule, cases);
  if (verdict.doubt) verdict.verdict = Verdict::undecided;
}

}  // namespace

StoredVerdicts gate_stored(const StoredSide& baseline, const StoredSide& candidate,
                           const std::vector<std::string>& names,
                           const std::vector<CaseRule>& rules, const GatePlan& plan,
                           bool accept_changes) {
  require(names.size() == rules.size(), "every case has a rule");
  const std::vector<std::string> differs = changes(baseline, candidate).comparable;
  Halves old_halves = halves(baseline), new_halves = halves(candidate);
  StoredVerdicts result;
  std::vector<std::size_t> measured, unfit_ones;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Half &old_half = old_halves[names[i]], &new_half = new_halves[names[i]];
    CaseVerdict& verdict = result.verdicts.emplace_back();
    verdict.case_name = names[i];
    if (old_half.measured() || old_half.failure || old_half.left_out)
      verdict.baseline_case = names[i];
    verdict.delta = rules[i].delta;
    verdict.pairs =
        static_cast<int>(std::min(old_half.medians_ns.size(), new_half.medians_ns.size()));
    verdict.dropped = old_half.disturbed + new_half.disturbed;
    verdict.expectation = rules[i].expectation;
    verdict.expectation_over = rules[i].expectation_over;
    auto said = without_times(baseline, candidate, rules[i], old_half, new_half);
    const bool both = !said;
    if (both) said = unfit(old_half, new_half);
    if (said && both && are_alike(old_half, new_half)) unfit_ones.push_back(i);
    if (!said) {
      measured.push_back(i);
      if (new_half.counts.empty()) {
        verdict.baseline_ns = stats::median(old_half.medians_ns);
        verdict.candidate_ns = stats::median(new_half.medians_ns);
      }
      if (!differs.empty() && !accept_changes)
        said = Said{Verdict::invalid_environment, fmt::format("{}", fmt::join(differs, "; "))};
    }
    if (said) std::tie(verdict.verdict, verdict.reason) = *said;
  }
  result.cases = static_cast<int>(measured.size());
  if (!differs.empty() && !accept_changes) return result;
  for (const std::size_t i : measured) {
    judge(result.verdicts[i], old_halves[names[i]], new_halves[names[i]], rules[i], plan,
          result.cases);
  }
  const auto doubted = static_cast<int>(measured.size() + unfit_ones.size());
  for (const std::size_t i : unfit_ones)
    add_doubt(result.verdicts[i], old_halves[names[i]], new_halves[names[i]], rules[i], doubted);
  return result;
}

}  // namespace ridgeline::analysis
