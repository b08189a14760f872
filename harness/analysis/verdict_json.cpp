#include "harness/analysis/verdict_json.hpp"

#include <cmath>
#include <optional>

namespace ridgeline::analysis {

void put_numbers(nlohmann::ordered_json& object, const record::CaseVerdict& verdict) {
  const auto put = [&](const char* key, const std::optional<double>& number) {
    if (number && std::isfinite(*number)) object[key] = *number;
  };
  put("ratio", verdict.ratio);
  put("ratio_low", verdict.ratio_low);
  put("ratio_high", verdict.ratio_high);
  put("delta", verdict.delta);
  if (!verdict.metric.empty()) object["metric"] = verdict.metric;
  put("baseline_value", verdict.baseline_value);
  put("candidate_value", verdict.candidate_value);
  put("baseline_ns", verdict.baseline_ns);
  put("candidate_ns", verdict.candidate_ns);
  object["pairs"] = verdict.pairs;
  object["dropped"] = verdict.dropped;
  put("noise", verdict.noise);
  put("smallest_effect", verdict.smallest_effect);
  put("p_value", verdict.p_value);
  put("level", verdict.level);
}

}  // namespace ridgeline::analysis
