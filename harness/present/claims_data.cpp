#include <algorithm>

#include "harness/present/claims.hpp"
#include "harness/present/claims_words.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::present {
namespace {

json::Value check_json(const JudgedCheck& judged) {
  const analysis::Check& check = judged.check;
  const ClaimWords words = words_of(judged);
  json::Value object = json::Value::object();
  json::put(object, "when", check.when);
  object["verdict"] = to_string(judged.verdict);
  json::put(object, "why", judged.why);
  if (check.missing.empty()) object["quantity"] = to_string(check.quantity);
  json::put(object, "value", judged.measured.value);
  if (judged.measured.interval)
    object["interval"] = {judged.measured.interval->low, judged.measured.interval->high};
  if (check.missing.empty()) {
    const stats::Interval allowed = analysis::bounds(check.border);
    json::put(object, "at_least", std::optional(allowed.low));  // absent where it is not finite
    json::put(object, "at_most", std::optional(allowed.high));
  }
  json::put(object, "against", judged.measured.against);
  json::put(object, "of", judged.of);
  json::put(object, "over", judged.over);
  json::put(object, "run", judged.run);
  json::put(object, "over_run", judged.over_run);
  if (!judged.cases.empty()) object["cases"] = judged.cases;
  json::put(object, "command", judged.command);
  json::Value told = json::Value::object();
  json::put(told, "measured", words.measured);
  json::put(told, "border", words.border);
  json::put(told, "verdict", words.verdict);
  object["words"] = told;
  return object;
}

json::Value claim_json(const JudgedClaim& judged) {
  return {{"title", judged.claim.title},
          {"says", judged.claim.says},
          {"conditions", judged.claim.conditions},
          {"verdict", to_string(judged.verdict)},
          {"words", words_of(judged)},
          {"checks", json::list(judged.checks, check_json)}};
}

json::Value claims_of_device_json(const ClaimsOfDevice& of) {
  json::Value object{{"kind", to_string(of.kind)}};
  if (of.device) object["device"] = record::to_json(*of.device);
  object["counts_text"] = claims_counted(of);
  object["claims"] = json::list(of.claims, claim_json);
  object["runs"] =
      json::list(runs_taken(of), [](const std::string& id) { return json::Value(id); });
  return object;
}

bool any_judged(const ClaimsOfDevice& of) {
  return std::ranges::any_of(of.claims, [](const JudgedClaim& one) {
    return one.verdict != analysis::ClaimVerdict::not_measured;
  });
}

}  // namespace

json::Value to_json(const std::vector<ClaimsOfDevice>& devices) {
  return {{"devices", json::list(devices, claims_of_device_json)}};
}

json::Value report_json(const std::vector<ClaimsOfDevice>& devices) {
  return std::ranges::any_of(devices, any_judged) ? json::list(devices, claims_of_device_json)
                                                  : json::Value::array();
}

}  // namespace ridgeline::present
