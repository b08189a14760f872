#include "harness/analysis/verdict_json.hpp"

namespace ridgeline::analysis {

void put_numbers(json::Value& object, const record::CaseVerdict& verdict) {
  json::put(object, "ratio", verdict.ratio);
  json::put(object, "ratio_low", verdict.ratio_low);
  json::put(object, "ratio_high", verdict.ratio_high);
  json::put(object, "delta", verdict.delta);
  json::put(object, "metric", verdict.metric);
  json::put(object, "baseline_value", verdict.baseline_value);
  json::put(object, "candidate_value", verdict.candidate_value);
  json::put(object, "baseline_ns", verdict.baseline_ns);
  json::put(object, "candidate_ns", verdict.candidate_ns);
  object["pairs"] = verdict.pairs;
  object["dropped"] = verdict.dropped;
  json::put(object, "noise", verdict.noise);
  json::put(object, "smallest_effect", verdict.smallest_effect);
  json::put(object, "p_value", verdict.p_value);
  json::put(object, "level", verdict.level);
}

}  // namespace ridgeline::analysis
