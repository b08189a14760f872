#include "harness/run/measured_roofs.hpp"

#include <cmath>
#include <map>
#include <optional>

#include "harness/analysis/summary.hpp"

namespace ridgeline::run {
namespace {

/// What one case says of its roof.
struct Reached {
  double value = 0;
  bool steady = true, disturbed = false;
};

/// In the unit of the case's roof.
std::optional<Reached> reached_by(const analysis::CaseSummary& summary) {
  const std::string unit = roof_unit(summary.case_info.roof);
  std::optional<double> value = unit == "FLOP/s" ? summary.flop_rate
                                : unit == "B/s"  ? summary.byte_rate
                                                 : summary.median_ns;
  // Of a case that times many loads in a row, the time of one.
  if (unit == "ns" && value)
    for (const record::Metric& metric : summary.metrics)
      if (metric.name == "latency" && metric.unit == "ns") value = metric.value;
  if (!value || !std::isfinite(*value) || *value <= 0) return std::nullopt;
  return Reached{*value, summary.outcome == record::Outcome::ok, summary.disturbed};
}

bool is_better(const Reached& a, const Reached& b, bool lower) {
  if (a.disturbed != b.disturbed) return b.disturbed;
  return lower ? a.value < b.value : a.value > b.value;
}

}  // namespace

std::string roof_unit(const std::string& kind) {
  const record::RoofClass of = record::class_of_roof(kind);
  if (of == record::RoofClass::latency) return "ns";
  return is_arithmetic(of) ? "FLOP/s" : "B/s";
}

std::vector<record::Roof> measured_roofs(const std::vector<store::StoredMeasurement>& measurements,
                                         std::optional<double> limit) {
  std::map<std::string, Reached> best;  // by kind
  for (const analysis::CaseSummary& summary : analysis::summarise(measurements, {}, limit)) {
    const std::string& kind = summary.case_info.roof;
    if (kind.empty()) continue;
    const std::optional<Reached> reached = reached_by(summary);
    if (!reached) continue;
    const auto [known, is_first] = best.emplace(kind, *reached);
    if (!is_first && is_better(*reached, known->second, roof_unit(kind) == "ns"))
      known->second = *reached;
  }
  std::vector<record::Roof> roofs;
  for (const auto& [kind, reached] : best)
    roofs.push_back(
        {kind, reached.value, roof_unit(kind),
         std::string(reached.steady ? record::measured_source : record::unsteady_source)});
  return roofs;
}

}  // namespace ridgeline::run
