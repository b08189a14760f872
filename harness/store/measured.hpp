#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/store/columns_by_place.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"

/// What a row of table measurement must say to be believed. However much of it is read, these are
/// the rules.
namespace ridgeline::store {

/// The first rule of record/rules.hpp that a measurement breaks as ridgeline stores it, having
/// drawn its own conclusions; empty when it breaks none.
std::string rule_broken_when_stored(const record::Measurement& measurement, std::int64_t samples);

/// Kind of the device that a run was measured on. Of a run that is not there, or whose device is
/// not, anything: it has no measurements that could be read.
DeviceKind device_kind(Connection& connection, std::string_view run_id);

/// What a row says of the samples of its measurement.
struct Kept {
  std::int64_t samples = 0;  // that there are, or were
  std::int64_t bytes = 0;    // that are there
  DeviceKind device{};       // that took them
};

/// Refuses a row that no ridgeline has stored. The samples of `measurement` are checked as far as
/// they were read: all of them, or none.
void check(const Row& row, const record::Measurement& measurement, const Kept& kept);

/// Refuses a row whose median is not that of the samples of `measurement`, which has some.
void check_median(const Row& row, const record::Measurement& measurement);

/// The columns that the rules are about, for statements that read by place because they read
/// millions of rows. Without those that SQLite stores behind the samples, which would be read, too:
/// `checked` and `settled`.
inline constexpr const char* ruled_columns =
    "measurement.id AS id, outcome, reason, n, length(samples), pruned, median_ns, "
    "relative_spread, error, tolerance, warmup_ns, timed_ns, throttle, throttled_by_hardware, "
    "other_processes";
inline constexpr int first_column_after_ruled = 15;

/// Of a row that begins with them: a measurement that has no more than they say. Refuses it as
/// check() does.
record::Measurement read_ruled(const Row& row, ColumnsByPlace& columns, DeviceKind device);

/// The number in a column; absent for NULL.
std::optional<double> number_in(const SQLite::Column& column, const Row& row,
                                const record::Rule& rule);

}  // namespace ridgeline::store
