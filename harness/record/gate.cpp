#include "harness/record/gate.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<Verdict> verdicts[] = {
    {Verdict::regression, "regression"},
    {Verdict::tail, "tail"},
    {Verdict::wrong_result, "wrong_result"},
    {Verdict::crashed, "crashed"},
    {Verdict::timeout, "timeout"},
    {Verdict::missing, "missing"},
    {Verdict::invalid_environment, "invalid_environment"},
    {Verdict::undecided, "undecided"},
    {Verdict::no_baseline, "no_baseline"},
    {Verdict::improvement, "improvement"},
    {Verdict::new_case, "new"},
    {Verdict::pass, "pass"},
    {Verdict::same_code, "same_code"},
    {Verdict::not_measured, "not_measured"},
    {Verdict::skipped, "skipped"},
};

constexpr Name<Tail> tails[] = {
    {Tail::launches, "launches"}, {Tail::processes, "processes"}, {Tail::means, "means"},
    {Tail::nineties, "nineties"}, {Tail::throttles, "throttles"},
};

constexpr Name<Doubt> doubts[] = {
    {Doubt::exact, "exact"},
    {Doubt::large, "large"},
    {Doubt::cluster, "cluster"},
};

constexpr Name<GateMode> modes[] = {
    {GateMode::workers, "workers"},
    {GateMode::refs, "refs"},
    {GateMode::variants, "variants"},
    {GateMode::runs, "runs"},
};

}  // namespace

std::string to_text(const Drop& drop) {
  std::string text;
  if (!drop.baseline.empty()) text = "baseline: " + drop.baseline;
  if (!drop.candidate.empty())
    text += (text.empty() ? "candidate: " : "; candidate: ") + drop.candidate;
  return !drop.baseline.empty() && !drop.candidate.empty() ? "both: " + text : text;
}

std::span<const Name<GateMode>> names(GateMode) { return modes; }
std::span<const Name<Verdict>> names(Verdict) { return verdicts; }
std::span<const Name<Tail>> names(Tail) { return tails; }
std::span<const Name<Doubt>> names(Doubt) { return doubts; }

}  // namespace ridgeline::record
