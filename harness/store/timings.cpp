#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/store/read.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::store {
namespace {

/// Columns of the statement below, by place: looking them up by name would cost more than all else.
enum Place {
  case_id,
  replicate,
  attempt,
  outcome,
  reason,
  median_ns,
  flops,
  bytes,
  sm_clock_mhz,
  launch,
  cache,
  measurement_id
};

std::optional<double> number(SQLite::Statement& rows, Place place, const Row& row,
                             const record::Rule& rule) {
  const SQLite::Column column = rows.getColumn(place);
  if (column.isNull()) return std::nullopt;
  const double value = column.getDouble();
  if (!(column.isFloat() || column.isInteger()) || !rule.allows(value))
    row.refuse("a time, work or clock that none can have");
  return value;
}

int whole(SQLite::Statement& rows, Place place, int least, const Row& row) {
  const std::int64_t value = rows.getColumn(place).getInt64();
  if (value < least || !std::in_range<int>(value)) row.refuse("an impossible replicate or attempt");
  return static_cast<int>(value);
}

Timing read_timing(SQLite::Statement& rows, const Row& row) {
  Timing timing;
  timing.id = rows.getColumn(measurement_id).getInt64();
  timing.replicate = whole(rows, replicate, 0, row);
  timing.attempt = whole(rows, attempt, 1, row);
  timing.outcome = row.known<record::Outcome>(rows.getColumn(outcome).getText(), "outcome");
  if (!record::is_success(timing.outcome)) timing.reason = row.get<std::string>("reason");
  timing.median_ns = number(rows, median_ns, row, record::time);
  check_median(row, timing.outcome, timing.median_ns);
  timing.flops = number(rows, flops, row, record::work);
  timing.bytes = number(rows, bytes, row, record::work);
  timing.sm_clock_mhz = number(rows, sm_clock_mhz, row, record::work);
  timing.launch = rows.getColumn(launch).getText();
  timing.cache = rows.getColumn(cache).getText();
  return timing;
}

}  // namespace

Timings timings(Connection& connection, std::string_view run_id) {
  return connection.read("read the times of a run in", [&] {
    Timings found;
    std::unordered_map<std::int64_t, std::size_t> places;
    for (auto& [id, info] : read_cases(connection, run_id)) {
      places.emplace(id, found.cases.size());
      found.cases.push_back(std::move(info));
    }
    SQLite::Statement& rows = connection.statement(
        "SELECT case_id, replicate, attempt, outcome, reason, median_ns, flops, bytes, "
        "sm_clock_mhz, launch, cache, "
        "measurement.id AS id FROM process JOIN measurement ON process_id = process.id WHERE "
        "run_id = ?",
        run_id);
    while (rows.executeStep()) {
      const Row row(rows, "measurement", connection.file());
      const auto place = places.find(rows.getColumn(case_id).getInt64());
      if (place == places.end()) row.refuse("a case that does not exist");
      found.timings.push_back(read_timing(rows, row));
      found.timings.back().case_index = place->second;
    }
    // They come process by process, nearly in order: SQLite would sort them in a table of its own.
    if (!std::ranges::is_sorted(found.timings, {}, &Timing::id))
      std::ranges::sort(found.timings, {}, &Timing::id);
    return found;
  });
}

}  // namespace ridgeline::store
