#include "harness/present/json_output.hpp"
#include "harness/present/ladder_words.hpp"
#include "harness/present/ladders.hpp"
#include "harness/present/rate.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::present {
namespace {

void put_gain(json::Value& object, const std::string& key,
              const std::optional<analysis::SpeedUp>& gain) {
  if (!gain) return;
  object[key] = gain->ratio;
  if (gain->interval) object[key + "_interval"] = {gain->interval->low, gain->interval->high};
}

json::Value rung_json(const analysis::Rung& rung, const RungWords& words) {
  json::Value object{{"case", rung.name}, {"label", words.label}};
  if (!rung.summary) return object;
  object["outcome"] = record::to_string(rung.summary->outcome);
  json::put(object, "reason", rung.summary->reason);
  json::put(object, "idea", rung.summary->case_info.idea);
  json::put(object, "median_ns", rung.summary->median_ns);
  json::put(object, "flop_rate", rung.summary->flop_rate);
  json::put(object, "byte_rate", rung.summary->byte_rate);
  for (const char* const name :
       {"sustained_time", "sustained_sm_clock", "sustained_power", "energy"})
    json::put(object, name, metric(rung.summary->metrics, name));
  put_gain(object, "over_before", rung.over_before);
  put_gain(object, "over_reference", rung.over_reference);
  json::put(object, "share_of_roof", rung.summary->share_of_roof);
  json::put(object, "roof", rung.summary->roof);
  return object;
}

json::Value ladder_json(const analysis::ClimbedLadder& climbed) {
  json::Value object{{"title", climbed.ladder.title}};
  if (!climbed.ladder.notes.empty()) object["notes"] = climbed.ladder.notes;
  const std::vector<RungWords> words = rung_words(climbed);
  object["rungs"] = json::Value::array();
  object["references"] = json::Value::array();
  std::size_t row = 0;
  for (const analysis::Rung& rung : climbed.rungs)
    object["rungs"].push_back(rung_json(rung, words[row++]));
  for (const analysis::Rung& rung : climbed.references)
    object["references"].push_back(rung_json(rung, words[row++]));
  json::put(object, "reference", reference_label(climbed));
  return object;
}

json::Value run_json(const LaddersOfRun& of) {
  return {{"run", of.run.id},
          {"device", record::to_json(of.device)},
          {"builds", json::list(of.builds)},
          {"ladders", json::list(of.ladders, ladder_json)}};
}

}  // namespace

json::Value to_json(const std::vector<LaddersOfModel>& models) {
  return {{"models", json::list(models, [](const LaddersOfModel& of) {
             return json::Value{{"model", of.model},
                                {"runs", json::list(of.runs, run_json)},
                                {"unmeasured", of.unmeasured}};
           })}};
}

}  // namespace ridgeline::present
