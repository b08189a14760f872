#include "harness/run/measured_roofs.hpp"

#include <algorithm>
#include <cmath>

#include "harness/stats/median.hpp"

namespace ridgeline::run {

std::string roof_unit(const std::string& kind) {
  const record::RoofClass of = record::class_of_roof(kind);
  if (of == record::RoofClass::latency) return "ns";
  return is_arithmetic(of) ? "FLOP/s" : "B/s";
}

void MeasuredRoofs::add(const record::Case& info, const record::Measurement& measurement) {
  if (info.roof.empty()) return;
  Reached& reached = reached_[info.roof][measurement.case_name];
  if (measurement.outcome != record::Outcome::ok) reached.all_ok = false;
  if (!reached.all_ok || !measurement.median_ns) return;
  const std::string unit = roof_unit(info.roof);
  std::optional<double> value;
  if (unit == "ns")
    for (const record::Metric& metric : measurement.metrics)
      if (metric.name == "latency" && metric.unit == "ns") value = metric.value;
  if (unit == "ns" && !value) value = measurement.median_ns;
  const std::optional<double> work = unit == "FLOP/s" ? measurement.flops : measurement.bytes;
  if (unit != "ns" && work) value = *work / *measurement.median_ns * 1e9;
  if (value && std::isfinite(*value) && *value > 0) reached.values.push_back(*value);
}

std::vector<record::Roof> MeasuredRoofs::roofs() const {
  std::vector<record::Roof> roofs;
  for (const auto& [kind, cases] : reached_) {
    const std::string unit = roof_unit(kind);
    std::vector<double> medians;
    for (const auto& [name, reached] : cases)
      if (reached.all_ok && !reached.values.empty())
        medians.push_back(stats::median(reached.values));
    if (medians.empty()) continue;
    const auto best = unit == "ns" ? std::min_element(medians.begin(), medians.end())
                                   : std::max_element(medians.begin(), medians.end());
    roofs.push_back({kind, *best, unit, "measured"});
  }
  return roofs;
}

}  // namespace ridgeline::run
