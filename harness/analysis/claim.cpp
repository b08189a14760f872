#include "harness/analysis/claim.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/core.h>

#include "harness/analysis/bound.hpp"
#include "harness/analysis/ladder.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::analysis {
namespace {

Measured lacking(std::string why) { return {.lacks = std::move(why)}; }

Measured of_times(const std::optional<SpeedUp>& times) {
  if (!times) return lacking("what these cases do is not known");
  return {.value = times->ratio, .interval = times->interval};
}

Measured ridge(const CaseSummary& of, const CaseSummary& over) {
  if (!(of.flops.value_or(0) > 0) || !(over.bytes.value_or(0) > 0))
    return lacking("these cases have no operations, or no bytes");
  return of_times(times_as_fast(over, of, *of.flops / *over.bytes));
}

Measured latency(const CaseSummary& of, const CaseSummary& over) {
  const auto loads = metric(of.metrics, "loads"), other = metric(over.metrics, "loads");
  if (!(loads.value_or(0) > 0) || !(other.value_or(0) > 0))
    return lacking("these cases do not say how many loads they make");
  return of_times(times_as_fast(of, over, *other / *loads));
}

Measured share(const CaseSummary& of, const std::string& peak,
               const std::vector<record::Roof>& roofs) {
  const auto found = std::ranges::find_if(roofs, [&](const record::Roof& roof) {
    return roof.kind == peak && !record::is_measured(roof) && roof.value > 0;
  });
  if (found == roofs.end()) return lacking(fmt::format("no datasheet of this device has {}", peak));
  const auto work = found->unit == "B/s" ? of.bytes : of.flops;
  if (!(work.value_or(0) > 0)) return lacking("the case has no work of this kind");
  const double at_peak_ns = *work / found->value * 1e9;
  Measured result{.value = at_peak_ns / *of.median_ns,
                  .against = fmt::format("{}, {} of {}", units::quantity(found->value, found->unit),
                                         peak, found->source)};
  if (of.interval_ns)
    result.interval =
        stats::Interval{at_peak_ns / of.interval_ns->high, at_peak_ns / of.interval_ns->low};
  return result;
}

Measured intensity(const CaseSummary& of, bool counted_bytes) {
  if (!(of.flops.value_or(0) > 0)) return lacking("the case counts no operations");
  if (!counted_bytes) {
    if (!(of.bytes.value_or(0) > 0)) return lacking("the case has no least bytes");
    return {.value = *of.flops / *of.bytes, .exact = true};
  }
  const auto read = metric(of.metrics, "hardware_dram_read_bytes");
  const double bytes =
      read.value_or(0) + metric(of.metrics, "hardware_dram_written_bytes").value_or(0);
  if (!read || !(bytes > 0)) return lacking("no good result has hardware counters");
  return {.value = *of.flops / bytes, .exact = true};
}

std::optional<double> field(const CaseSummary& of, const std::string& key) {
  for (const record::Field& each : of.case_info.id.problem) {
    double value = 0;
    const char* const end = each.value.data() + each.value.size();
    if (each.key != key) continue;
    if (const auto [stop, error] = std::from_chars(each.value.data(), end, value);
        error == std::errc() && stop == end && value > 0)
      return value;
  }
  return std::nullopt;
}

Measured growth(const CaseSummary& of, const CaseSummary& over, const std::string& by) {
  const auto size = field(of, by), other = field(over, by);
  if (!size || !other || *size == *other)
    return lacking(fmt::format("these cases do not differ in {}", by));
  const auto memory = metric(of.metrics, "memory_bytes"),
             less = metric(over.metrics, "memory_bytes");
  if (!(memory.value_or(0) > 0) || !(less.value_or(0) > 0))
    return lacking("these cases do not say how much memory they need");
  return {.value = std::log(*memory / *less) / std::log(*size / *other), .exact = true};
}

}  // namespace

std::span<const Name<Quantity>> names(Quantity) {
  static constexpr Name<Quantity> all[] = {
      {Quantity::speed, "speed"},         {Quantity::ridge, "ridge"},
      {Quantity::latency, "latency"},     {Quantity::share, "share"},
      {Quantity::intensity, "intensity"}, {Quantity::growth, "growth"},
  };
  return all;
}

std::span<const Name<ClaimVerdict>> names(ClaimVerdict) {
  static constexpr Name<ClaimVerdict> all[] = {
      {ClaimVerdict::holds, "holds"},
      {ClaimVerdict::does_not_hold, "does_not_hold"},
      {ClaimVerdict::holds_only_when, "holds_only_when"},
      {ClaimVerdict::holds_where_told, "holds_where_told"},
      {ClaimVerdict::cannot_be_told, "cannot_be_told"},
      {ClaimVerdict::not_measured, "not_measured"},
  };
  return all;
}

stats::Interval bounds(const Border& border) {
  if (border.about)
    return {*border.about * (1 - border.within), *border.about * (1 + border.within)};
  return {border.at_least.value_or(-stats::unbounded), border.at_most.value_or(stats::unbounded)};
}

Measured measured(const Check& check, const CaseSummary& of, const CaseSummary* over,
                  const std::vector<record::Roof>& roofs) {
  if (check.quantity == Quantity::share) return share(of, check.peak, roofs);
  if (check.quantity == Quantity::intensity) return intensity(of, check.counted_bytes);
  if (over == nullptr) return lacking("there is nothing to set it against");
  switch (check.quantity) {
    case Quantity::ridge:
      return ridge(of, *over);
    case Quantity::latency:
      return latency(of, *over);
    case Quantity::growth:
      return growth(of, *over, check.by);
    default:
      return of_times(speed_up(*over, of));
  }
}

bool is_good(const CaseSummary& summary) {
  return summary.outcome == record::Outcome::ok && summary.median_ns && !summary.disturbed &&
         !summary.beats_roof;
}

ClaimVerdict judge(const Measured& measured, const Border& border) {
  if (!measured.value) return ClaimVerdict::not_measured;
  if (!measured.exact && !measured.interval) return ClaimVerdict::cannot_be_told;
  const stats::Interval allowed = bounds(border);
  const stats::Interval found =
      measured.interval.value_or(stats::Interval{*measured.value, *measured.value});
  if (found.low >= allowed.low && found.high <= allowed.high) return ClaimVerdict::holds;
  if (found.high < allowed.low || found.low > allowed.high) return ClaimVerdict::does_not_hold;
  return ClaimVerdict::cannot_be_told;
}

ClaimVerdict judge(const std::vector<ClaimVerdict>& checks) {
  const auto has = [&](ClaimVerdict verdict) { return std::ranges::count(checks, verdict) > 0; };
  const bool holds = has(ClaimVerdict::holds);
  if (has(ClaimVerdict::does_not_hold))
    return holds ? ClaimVerdict::holds_only_when : ClaimVerdict::does_not_hold;
  const bool untold = has(ClaimVerdict::cannot_be_told), rest = has(ClaimVerdict::not_measured);
  if (holds) return untold || rest ? ClaimVerdict::holds_where_told : ClaimVerdict::holds;
  return untold ? ClaimVerdict::cannot_be_told : ClaimVerdict::not_measured;
}

}  // namespace ridgeline::analysis
