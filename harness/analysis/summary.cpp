#include "harness/analysis/summary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/case_times.hpp"
#include "harness/analysis/roofline.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/record/fields.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

using record::Outcome;
using store::StoredMeasurement;

/// -1, 0 or 1; whole numbers by value, everything else by character.
int compare_values(const std::string& a, const std::string& b) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
  };
  if (is_number(a) && is_number(b)) {
    const auto significant = [](std::string_view text) {
      return text.substr(std::min(text.find_first_not_of('0'), text.size()));
    };
    const std::string_view x = significant(a), y = significant(b);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (x != y) return x < y ? -1 : 1;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

bool fields_before(const std::vector<record::Field>& a, const std::vector<record::Field>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].key != b[i].key) return a[i].key < b[i].key;
    if (const int order = compare_values(a[i].value, b[i].value); order != 0) return order < 0;
  }
  return a.size() < b.size();
}

}  // namespace

int severity(Outcome outcome) {
  constexpr Outcome mildest_first[] = {
      Outcome::ok,       Outcome::counted,    Outcome::unsupported,         Outcome::unavailable,
      Outcome::unstable, Outcome::unverified, Outcome::invalid_environment, Outcome::not_measured,
      Outcome::timeout,  Outcome::crashed,    Outcome::wrong_result};
  return static_cast<int>(std::ranges::find(mildest_first, outcome) - std::begin(mildest_first));
}

namespace {

/// Why processes that nothing disturbed differ too much for the case to be ok; empty when they do
/// not.
std::string difference(std::span<const ProcessResult> processes,
                       const std::vector<std::size_t>& counting, double limit) {
  std::vector<double> medians_ns;
  for (const std::size_t i : counting) medians_ns.push_back(*processes[i].median_ns);
  if (!std::ranges::all_of(medians_ns, [](double ns) { return record::time.allows(ns); }))
    return {};
  const std::optional<double> spread = stats::relative_process_half_width(medians_ns);
  if (!spread || *spread <= limit) return {};
  const auto [least, most] = std::ranges::minmax(medians_ns);
  return fmt::format(
      "process medians from {} to {}: their interval is ±{} of the median; the profile allows ±{}",
      units::time(least), units::time(most), units::percent(*spread), units::percent(limit));
}

}  // namespace

OverProcesses over_processes(std::span<const ProcessResult> processes,
                             std::optional<double> limit) {
  require(!processes.empty(), "a case has a process");
  OverProcesses result;
  for (std::size_t i = 1; i < processes.size(); ++i)
    if (severity(processes[i].outcome) > severity(processes[result.worst].outcome))
      result.worst = i;
  result.outcome = processes[result.worst].outcome;
  if (record::is_failure(result.outcome)) return result;
  for (const bool disturbed : {false, true}) {
    for (std::size_t i = 0; i < processes.size(); ++i)
      if (processes[i].median_ns &&
          (processes[i].outcome == Outcome::invalid_environment) == disturbed)
        result.counting.push_back(i);
    result.disturbed = disturbed && !result.counting.empty();
    if (!result.counting.empty()) break;
  }
  if (limit && severity(result.outcome) < severity(Outcome::unstable))
    result.differ = difference(processes, result.counting, *limit);
  if (!result.differ.empty()) result.outcome = Outcome::unstable;
  return result;
}

CaseTimes case_times(std::span<const ProcessResult> processes, std::optional<double> limit) {
  CaseTimes times{over_processes(processes, limit), {}, {}, {}};
  for (const std::size_t i : times.over.counting)
    times.medians_ns.push_back(*processes[i].median_ns);
  if (times.medians_ns.empty()) return times;
  times.median_ns = stats::median(times.medians_ns);
  times.interval_ns = stats::process_interval(times.medians_ns);
  return times;
}

bool is_before(const record::CaseId& a, const record::CaseId& b) {
  if (const auto x = std::tie(a.suite, a.variant, a.dtype),
      y = std::tie(b.suite, b.variant, b.dtype);
      x != y)
    return x < y;
  if (a.problem != b.problem) return fields_before(a.problem, b.problem);
  return fields_before(a.options, b.options);
}

