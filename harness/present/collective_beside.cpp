#include "harness/present/collective_beside.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/present/collective_time.hpp"
#include "harness/present/report_data.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;
using analysis::Estimate;

/// How the suite beside names what is timed.
constexpr std::pair<std::string_view, CaseSummary BesideWork::*> all_timed[] = {
    {"work_alone", &BesideWork::work_alone},
    {"collective_alone", &BesideWork::collective_alone},
    {"work", &BesideWork::work},
    {"collective", &BesideWork::collective},
    {"both", &BesideWork::both}};

std::string text_of(const std::vector<record::Field>& fields) {
  std::string text;
  for (const auto& [key, value] : fields)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  return text;
}

using BesideKey = std::tuple<std::string, std::string, std::string, std::string>;

bool is_whole(const BesideWork& beside) {
  return std::ranges::all_of(all_timed, [&](const auto& each) {
    return !(beside.*each.second).case_info.id.suite.empty();
  });
}

/// Of one run, those that have all that is timed, by model, variant, type and fields.
std::map<BesideKey, BesideWork> beside_of(const record::Run& run, const std::string& model,
                                          const std::vector<store::StoredMeasurement>& measurements,
                                          const std::vector<std::string>& patterns) {
  std::map<BesideKey, BesideWork> all;
  for (CaseSummary& summary :
       analysis::summarise(store::of_suite("beside", measurements), {}, run.unstable)) {
    const record::CaseId& id = summary.case_info.id;
    if (!any_matches(patterns, record::name(id))) continue;
    std::vector<record::Field> fields = id.problem;
    fields.insert(fields.end(), id.options.begin(), id.options.end());
    const auto timed = std::ranges::find(fields, "timed", &record::Field::key);
    const auto bytes = number_in(fields, "bytes");
    if (timed == fields.end() || !bytes) continue;
    const auto part =
        std::ranges::find(all_timed, timed->value, [](const auto& each) { return each.first; });
    if (part == std::end(all_timed)) continue;
    fields.erase(timed);
    BesideWork& of = all[{model, id.variant, id.dtype, text_of(fields)}];
    of.run = run.id;
    of.model = model;
    of.variant = id.variant;
    of.dtype = id.dtype;
    of.fields = std::move(fields);
    of.bytes = *bytes;
    of.*part->second = std::move(summary);
  }
  std::erase_if(all, [](const auto& each) { return !is_whole(each.second); });
  return all;
}

void judge(BesideWork& of) {
  of.work_slow_down = analysis::slow_down(of.work_alone, of.work);
  of.collective_slow_down = analysis::slow_down(of.collective_alone, of.collective);
  of.hidden = analysis::hidden_share(of.work_alone, of.collective_alone, of.both);
}

std::vector<BesideWork> judged(std::map<BesideKey, BesideWork> found) {
  std::vector<BesideWork> all;
  for (auto& [key, of] : found) all.push_back(std::move(of));
  std::ranges::for_each(all, judge);
  std::ranges::stable_sort(all, {}, [](const BesideWork& of) {
    return std::tuple(of.model, of.variant, of.dtype, of.bytes);
  });
  return all;
}

std::string ratio_cell(const std::optional<Estimate>& of) {
  if (!of) return "";
  std::string text = fmt::format("{:.3f}", of->value);
  if (of->interval)
    text += fmt::format(" ({:.3f} to {:.3f})", of->interval->low, of->interval->high);
  return text;
}

/// A percentage in whole steps, also below 0 and above 100.
std::string share_text(const BesideWork& of) {
  const auto percent = [](double share) { return fmt::format("{:.1f}%", 100 * share); };
  if (!of.hidden) return "without all times, no share that is hidden is known";
  std::string text = fmt::format("hidden: {} of the shorter", percent(of.hidden->value));
  if (const auto& interval = of.hidden->interval)
    text += fmt::format(" ({} to {})", percent(interval->low), percent(interval->high));
  else
    text += ", with too few processes for an interval";
  return text;
}

}  // namespace

std::vector<BesideWork> find_beside(const std::filesystem::path& results, const CurveChoice& choice,
                                    const store::LeftOut& left_out) {
  std::map<BesideKey, BesideWork> newest;
  for (const store::FoundRun& found : store::all_runs(results, left_out)) {
    if (!found.summary.run.gate.empty() || !is_asked_for(found.summary.device, choice.device))
      continue;
    const record::Run& run = found.summary.run;
    const auto measurements = store::unless_unreadable(left_out, [&] {
      return store::measurements(store::Store::open(found.file), run.id, store::Samples::leave_out);
    });
    if (measurements)
      newest.merge(beside_of(run, found.summary.device.model, *measurements, choice.patterns));
  }
  return judged(std::move(newest));
}

std::vector<BesideWork> find_beside(const ReportRun& run) {
  return judged(beside_of(run.run, run.device.model, run.measurements, {}));
}

std::string beside_text(const std::vector<BesideWork>& all, std::size_t width) {
  using Align = Table::Align;
  Table table({{"", Align::left},
               {"alone", Align::point},
               {"beside the other", Align::point},
               {"beside over alone", Align::left, true}});
  for (const BesideWork& of : all) {
    table.heading(
        printable(fmt::format("{}, run {}: {} of {}, {}, {}", of.model, of.run, of.variant,
                              units::bytes(of.bytes), of.dtype, text_of(of.fields))));
    table.add(
        {"work", time_cell(of.work_alone), time_cell(of.work), ratio_cell(of.work_slow_down)});
    table.add({"collective", time_cell(of.collective_alone), time_cell(of.collective),
               ratio_cell(of.collective_slow_down)});
    table.add({"both", "", time_cell(of.both), ""});
    table.note(share_text(of));
  }
  return table.text(width);
}

json::Value to_json(const BesideWork& of) {
  json::Value told{{"run", of.run},
                   {"model", of.model},
                   {"variant", of.variant},
                   {"dtype", of.dtype},
                   {"bytes", of.bytes}};
  json::Value& fields = told["fields"];
  for (const auto& [key, value] : of.fields) fields[key] = value;
  for (const auto& [name, part] : all_timed) told[name] = timed({}, of.*part);
  const auto add = [&](const char* name, const std::optional<Estimate>& estimate) {
    if (!estimate) return;
    json::Value value{{"value", estimate->value}};
    if (const auto& interval = estimate->interval)
      value["interval"] = {{"low", interval->low}, {"high", interval->high}};
    told[name] = std::move(value);
  };
  add("work_slow_down", of.work_slow_down);
  add("collective_slow_down", of.collective_slow_down);
  add("hidden_share", of.hidden);
  return told;
}

}  // namespace ridgeline::present
