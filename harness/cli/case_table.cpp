#include "harness/cli/case_table.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/table.hpp"

namespace ridgeline::cli {
namespace {

using analysis::CaseSummary;

/// What a case reaches at its median, in the terms of the roof that it measures or that binds it; without one, of its
/// work, or of the bytes it must move. A collective reports its bandwidth itself: bus bandwidth, which compares across
/// numbers of ranks, else the algorithm's.
std::string rate(const CaseSummary& summary) {
  if (!summary.median_ns) return {};
  for (const auto& [name, suffix] : {std::pair("busbw", " bus"), std::pair("algbw", " algbw")})
    for (const record::Metric& metric : summary.metrics)
      if (metric.name == name && metric.unit == "B/s") return units::byte_rate(metric.value) + suffix;
  const std::string& roof = summary.case_info.roof.empty() ? summary.roof : summary.case_info.roof;
  if (roof.starts_with("latency.")) {
    for (const record::Metric& metric : summary.metrics)
      if (metric.name == "latency" && metric.unit == "ns") return units::time(metric.value) + " a load";
    return {};
  }
  const bool arithmetic = roof.empty() || roof.starts_with("fma.") || roof.starts_with("tensor.");
  if (!arithmetic && summary.byte_rate) return units::byte_rate(*summary.byte_rate);
  if (summary.flop_rate && *summary.flop_rate > 0) return units::flop_rate(*summary.flop_rate);
  if (summary.byte_rate && *summary.byte_rate > 0) return units::byte_rate(*summary.byte_rate);
  return {};
}

std::string outcome(const CaseSummary& summary) {
  std::string text(record::to_string(summary.outcome));
  if (!summary.reason.empty()) text += ": " + printable(summary.reason, 100);
  if (summary.beats_roof) text += " [above its roof: a measuring error]";
  return text;
}

std::optional<double> metric(const CaseSummary& summary, std::string_view name) {
  for (const record::Metric& each : summary.metrics)
    if (each.name == name) return each.value;
  return std::nullopt;
}

/// Of an emulated device's cases: what they ask of memory, and no time.
std::string table_of_counts(const std::vector<CaseSummary>& summaries) {
  using Align = Table::Align;
  Table table({{"case"},
               {"requests", Align::right},
               {"sectors/request", Align::right},
               {"wavefronts/request", Align::right},
               {"moved", Align::right},
               {"outcome"}});
  const auto shown = [](const std::optional<double>& value) { return value ? units::plain(*value) : std::string(); };
  for (const CaseSummary& summary : summaries) {
    const auto of = [&](std::string_view name) { return metric(summary, name).value_or(0); };
    const double requests = of("global_load_requests") + of("global_store_requests");
    const double sectors = of("global_load_sectors") + of("global_store_sectors");
    const auto moved = metric(summary, "global_moved_bytes");
    table.add({printable(record::name(summary.case_info.id), 400),
               metric(summary, "global_load_requests") ? fmt::format("{:.0f}", requests) : "",
               requests > 0 ? units::plain(sectors / requests) : "",
               shown(metric(summary, "shared_wavefronts_per_request")), moved ? units::bytes(*moved) : "",
               outcome(summary)});
  }
  return table.text();
}

}  // namespace

std::string case_table(const std::vector<CaseSummary>& summaries) {
  if (!summaries.empty() && summaries.front().case_info.device_kind == DeviceKind::emulated)
    return table_of_counts(summaries);
  using Align = Table::Align;
  Table table({{"case"},
               {"median", Align::right},
               {"95% interval", Align::right},
               {"rate", Align::right},
               {"of roof", Align::right},
               {"outcome"}});
  for (const CaseSummary& summary : summaries)
    table.add({printable(record::name(summary.case_info.id), 400),
               summary.median_ns ? units::time(*summary.median_ns) : "",
               summary.interval_ns ? units::time_range(summary.interval_ns->low, summary.interval_ns->high) : "",
               rate(summary), summary.share_of_roof ? units::percent(*summary.share_of_roof) : "", outcome(summary)});
  return table.text();
}

json::Value to_json(const CaseSummary& summary) {
  json::Value object{{"case", record::name(summary.case_info.id)},
                     {"outcome", record::to_string(summary.outcome)},
                     {"reason", summary.reason},
                     {"processes", summary.processes}};
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) object[key] = *value;
  };
  put("median_ns", summary.median_ns);
  if (summary.interval_ns) object["interval_ns"] = {summary.interval_ns->low, summary.interval_ns->high};
  put("flop_rate", summary.flop_rate);
  put("byte_rate", summary.byte_rate);
  put("share_of_roof", summary.share_of_roof);
  if (!summary.roof.empty()) object["roof"] = summary.roof;
  if (summary.beats_roof) object["beats_roof"] = true;
  if (!summary.metrics.empty()) {
    auto& metrics = object["metrics"] = json::Value::array();
    for (const record::Metric& metric : summary.metrics)
      metrics.push_back({{"name", metric.name}, {"value", metric.value}, {"unit", metric.unit}});
  }
  return object;
}

std::string outcome_counts(const std::vector<CaseSummary>& summaries) {
  std::map<record::Outcome, int> counts;
  for (const CaseSummary& summary : summaries) ++counts[summary.outcome];
  std::string text;
  for (const auto& [outcome, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, record::to_string(outcome));
  return text;
}

}  // namespace ridgeline::cli