namespace {

/// Whether a case that measures a ceiling claims more than the datasheet's of the same kind.
bool beats_datasheet(const CaseSummary& summary, const std::vector<record::Roof>& roofs) {
  const std::string& kind = summary.case_info.roof;
  const record::RoofClass of = record::class_of_roof(kind);
  const bool memory = of == record::RoofClass::dram || of == record::RoofClass::link,
             compute = is_arithmetic(of);
  const std::optional<double> reached = memory    ? summary.byte_rate
                                        : compute ? summary.flop_rate
                                                  : std::nullopt;
  if (!reached) return false;
  const std::string datasheet_kind = memory ? kind.substr(0, kind.find('.')) : kind;
  return std::ranges::any_of(roofs, [&](const record::Roof& roof) {
    return !record::is_measured(roof) && roof.kind == datasheet_kind && roof.value > 0 &&
           *reached > roof.value * roof_margin;
  });
}

/// Share of the least time that the roofs allow, and the roof that sets it.
void set_share(CaseSummary& summary, const std::vector<record::Roof>& roofs) {
  if (!summary.case_info.roof.empty()) {
    summary.beats_roof = beats_datasheet(summary, roofs);
    return;
  }
  const std::optional<RoofTime> least =
      least_time(summary.case_info.id, summary.flops, summary.bytes, roofs);
  if (!least) return;
  const double share = least->ns / *summary.median_ns;
  summary.beats_roof = share > roof_margin;
  if (!least->whole) return;
  summary.roof = least->roof;
  summary.share_of_roof = share;
}

/// The verification that is farthest from right, as a share of its tolerance; an error that is no
/// number is the farthest. Of what was compared, the least.
void keep_worse(std::optional<record::Verification>& worst,
                const std::optional<record::Verification>& other) {
  if (!other) return;
  const auto distance = [](const record::Verification& v) {
    if (std::isnan(v.error)) return HUGE_VAL;
    return v.tolerance > 0 ? v.error / v.tolerance : v.error > 0 ? HUGE_VAL : 0.0;
  };
  const std::optional<Checked> least =
      worst ? std::min(worst->checked, other->checked) : other->checked;
  if (!worst || distance(*other) > distance(*worst)) worst = other;
  worst->checked = least;
}

/// Whether all warm-ups settled.
std::optional<bool> all_settled(const CaseProcesses& processes) {
  std::optional<bool> all;
  for (const StoredMeasurement* process : processes) {
    const record::Measurement& m = process->measurement;
    if (!record::has_samples(m.outcome)) continue;
    if (!m.settled) return std::nullopt;
    all = all.value_or(true) && *m.settled;
  }
  return all;
}

/// Medians over processes, by name; unit and direction are the latest.
std::vector<record::Metric> metrics_of(const CaseProcesses& processes) {
  std::map<std::string, std::pair<record::Metric, std::vector<double>>> by_name;
  for (const StoredMeasurement* process : processes) {
    for (const record::Metric& metric : process->measurement.metrics) {
      auto& [latest, values] = by_name[metric.name];
      latest = metric;
      values.push_back(metric.value);
    }
  }
  std::vector<record::Metric> metrics;
  for (auto& [name, entry] : by_name) {
    entry.first.value = stats::median(entry.second);
    metrics.push_back(entry.first);
  }
  return metrics;
}

/// What the device told of itself in these processes.
void set_telemetry(CaseSummary& summary, const CaseProcesses& processes) {
  std::vector<double> clocks;
  for (const StoredMeasurement* process : processes) {
    const record::Telemetry& said = process->measurement.telemetry;
    if (said.sm_clock_mhz) clocks.push_back(*said.sm_clock_mhz);
    if (said.power_w) summary.power_w = std::max(summary.power_w.value_or(0), *said.power_w);
  }
  if (!clocks.empty()) summary.sm_clock_mhz = stats::median(clocks);
}

CaseSummary summarise_case(const CaseProcesses& processes, const std::vector<record::Roof>& roofs,
                           std::optional<double> limit) {
  std::vector<ProcessResult> results;
  for (const StoredMeasurement* process : processes)
    results.push_back({process->measurement.outcome, process->measurement.median_ns});
  CaseTimes times = case_times(results, limit);
  const OverProcesses& over = times.over;
  CaseSummary summary;
  summary.case_info = processes.back()->case_info;
  summary.outcome = over.outcome;
  summary.reason = over.differ.empty() ? processes[over.worst]->measurement.reason : over.differ;
  summary.flops = summary.case_info.flops;
  summary.bytes = summary.case_info.bytes;
  for (const StoredMeasurement* process : processes) {
    const record::Measurement& m = process->measurement;
    keep_worse(summary.verification, m.verification);
    if (!record::has_samples(m.outcome)) continue;
    if (m.flops) summary.flops = m.flops;
    if (m.bytes) summary.bytes = m.bytes;
  }
  if (record::is_failure(summary.outcome)) return summary;
  summary.settled = all_settled(processes);
  CaseProcesses counting;
  for (const std::size_t i : over.counting) counting.push_back(processes[i]);
  summary.metrics = metrics_of(counting.empty() ? processes : counting);
  set_telemetry(summary, counting);
  summary.disturbed = over.disturbed;
  summary.medians_ns = std::move(times.medians_ns);
  summary.median_ns = times.median_ns;
  summary.interval_ns = times.interval_ns;
  if (!summary.median_ns) return summary;
  if (summary.flops) summary.flop_rate = *summary.flops / *summary.median_ns * 1e9;
  if (summary.bytes) summary.byte_rate = *summary.bytes / *summary.median_ns * 1e9;
  set_share(summary, roofs);
  return summary;
}

}  // namespace

