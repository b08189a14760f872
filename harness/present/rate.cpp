#include "harness/present/rate.hpp"

#include <algorithm>
#include <utility>

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;

double middle(std::vector<double>& values) {
  const auto found = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, found);
  return *found;
}

}  // namespace

std::optional<Rate> rate(const CaseSummary& summary) {
  if (!summary.median_ns) return std::nullopt;
  for (const auto& [name, suffix] : {std::pair("busbw", " bus"), std::pair("algbw", " algbw")})
    for (const record::Metric& metric : summary.metrics)
      if (metric.name == name && metric.unit == "B/s")
        return Rate{metric.value, Quantity::byte_rate, suffix};
  const std::string& roof = summary.case_info.roof.empty() ? summary.roof : summary.case_info.roof;
  const record::RoofClass of = record::class_of_roof(roof);
  if (of == record::RoofClass::latency) {
    for (const record::Metric& metric : summary.metrics)
      if (metric.name == "latency" && metric.unit == "ns")
        return Rate{metric.value, Quantity::time, " per load"};
    return std::nullopt;
  }
  const bool arithmetic = roof.empty() || is_arithmetic(of);
  if (!arithmetic && summary.byte_rate) return Rate{*summary.byte_rate, Quantity::byte_rate};
  if (summary.flop_rate && *summary.flop_rate > 0)
    return Rate{*summary.flop_rate, Quantity::flop_rate};
  if (summary.byte_rate && *summary.byte_rate > 0)
    return Rate{*summary.byte_rate, Quantity::byte_rate};
  return std::nullopt;
}

std::string_view unit(Quantity quantity) {
  return quantity == Quantity::time ? "ns" : quantity == Quantity::byte_rate ? "B/s" : "FLOP/s";
}

std::string text(const Rate& rate) {
  return units::quantity(rate.value, unit(rate.quantity)) + std::string(rate.suffix);
}

SharedUnits::SharedUnits(const std::vector<const CaseSummary*>& cases) {
  std::vector<double> times;
  std::map<Quantity, std::vector<double>> reached;
  for (const CaseSummary* summary : cases) {
    if (summary->median_ns) times.push_back(*summary->median_ns);
    if (const auto found = rate(*summary)) reached[found->quantity].push_back(found->value);
  }
  if (!times.empty()) time = units::unit_for(middle(times), "ns");
  for (auto& [quantity, values] : reached)
    rates[quantity] = units::unit_for(middle(values), unit(quantity));
}

std::string SharedUnits::text(const Rate& rate) const {
  return units::in(rates.at(rate.quantity), rate.value) + std::string(rate.suffix);
}

}  // namespace ridgeline::present
