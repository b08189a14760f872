#include "harness/record/gate.hpp"

#include "harness/base/names.hpp"

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
  if (!drop.candidate.empty()) text += (text.empty() ? "candidate: " : "; candidate: ") + drop.candidate;
  return !drop.baseline.empty() && !drop.candidate.empty() ? "both: " + text : text;
}

std::string_view to_string(GateMode mode) { return name_of(modes, mode); }
std::optional<GateMode> parse_gate_mode(std::string_view text) { return value_of(modes, text); }

std::string_view to_string(Verdict verdict) { return name_of(verdicts, verdict); }
std::optional<Verdict> parse_verdict(std::string_view text) { return value_of(verdicts, text); }

}  // namespace ridgeline::record