std::vector<CaseProcesses> by_case(const std::vector<StoredMeasurement>& measurements) {
  // By case, then replicate.
  std::map<std::string, std::map<int, const StoredMeasurement*>> last_attempts;
  for (const StoredMeasurement& stored : measurements) {
    const StoredMeasurement*& last =
        last_attempts[record::name(stored.case_info.id)][stored.replicate];
    const auto order = [](const StoredMeasurement& m) {
      return std::pair(m.measurement.attempt, m.id);
    };
    if (!last || order(stored) > order(*last)) last = &stored;
  }
  std::vector<CaseProcesses> cases;
  for (const auto& [name, replicates] : last_attempts) {
    CaseProcesses& processes = cases.emplace_back();
    for (const auto& [replicate, measurement] : replicates) processes.push_back(measurement);
  }
  std::ranges::sort(cases, [](const CaseProcesses& a, const CaseProcesses& b) {
    return is_before(a.back()->case_info.id, b.back()->case_info.id);
  });
  return cases;
}

CountedCase counted_case(const CaseProcesses& processes) {
  CountedCase found;
  for (const StoredMeasurement* process : processes) {
    if (process->measurement.outcome != Outcome::counted) continue;
    if (found.shown && found.shown->measurement.sites != process->measurement.sites)
      found.processes_differ = true;
    found.shown = process;
  }
  return found;
}

std::pair<const record::Measurement*, const record::Measurement*> alike(const Executions& a,
                                                                        const Executions& b) {
  for (const record::Measurement* one : a)
    if (const auto same = std::ranges::find(b, one->seed, &record::Measurement::seed);
        same != b.end())
      return {one, *same};
  return {a.front(), b.front()};
}

std::string in_words(Outcome outcome, const std::string& reason) {
  const std::string_view name = record::to_string(outcome);
  if (reason.empty()) return std::string(name);
  // Older workers begin the reason with the outcome.
  if (reason.starts_with(name)) return printable(reason, 1000);
  return fmt::format("{}: {}", name, printable(reason, 1000));
}

std::vector<CaseSummary> summarise(const std::vector<StoredMeasurement>& measurements,
                                   const std::vector<record::Roof>& roofs,
                                   std::optional<double> limit) {
  std::vector<CaseSummary> summaries;
  for (const CaseProcesses& processes : by_case(measurements))
    summaries.push_back(summarise_case(processes, roofs, limit));
  return summaries;
}

}  // namespace ridgeline::analysis
