#include "harness/record/rules.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/record/fields.hpp"

namespace ridgeline::record {
namespace {

/// Metrics that mean the same whoever reports them; all others are their worker's own.
constexpr struct Promise {
  std::string_view name, unit;
  bool may_be_zero;
} promises[] = {
    {"energy", "J", false},
    {"flops_per_joule", "FLOP/J", false},
    {"bytes_per_joule", "B/J", false},
    {"sustained_time", "ns", false},
    {"sustained_power", "W", false},
    {"sustained_sm_clock", "MHz", false},
    {"memory_bytes", "B", true},
    {"allocated_bytes", "B", true},
    {"moved_bytes", "B", true},
    {"dram_read_bytes", "B", true},
    {"dram_written_bytes", "B", true},
};

std::string broken_count(const Measurement& m, std::int64_t samples) {
  if (samples < 0 || samples > record::samples.most)
    return fmt::format("says that it has {} samples, and there are 0 to {}", samples,
                       record::samples.most);
  const bool any = samples > 0;
  if (has_samples(m.outcome) != any)
    return fmt::format("says outcome {} {} samples", to_string(m.outcome),
                       any ? "with" : "without");
  if (any != m.median_ns.has_value()) return "must hold median_ns exactly when it holds samples";
  if (m.relative_spread && !any) return "must not hold relative_spread without samples";
  return {};
}

std::string broken_verification(const Measurement& m) {
  if (m.outcome == Outcome::unverified)
    return m.verification ? "says outcome unverified with a verification" : "";
  if (has_samples(m.outcome) && !m.verification)
    return fmt::format(
        "says outcome {} without a verification: an output that was not verified has no time",
        to_string(m.outcome));
  if (m.outcome == Outcome::counted && !m.verification)
    return "says outcome counted without a verification";
  if (m.verification && !m.verification->right() && m.outcome != Outcome::wrong_result)
    return fmt::format("says outcome {} although its verification failed", to_string(m.outcome));
  return {};
}

std::string broken_counts(const Measurement& m) {
  if (m.outcome != Outcome::counted)
    return m.sites.empty() && m.sources.empty()
               ? ""
               : fmt::format(
                     "says outcome {} and holds sites or sources, which are of counted "
                     "cases",
                     to_string(m.outcome));
  if (m.warmup_ns != 0 || m.timed_ns != 0)
    return "says outcome counted and how long it was timed: counts come without times";
  return m.settled ? "says outcome counted and whether its warm-up settled" : "";
}

}  // namespace

std::string broken_rule(const Measurement& m, std::int64_t samples) {
  std::string broken = broken_count(m, samples);
  if (broken.empty() && is_success(m.outcome) != m.reason.empty())
    broken = "must give a reason exactly when its outcome is neither ok nor counted";
  if (broken.empty()) broken = broken_verification(m);
  if (broken.empty()) broken = broken_counts(m);
  return broken;
}

std::string broken_rule(const Metric& metric) {
  const auto* promise = std::ranges::find(promises, metric.name, &Promise::name);
  if (promise == std::end(promises)) return {};
  const bool possible = metric.value > 0 || (metric.value == 0 && promise->may_be_zero);
  if (possible && metric.unit == promise->unit) return {};
  return fmt::format("says {} {} '{}': it is in {} and {} 0", metric.name, metric.value,
                     printable(metric.unit, 60), promise->unit,
                     promise->may_be_zero ? "not below" : "above");
}

std::string disturbance(const Telemetry& telemetry) {
  if (telemetry.throttled_by_hardware)
    return "the hardware throttled while the case was timed" +
           (telemetry.throttle.empty() ? "" : fmt::format(" ({})", printable(telemetry.throttle)));
  const int neighbours = telemetry.other_processes.value_or(0);
  if (neighbours > 0)
    return units::plural(neighbours, "other process") + " used the device while the case was timed";
  return {};
}

}  // namespace ridgeline::record
