#include "harness/store/measured.hpp"

#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "harness/record/rules.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::store {

std::string rule_broken_when_stored(const record::Measurement& m, std::int64_t samples) {
  std::string broken = record::broken_rule(m, samples);
  if (!broken.empty() || samples == 0 || m.outcome == record::Outcome::invalid_environment ||
      m.outcome == record::Outcome::unverified)
    return broken;
  if (const std::string why = record::disturbance(m.telemetry); !why.empty())
    broken = fmt::format("says outcome {} although {}", to_string(m.outcome), why);
  return broken;
}

DeviceKind device_kind(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT device.id AS id, kind FROM run JOIN device ON device.id = device_id WHERE run.id = ?",
      run_id);
  if (!rows.executeStep()) return DeviceKind::cpu;
  return Row(rows, "device", connection.file()).get<DeviceKind>("kind");
}

void check(const Row& row, const record::Measurement& m, const Kept& kept) {
  row.refuse_broken(rule_broken_when_stored(m, kept.samples));
  if (m.pruned && kept.samples == 0) row.refuse("dropped samples that it never had");
  const std::int64_t there = m.pruned ? 0 : kept.samples;
  if (kept.bytes != there * static_cast<std::int64_t>(sizeof(double)))
    row.refuse(fmt::format("{} bytes of samples where it says {} samples", kept.bytes, there));
  if (kept.samples > 0 && kept.device == DeviceKind::emulated)
    row.refuse("times of an emulated device, which has counts and no times");
  if (!m.samples_ns.empty()) check_median(row, m);
}

void check_median(const Row& row, const record::Measurement& m) {
  if (m.median_ns != stats::median(m.samples_ns))
    row.refuse(fmt::format("{} as median_ns, which is not the median of its samples",
                           m.median_ns.value()));
}

std::optional<double> number_in(const SQLite::Column& column, const Row& row,
                                const record::Rule& rule) {
  const int type = column.getType();
  if (type == SQLite::Null) return std::nullopt;
  const double value = column.getDouble();
  if ((type != SQLite::FLOAT && type != SQLite::INTEGER) || !std::isfinite(value))
    row.refuse(fmt::format("no number as {}", column.getName()));
  if (!rule.allows(value)) row.refuse(fmt::format("{} as {}", value, column.getName()));
  return value;
}

namespace {

enum class Ruled {
  measurement_id,
  outcome,
  reason,
  n,
  sample_bytes,
  pruned,
  median_ns,
  relative_spread,
  error,
  tolerance,
  warmup_ns,
  timed_ns,
  throttle,
  throttled_by_hardware,
  other_processes,
  end
};
static_assert(static_cast<int>(Ruled::end) == first_column_after_ruled);

}  // namespace

// Looks only at what a rule asks of such an outcome: each look costs as much as SQLite's reading.
record::Measurement read_ruled(const Row& row, ColumnsByPlace& columns, DeviceKind device) {
  using enum Ruled;
  const auto column = [&](Ruled place) -> const SQLite::Column& {
    return columns[static_cast<int>(place)];
  };
  const auto number = [&](Ruled place, const record::Rule& rule) {
    return number_in(column(place), row, rule);
  };
  record::Measurement m;
  m.outcome = row.known<record::Outcome>(column(outcome).getText(), "outcome");
  if (column(reason).getBytes() > 0) m.reason = row.get<std::string>("reason");
  const Kept kept{column(n).getInt64(), column(sample_bytes).getInt64(), device};
  if (const SQLite::Column& when = column(pruned); !when.isNull())
    m.pruned = record::Pruned{kept.samples, when.getText()};
  m.median_ns = number(median_ns, record::time);
  m.relative_spread = number(relative_spread, record::not_negative);
  const auto found = number(error, record::not_negative),
             allowed = number(tolerance, record::not_negative);
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  if (allowed)
    m.verification = record::Verification{found.value_or(not_a_number), *allowed};
  else if (found)
    row.refuse("error without tolerance");
  if (m.outcome == record::Outcome::counted) {
    m.warmup_ns = number(warmup_ns, record::wall_time).value_or(0);
    m.timed_ns = number(timed_ns, record::wall_time).value_or(0);
  }
  if (kept.samples > 0) {
    m.telemetry.throttled_by_hardware = column(throttled_by_hardware).getInt64() != 0;
    m.telemetry.other_processes = column(other_processes).getInt();
    if (m.telemetry.throttled_by_hardware) m.telemetry.throttle = column(throttle).getText();
  }
  check(row, m, kept);
  return m;
}

}  // namespace ridgeline::store
