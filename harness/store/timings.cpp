#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "harness/store/measured.hpp"
#include "harness/store/read.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::store {
namespace {

/// Columns of the statement below, by place: looking them up by name would cost more than all else.
enum Place {
  case_id = first_column_after_ruled,
  replicate,
  attempt,
  flops,
  bytes,
  sm_clock_mhz,
  launch,
  cache
};

int whole(const SQLite::Column& column, int least, const Row& row) {
  const std::int64_t value = column.getInt64();
  if (value < least || !std::in_range<int>(value)) row.refuse("an impossible replicate or attempt");
  return static_cast<int>(value);
}

Timing read_timing(ColumnsByPlace& columns, const Row& row, DeviceKind device) {
  record::Measurement m = read_ruled(row, columns, device);
  Timing timing;
  timing.id = columns[0].getInt64();
  timing.replicate = whole(columns[replicate], 0, row);
  timing.attempt = whole(columns[attempt], 1, row);
  timing.outcome = m.outcome;
  timing.reason = std::move(m.reason);
  timing.median_ns = m.median_ns;
  timing.flops = number_in(columns[flops], row, record::work);
  timing.bytes = number_in(columns[bytes], row, record::work);
  timing.sm_clock_mhz = number_in(columns[sm_clock_mhz], row, record::work);
  timing.launch = columns[launch].getText();
  timing.cache = columns[cache].getText();
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
    const DeviceKind device = device_kind(connection, run_id);
    static const std::string sql = fmt::format(
        "SELECT {}, case_id, replicate, attempt, flops, bytes, sm_clock_mhz, launch, "
        "cache FROM process JOIN measurement ON process_id = process.id WHERE run_id = "
        "?",
        ruled_columns);
    SQLite::Statement& rows = connection.statement(sql.c_str(), run_id);
    ColumnsByPlace columns(rows);
    while (rows.executeStep()) {
      const Row row(rows, "measurement", connection.file());
      const auto place = places.find(columns[case_id].getInt64());
      if (place == places.end()) row.refuse("a case that does not exist");
      found.timings.push_back(read_timing(columns, row, device));
      found.timings.back().case_index = place->second;
    }
    // They come process by process, nearly in order: SQLite would sort them in a table of its own.
    if (!std::ranges::is_sorted(found.timings, {}, &Timing::id))
      std::ranges::sort(found.timings, {}, &Timing::id);
    return found;
  });
}

}  // namespace ridgeline::store
