#include "harness/store/series.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/record/rules.hpp"
#include "harness/store/measured.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"

namespace ridgeline::store {
namespace {

/// A measurement on its way: which attempt it was.
struct Attempt {
  SeriesTime time;
  std::int64_t attempt = 1;
};

/// The last attempt of each replicate of a case. Nearly all are the only one.
void keep_last_attempts(std::vector<Attempt>& attempts) {
  if (std::ranges::all_of(attempts, [](const Attempt& one) { return one.attempt == 1; })) return;
  const auto place = [](const Attempt& one) {
    return std::tuple(one.time.case_id, one.time.replicate);
  };
  std::ranges::sort(attempts, [&](const Attempt& a, const Attempt& b) {
    return std::tuple(place(a), b.attempt, b.time.id) < std::tuple(place(b), a.attempt, a.time.id);
  });
  const auto same = [&](const Attempt& a, const Attempt& b) { return place(a) == place(b); };
  attempts.erase(std::unique(attempts.begin(), attempts.end(), same), attempts.end());
}

}  // namespace

std::vector<StoredRun> series_runs(Connection& connection) {
  return connection.read("list the runs of", [&] {
    std::map<std::string, std::vector<record::Build>> builds;
    each_row(
        connection, "build",
        "SELECT DISTINCT run_id, build.* FROM process LEFT JOIN build ON build.id = build_id ORDER "
        "BY build.id",
        [&](const Row& row) {
          builds[row.get<std::string>("run_id")].push_back(row.as<record::Build>());
        });
    std::map<std::int64_t, record::Environment> environments;
    each_row(connection, "environment", "SELECT * FROM environment", [&](const Row& row) {
      environments.emplace(row.get<std::int64_t>("id"), row.as<record::Environment>());
    });
    std::vector<StoredRun> runs;
    constexpr const char* sql =
        "SELECT device.*, run.* FROM run LEFT JOIN device ON device.id = device_id ORDER BY "
        "started, "
        "run.id";
    each_row(connection, "run", sql, [&](const Row& row) {
      StoredRun& one = runs.emplace_back(StoredRun{read_run(row), read_device(row), {}, {}});
      const auto environment = environments.find(row.get<std::int64_t>("environment_id"));
      if (environment == environments.end()) row.refuse("an environment that does not exist");
      one.environment = environment->second;
      one.builds = builds[one.run.id];
    });
    return runs;
  });
}

std::unordered_map<std::string, std::int64_t> stored_order(Connection& connection) {
  return connection.read("list the runs of", [&] {
    std::unordered_map<std::string, std::int64_t> order;
    each_row(connection, "process",
             "SELECT run_id AS id, min(id) AS first FROM process GROUP BY run_id",
             [&](const Row& row) {
               order.emplace(row.get<std::string>("id"), row.get<std::int64_t>("first"));
             });
    return order;
  });
}

std::unordered_map<std::int64_t, record::Case> stored_cases(Connection& connection) {
  return connection.read("list the cases of", [&] {
    std::unordered_map<std::int64_t, record::Case> found;
    each_row(connection, "case", "SELECT * FROM \"case\"",
             [&](const Row& row) { found.emplace(row.get<std::int64_t>("id"), read_case(row)); });
    return found;
  });
}

std::unordered_map<std::int64_t, std::string> case_names(Connection& connection) {
  std::unordered_map<std::int64_t, std::string> names;
  for (const auto& [id, info] : stored_cases(connection)) names.emplace(id, record::name(info.id));
  return names;
}

void refuse_case(Connection& connection, std::string_view run_id) {
  throw Error(ErrorKind::store,
              fmt::format("run {} of {} measured a case that does not exist",
                          printable(run_id, record::max_id_bytes), connection.file().string()),
              "the file is damaged or was changed by another program; restore it from a backup");
}

void series_times(Connection& connection, std::string_view run_id,
                  const std::function<void(const SeriesTime&)>& take) {
  connection.read("read the times of a run in", [&] {
    // Columns by number: there are millions of rows. Their order is that of the index which finds
    // them.
    static const std::string sql = fmt::format(
        "SELECT {}, case_id, attempt, executions_per_sample, replicate FROM process JOIN "
        "measurement ON process_id = process.id WHERE run_id = ?",
        ruled_columns);
    const DeviceKind device = device_kind(connection, run_id);
    SQLite::Statement& rows = connection.statement(sql.c_str(), run_id);
    ColumnsByPlace columns(rows);
    std::vector<Attempt> attempts;
    while (rows.executeStep()) {
      const Row row(rows, "measurement", connection.file());
      constexpr int next = first_column_after_ruled;
      Attempt one{{}, columns[next + 1].getInt64()};
      record::Measurement m = read_ruled(row, columns, device);
      one.time.id = columns[0].getInt64();
      one.time.replicate = columns[next + 3].getInt64();
      one.time.has_samples = record::has_samples(m.outcome) && !m.pruned;
      one.time.reason = std::move(m.reason);
      one.time.case_id = columns[next].getInt64();
      one.time.outcome = m.outcome;
      one.time.median_ns = m.median_ns.value_or(one.time.median_ns);
      one.time.executions = columns[next + 2].getInt64();
      if (one.time.executions < 1) row.refuse("a sample of no execution");
      attempts.push_back(std::move(one));
    }
    keep_last_attempts(attempts);
    for (const Attempt& one : attempts) take(one.time);
  });
}

void series_counts(Connection& connection, std::string_view run_id,
                   const std::function<void(const SeriesCount&)>& take) {
  connection.read("read the counts of a run in", [&] {
    each_row(
        connection, "metric of measurement",
        "SELECT metric.*, measurement.id AS id, case_id "
        "FROM process JOIN measurement ON process_id = process.id JOIN metric ON measurement_id = "
        "measurement.id "
        "WHERE run_id = ? AND outcome = 'counted' ORDER BY attempt, measurement.id",
        [&](const Row& row) {
          take({row.get<std::int64_t>("case_id"), row.get<std::int64_t>("id"), read_metric(row)});
        },
        run_id);
  });
}

void series_samples(
    Connection& connection, DeviceKind device, std::span<const std::int64_t> ids,
    const std::function<void(std::int64_t id, std::vector<double> samples_ns)>& take) {
  connection.read("read the samples of runs in", [&] {
    static const std::string sql = fmt::format(
        "SELECT {}, samples FROM measurement WHERE measurement.id IN (SELECT value FROM "
        "json_each(?)) ORDER BY measurement.id",
        ruled_columns);
    SQLite::Statement& rows =
        connection.statement(sql.c_str(), fmt::format("[{}]", fmt::join(ids, ",")));
    ColumnsByPlace columns(rows);
    while (rows.executeStep()) {
      const Row row(rows, "measurement", connection.file());
      record::Measurement m = read_ruled(row, columns, device);
      m.samples_ns = row.get<std::vector<double>>("samples", record::time);
      if (m.samples_ns.empty()) continue;
      check_median(row, m);
      take(columns[0].getInt64(), std::move(m.samples_ns));
    }
  });
}

std::map<std::string, SeriesMethod> series_methods(Connection& connection,
                                                   std::string_view run_id) {
  return connection.read("read how the cases of a run were measured in", [&] {
    std::map<std::string, SeriesMethod> methods;
    each_row(
        connection, "measurement",
        "SELECT min(measurement.id) AS id, \"case\".name AS name, launch, cache, buffer_sets, "
        "worker, max(measurement.flops) AS flops, max(measurement.bytes) AS bytes "
        "FROM process JOIN measurement ON process_id = process.id "
        "JOIN \"case\" ON \"case\".id = case_id LEFT JOIN build ON build.id = build_id "
        "WHERE run_id = ? AND (median_ns IS NOT NULL OR outcome = 'counted') "
        "GROUP BY \"case\".name, launch, cache, buffer_sets, worker",
        [&](const Row& row) {
          SeriesMethod& method = methods[row.get<std::string>("name")];
          method.launch.insert(row.get<std::string>("launch"));
          method.cache.insert(row.get<std::string>("cache"));
          if (!row.is_null("worker")) method.workers.insert(row.get<std::string>("worker"));
          method.buffer_sets.insert(std::to_string(row.get<std::int64_t>("buffer_sets")));
          const auto keep_most = [&](std::optional<double>& most, const char* column) {
            if (!row.is_null(column)) most = std::max(most.value_or(0), row.get<double>(column));
          };
          keep_most(method.flops, "flops");
          keep_most(method.bytes, "bytes");
        },
        run_id);
    return methods;
  });
}

}  // namespace ridgeline::store
