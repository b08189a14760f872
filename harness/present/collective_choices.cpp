#include "harness/present/collective_choices.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/present/collective_time.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;

ChosenSize& at_size(ChosenCurve& curve, double bytes) {
  const auto found = std::ranges::find(curve.sizes, bytes, &ChosenSize::bytes);
  if (found != curve.sizes.end()) return *found;
  curve.sizes.push_back({bytes, {}, {}, {}});
  return curve.sizes.back();
}

void complete(ChosenCurve& curve) {
  std::erase_if(curve.sizes, [](const ChosenSize& size) { return size.told.empty(); });
  std::ranges::sort(curve.sizes, {}, &ChosenSize::bytes);
  for (ChosenSize& size : curve.sizes) {
    std::ranges::sort(size.told, {}, &ToldCollective::choice);
    if (!size.own || !is_ok(*size.own)) continue;
    std::vector<CaseSummary> told;
    for (const ToldCollective& each : size.told)
      told.push_back(is_ok(each.summary) ? each.summary : CaseSummary{});
    size.regret = analysis::regret(*size.own, told);
    // The fastest may be one whose time is not steady.
    if (size.regret && std::ranges::any_of(size.told, [&](const ToldCollective& each) {
          return each.summary.median_ns &&
                 *each.summary.median_ns < *told[size.regret->fastest].median_ns;
        }))
      size.regret.reset();
  }
}

/// Of one run, those that the library was told something of.
std::map<SeriesKey, ChosenCurve> choices_of(const store::FoundRun& found,
                                            const std::vector<std::string>& patterns) {
  const record::Run& run = found.summary.run;
  std::map<SeriesKey, ChosenCurve> curves;
  for (CaseSummary& summary : analysis::summarise(
           store::measurements(store::Store::open(found.file), run.id, store::Samples::leave_out),
           {}, run.unstable)) {
    const auto of = collective_case(summary.case_info.id);
    if (!of || !any_matches(patterns, record::name(summary.case_info.id))) continue;
    const std::string& model = found.summary.device.model;
    ChosenCurve& curve =
        curves.try_emplace(series_key(model, *of), ChosenCurve{run.id, model, *of, {}})
            .first->second;
    ChosenSize& size = at_size(curve, of->bytes);
    if (of->choice.empty())
      size.own = std::move(summary);
    else
      size.told.push_back({of->choice, std::move(summary)});
  }
  for (auto& [key, curve] : curves) complete(curve);
  std::erase_if(curves, [](const auto& each) { return each.second.sizes.empty(); });
  return curves;
}

std::string regret_cell(const analysis::Regret& regret) {
  std::string text = fmt::format("{:.3f}", regret.ratio);
  if (regret.interval)
    text += fmt::format(" ({:.3f} to {:.3f})", regret.interval->low, regret.interval->high);
  return text;
}

/// The size at which the own choice costs most, beyond noise.
std::string worst_text(const std::vector<ChosenCurve>& curves, std::size_t width) {
  const ChosenCurve* worst_curve = nullptr;
  const ChosenSize* worst = nullptr;
  int sizes = 0, judged = 0, slower = 0;
  for (const ChosenCurve& curve : curves)
    for (const ChosenSize& size : curve.sizes) {
      ++sizes;
      if (!size.regret || !size.regret->interval) continue;
      ++judged;
      if (!size.regret->is_beyond_noise()) continue;
      ++slower;
      if (worst != nullptr && size.regret->ratio <= worst->regret->ratio) continue;
      worst_curve = &curve;
      worst = &size;
    }
  std::string text;
  if (judged < sizes)
    text = fmt::format("{} of {} have too few processes, or no steady time, for an interval. ",
                       sizes - judged, units::plural(sizes, "size"));
  if (worst == nullptr) {
    text += judged > 0 ? "Nothing that the library can be told is faster beyond noise." : "";
  } else {
    text += fmt::format(
        "At {} of {}, something that the library can be told is faster beyond noise; most at {} of "
        "{} among {} ranks, where its own choice takes {} longer than {}.",
        slower, units::plural(judged, "size"), units::bytes(worst->bytes),
        printable(worst_curve->of.operation), worst_curve->of.ranks,
        units::percent(worst->regret->ratio - 1),
        printable(worst->told[worst->regret->fastest].choice));
  }
  return wrapped(text, width, 0);
}

}  // namespace

std::vector<ChosenCurve> find_choices(const std::filesystem::path& results,
                                      const CurveChoice& choice, const store::LeftOut& left_out) {
  std::map<SeriesKey, ChosenCurve> newest;
  for (const store::FoundRun& found : store::all_runs(results, left_out)) {
    if (!found.summary.run.gate.empty() || !is_asked_for(found.summary.device, choice.device))
      continue;
    auto choices =
        store::unless_unreadable(left_out, [&] { return choices_of(found, choice.patterns); });
    if (choices) newest.merge(*choices);
  }
  std::vector<ChosenCurve> curves;
  for (auto& [key, curve] : newest) curves.push_back(std::move(curve));
  return curves;
}

std::string choices_text(const std::vector<ChosenCurve>& curves, std::size_t width) {
  using Align = Table::Align;
  std::set<std::string> told;
  for (const ChosenCurve& curve : curves)
    for (const ChosenSize& size : curve.sizes)
      for (const ToldCollective& each : size.told) told.insert(each.choice);
  std::vector<Table::Column> columns{{"bytes", Align::right}, {"own choice", Align::point}};
  for (const std::string& each : told) columns.push_back({printable(each), Align::point});
  columns.push_back({"fastest", Align::left, true});
  columns.push_back({"own over fastest", Align::left, true});
  Table table(std::move(columns));
  for (const ChosenCurve& curve : curves) {
    table.heading(
        printable(fmt::format("{}, run {}: {}", curve.model, curve.run, series_text(curve.of))));
    for (const ChosenSize& size : curve.sizes) {
      std::vector<std::string> cells{units::bytes(size.bytes),
                                     size.own ? time_cell(*size.own) : "not measured"};
      for (const std::string& each : told) {
        const auto found = std::ranges::find(size.told, each, &ToldCollective::choice);
        cells.push_back(found == size.told.end() ? "" : time_cell(found->summary));
      }
      cells.push_back(size.regret ? printable(size.told[size.regret->fastest].choice) : "");
      cells.push_back(size.regret ? regret_cell(*size.regret) : "");
      table.add(std::move(cells));
    }
  }
  return table.text(width) + worst_text(curves, width);
}

json::Value to_json(const ChosenCurve& curve) {
  json::Value told = series_json(curve.of);
  told["run"] = curve.run;
  told["model"] = curve.model;
  told["sizes"] = json::list(curve.sizes, [&](const ChosenSize& size) {
    json::Value all{{"bytes", size.bytes},
                    {"told", json::list(size.told, [&](const ToldCollective& each) {
                       return timed({{"choice", each.choice}}, each.summary);
                     })}};
    if (size.own) all["own"] = timed({}, *size.own);
    if (size.regret) {
      all["fastest"] = size.told[size.regret->fastest].choice;
      all["own_over_fastest"] = size.regret->ratio;
      if (const auto& interval = size.regret->interval)
        all["interval"] = {{"low", interval->low}, {"high", interval->high}};
    }
    return all;
  });
  return told;
}

}  // namespace ridgeline::present
