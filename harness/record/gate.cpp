#include "harness/record/gate.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<Verdict> verdicts[] = {
    {Verdict::regression, "regression"},
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
    {Verdict::skipped, "skipped"},
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

}  // namespace ridgeline::record
