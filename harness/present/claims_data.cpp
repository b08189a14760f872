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
  object["claims"] = json::list(of.claims, claim_json);
  return object;
}

}  // namespace

json::Value to_json(const std::vector<ClaimsOfDevice>& devices) {
  return {{"devices", json::list(devices, claims_of_device_json)}};
}

}  // namespace ridgeline::present
