#include <algorithm>
#include <map>

#include "harness/analysis/bound.hpp"
#include "harness/analysis/roofline.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
#include "harness/present/asked_device.hpp"
#include "harness/present/collective_case.hpp"
#include "harness/present/collectives.hpp"

namespace ridgeline::present {
namespace {

constexpr std::size_t least_sizes = 3;

/// Whether ranks of the run were on several hosts, so that no GPU's links are between all of them.
bool has_other_hosts(store::Store& store, const std::string& run) {
  return std::ranges::any_of(store::hosts(store, run), [](const record::Facts& of) {
    const auto count = of.find("hosts");
    return count != of.end() && count->second != "1";
  });
}

/// The curves of one run.
std::map<SeriesKey, CollectiveCurve> curves_of(const store::FoundRun& found,
                                               const std::vector<std::string>& patterns) {
  store::Store store = store::Store::open(found.file);
  const auto measurements =
      store::measurements(store, found.summary.run.id, store::Samples::leave_out);
  std::optional<record::Roof> wire;
  if (const std::vector<record::Roof> roofs = store::roofs(store, found.summary.run.id);
      const record::Roof* to_peer = analysis::highest_roof("link.to_peer", roofs))
    if (!has_other_hosts(store, found.summary.run.id)) wire = *to_peer;
  std::map<SeriesKey, CollectiveCurve> curves;
  for (const analysis::CaseSummary& summary :
       analysis::summarise(measurements, {}, found.summary.run.unstable)) {
    const auto of = collective_case(summary.case_info.id);
    // What a library was told is another subject.
    if (!of || !of->choice.empty() || summary.outcome != record::Outcome::ok ||
        !summary.median_ns || !any_matches(patterns, record::name(summary.case_info.id)))
      continue;
    const std::string& model = found.summary.device.model;
    CollectiveCurve& known =
        curves
            .try_emplace(series_key(model, *of),
                         CollectiveCurve{found.summary.run.id, model, *of, {}, {}, {}, {}})
            .first->second;
    known.points.push_back({of->bytes, *summary.median_ns});
    if (const auto busbw = analysis::metric(summary.metrics, "busbw")) {
      known.best_busbw = std::max(known.best_busbw.value_or(0), *busbw);
      known.bus_factor = *busbw * *summary.median_ns / 1e9 / of->bytes;
    }
    if (of->ranks > 1) known.wire = wire;
  }
  return curves;
}

void sort_points(CollectiveCurve& curve) {
  std::ranges::sort(curve.points, {}, &analysis::SizedTime::bytes);
  const auto same =
      std::unique(curve.points.begin(), curve.points.end(),
                  [](const auto& one, const auto& other) { return one.bytes == other.bytes; });
  curve.points.erase(same, curve.points.end());
}

}  // namespace

std::optional<double> CollectiveCurve::share_of_wire(double rate) const {
  if (!bus_factor || !wire || !(wire->value > 0)) return std::nullopt;
  return rate * *bus_factor / wire->value;
}

std::vector<CollectiveCurve> find_curves(const std::filesystem::path& results,
                                         const CurveChoice& choice,
                                         const store::LeftOut& left_out) {
  std::map<SeriesKey, CollectiveCurve> newest;
  for (const store::FoundRun& found : store::all_runs(results, left_out)) {
    if (!found.summary.run.gate.empty() || !is_asked_for(found.summary.device, choice.device))
      continue;
    auto curves =
        store::unless_unreadable(left_out, [&] { return curves_of(found, choice.patterns); });
    if (!curves) continue;
    for (auto& [key, curve] : *curves) {
      sort_points(curve);
      if (curve.points.size() >= least_sizes) newest.try_emplace(key, std::move(curve));
    }
  }
  std::vector<CollectiveCurve> curves;
  for (auto& [key, curve] : newest) curves.push_back(std::move(curve));
  return curves;
}

std::vector<FittedCurve> fit_curves(std::vector<CollectiveCurve> curves) {
  std::vector<FittedCurve> fitted;
  for (CollectiveCurve& curve : curves) {
    const analysis::CollectiveFit fit = analysis::fit_collective(curve.points);
    const auto left_out = analysis::leave_sizes_out(curve.points);
    fitted.push_back({std::move(curve), fit, left_out});
  }
  return fitted;
}

}  // namespace ridgeline::present
