#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "harness/base/day.hpp"
#include "harness/base/json.hpp"
#include "harness/present/export_formats.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::present {
namespace {

constexpr double us_of_ns = 1e-3;

/// Events of one line of the document each.
class Events {
 public:
  explicit Events(std::ostream& out) : out_(out) {}
  void add(const json::Value& event) {
    std::string text = printed_json(event);
    text.pop_back();  // the line end
    out_ << (any_ ? ",\n" : "") << text;
    any_ = true;
  }

 private:
  std::ostream& out_;
  bool any_ = false;
};

json::Value span(const std::string& name, const char* category, std::int64_t process,
                 double from_ns, double ns) {
  return {{"name", name},         {"cat", category}, {"ph", "X"}, {"ts", from_ns * us_of_ns},
          {"dur", ns * us_of_ns}, {"pid", process},  {"tid", 1}};
}

/// The steps of a case, one after the other; returns how long it took, ns.
double add_case(Events& events, const store::StoredMeasurement& stored, double from_ns) {
  const record::Measurement& m = stored.measurement;
  const std::pair<const char*, double> steps[] = {{"preparing", m.prepare_ns},
                                                  {"verifying", m.verify_ns},
                                                  {"warming up", m.warmup_ns},
                                                  {"sampling", m.timed_ns}};
  double spent = 0;
  for (const auto& [name, ns] : steps) spent += ns;
  const double total = std::max(m.total_ns, spent);
  json::Value whole = span(m.case_name, "case", stored.process_id, from_ns, total);
  json::Value& about = whole["args"] = {
      {"outcome", to_string(m.outcome)}, {"attempt", m.attempt}, {"samples", m.sample_count()}};
  json::put(about, "reason", m.reason);
  json::put(about, "median_ns", m.median_ns);
  events.add(whole);
  double at = from_ns;
  for (const auto& [name, ns] : steps) {
    if (ns > 0) events.add(span(name, "step", stored.process_id, at, ns));
    at += ns;
  }
  const std::pair<const char*, std::optional<double>> sensors[] = {
      {"SM clock, MHz", m.telemetry.sm_clock_mhz},
      {"memory clock, MHz", m.telemetry.memory_clock_mhz},
      {"power, W", m.telemetry.power_w},
      {"temperature, C", m.telemetry.temperature_c}};
  for (const auto& [name, value] : sensors)
    if (value)
      events.add({{"name", name},
                  {"ph", "C"},
                  {"ts", (from_ns + spent - m.timed_ns) * us_of_ns},
                  {"pid", stored.process_id},
                  {"args", {{"value", *value}}}});
  return total;
}

}  // namespace

void export_timeline(std::ostream& out, const ExportedRun& exported) {
  const auto begin = parse_point_in_time(exported.run.started);
  std::string about = printed_json({{"run", exported.run.id},
                                    {"model", exported.device.model},
                                    {"started", exported.run.started}});
  about.pop_back();  // the line end
  out << "{\"displayTimeUnit\": \"ms\", \"otherData\": " << about << ", \"traceEvents\": [\n";
  Events events(out);
  std::map<std::int64_t, double> next_ns;  // by process: where its next case begins
  for (const store::StoredProcess& stored : exported.processes) {
    const auto started = parse_point_in_time(stored.process.started);
    const double behind_s =
        begin && started ? static_cast<double>((*started - *begin).count()) : 0.0;
    next_ns[stored.id] = std::max(0.0, behind_s) * 1e9;
    events.add({{"name", "process_name"},
                {"ph", "M"},
                {"pid", stored.id},
                {"args",
                 {{"name", fmt::format("replicate {}: {}", stored.process.replicate,
                                       stored.process.build.worker)}}}});
  }
  for (const store::StoredMeasurement& stored : exported.measurements)
    next_ns[stored.process_id] += add_case(events, stored, next_ns[stored.process_id]);
  out << "\n]}\n";
}

}  // namespace ridgeline::present
