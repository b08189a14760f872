#include "harness/store/read_gates.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "harness/store/measured.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"

namespace ridgeline::store {
namespace {

/// Those that the pairs of a gate take their times from.
void check_measurements(Connection& connection, std::string_view gate_id) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM measurement WHERE id IN (SELECT baseline_measurement FROM pair "
      "WHERE gate_id = ?1 UNION ALL SELECT candidate_measurement FROM pair WHERE "
      "gate_id = ?1)",
      ruled_columns);
  SQLite::Statement& gates =
      connection.statement("SELECT candidate_run FROM gate WHERE id = ?", gate_id);
  const DeviceKind device =
      device_kind(connection, gates.executeStep() ? gates.getColumn(0).getString() : std::string());
  SQLite::Statement& rows = connection.statement(sql.c_str(), gate_id);
  ColumnsByPlace columns(rows);
  while (rows.executeStep())
    read_ruled(Row(rows, "measurement", connection.file()), columns, device);
}

record::CaseVerdict read_verdict(const Row& row) {
  auto verdict = row.as<record::CaseVerdict>();
  if (verdict.ratio == 0 && verdict.metric.empty()) row.refuse("0 as ratio");  // of times
  if ((verdict.ratio_low && !(verdict.ratio >= verdict.ratio_low)) ||
      (verdict.ratio_high && !(verdict.ratio && verdict.ratio <= verdict.ratio_high)))
    row.refuse("a ratio outside of its interval");
  if (verdict.p_value > 1 || verdict.level > 1) row.refuse("a probability above 1");
  return verdict;
}

}  // namespace

record::Pair read_pair(const Row& row) {
  auto pair = row.as<record::Pair>();
  const auto baseline_ns = row.get<std::optional<double>>("baseline_ns", record::time),
             candidate_ns = row.get<std::optional<double>>("candidate_ns", record::time);
  if (!baseline_ns || !candidate_ns) row.refuse("a side without a time");
  pair.baseline_ns = *baseline_ns;
  pair.candidate_ns = *candidate_ns;
  return pair;
}

record::Gate read_gate(const Row& row) {
  auto gate = row.as<record::Gate>();
  if (gate.alpha > 1) row.refuse("a probability above 1");
  gate.device_uuid = row.get<std::string>("uuid");
  return gate;
}

std::vector<GateSummary> gates(Connection& connection) {
  return connection.read("list the gates of", [&] {
    std::unordered_map<std::string, std::vector<std::pair<record::Verdict, std::int64_t>>> verdicts;
    each_row(connection, "gate",
             "SELECT gate_id AS id, verdict, count(*) AS n FROM verdict GROUP BY gate_id, verdict",
             [&](const Row& row) {
               verdicts[row.get<std::string>("id")].emplace_back(
                   row.get<record::Verdict>("verdict"), row.get<std::int64_t>("n"));
             });
    std::vector<GateSummary> gates;
    // Outer joins, so that a gate whose run is gone is named rather than missing.
    constexpr const char* sql =
        "SELECT device.*, gate.* FROM gate "
        "LEFT JOIN run ON run.id = candidate_run LEFT JOIN device ON device.id = device_id "
        "ORDER BY gate.started DESC, gate.id DESC";
    each_row(connection, "gate", sql, [&](const Row& row) {
      GateSummary& summary = gates.emplace_back(GateSummary{read_gate(row), read_device(row), {}});
      summary.verdicts = std::move(verdicts[summary.gate.id]);
      std::ranges::sort(summary.verdicts);
    });
    return gates;
  });
}

std::vector<record::Pair> pairs(Connection& connection, std::string_view gate_id) {
  return connection.read("read the pairs of a gate in", [&] {
    std::vector<record::Pair> pairs;
    check_measurements(connection, gate_id);
    each_row(
        connection, "pair",
        "SELECT pair.*, b.median_ns AS baseline_ns, c.median_ns AS candidate_ns FROM pair "
        "LEFT JOIN measurement b ON b.id = baseline_measurement LEFT JOIN measurement c ON c.id = "
        "candidate_measurement WHERE gate_id = ? ORDER BY round, pair.id",
        [&](const Row& row) { pairs.push_back(read_pair(row)); }, gate_id);
    return pairs;
  });
}

void each_pair(Connection& connection, std::string_view gate_id,
               const std::function<void(const SampledPair&)>& take) {
  connection.read("read the pairs of a gate in", [&] {
    check_measurements(connection, gate_id);
    each_row(
        connection, "pair",
        "SELECT pair.*, b.median_ns AS baseline_ns, c.median_ns AS candidate_ns, b.samples AS "
        "baseline_samples, c.samples AS candidate_samples, b.total_ns + c.total_ns AS total_ns, "
        "b.pruned IS NOT NULL OR c.pruned IS NOT NULL AS pruned "
        "FROM pair LEFT JOIN measurement b ON b.id = baseline_measurement LEFT JOIN measurement c "
        "ON c.id = candidate_measurement WHERE gate_id = ? ORDER BY round, pair.id",
        [&](const Row& row) {
          const auto samples = [&](const char* column) {
            return row.get<std::vector<double>>(column, record::time);
          };
          const SampledPair sampled{read_pair(row), samples("baseline_samples"),
                                    samples("candidate_samples"),
                                    row.get<double>("total_ns", record::wall_time)};
          if (row.get<std::int64_t>("pruned") != 0)
            throw Error(ErrorKind::store,
                        fmt::format("samples of gate {} in {} were dropped: it cannot be judged "
                                    "again",
                                    gate_id, connection.file().string()),
                        "ridgeline gate begins another one");
          if (sampled.baseline_ns.empty() || sampled.candidate_ns.empty())
            row.refuse("a side without samples, and cannot be judged again");
          take(sampled);
        },
        gate_id);
  });
}

std::vector<PairMetric> pair_metrics(Connection& connection, std::string_view gate_id) {
  return connection.read("read what a gate measured beside times in", [&] {
    std::vector<PairMetric> metrics;
    each_row(
        connection, "metric",
        "SELECT measurement_id AS id, metric.*, case_name, measurement_id = candidate_measurement "
        "AS candidate "
        "FROM pair JOIN metric ON measurement_id IN (baseline_measurement, candidate_measurement) "
        "WHERE gate_id = ? AND baseline_disturbed = '' AND candidate_disturbed = '' "
        "ORDER BY case_name, pair.id, measurement_id, name",
        [&](const Row& row) {
          metrics.push_back({row.get<std::string>("case_name"),
                             row.get<std::int64_t>("candidate") != 0, read_metric(row)});
        },
        gate_id);
    return metrics;
  });
}

SpentTime spent_time(Connection& connection, std::string_view gate_id) {
  return connection.read("read what a gate's time was spent on in", [&] {
    SpentTime spent;
    each_row(
        connection, "gate",
        "SELECT ?1 AS id, total(timed_ns) AS sampling, total(warmup_ns) AS warming_up, "
        "total(prepare_ns) AS preparing, total(verify_ns) AS verifying, total(total_ns) AS total "
        "FROM run JOIN process ON run_id = run.id JOIN measurement ON process_id = process.id "
        "WHERE gate = ?1",
        [&](const Row& row) {
          spent = {row.get<double>("sampling"), row.get<double>("warming_up"),
                   row.get<double>("preparing"), row.get<double>("verifying"),
                   row.get<double>("total")};
        },
        gate_id);
    return spent;
  });
}

std::int64_t pair_count(Connection& connection, std::string_view gate_id) {
  return connection.read("count the pairs of a gate in", [&] {
    std::int64_t count = 0;
    each_row(
        connection, "gate", "SELECT ?1 AS id, count(*) AS n FROM pair WHERE gate_id = ?1",
        [&](const Row& row) { count = row.get<std::int64_t>("n"); }, gate_id);
    return count;
  });
}

std::vector<record::CaseVerdict> verdicts(Connection& connection, std::string_view gate_id) {
  return connection.read("read the verdicts of a gate in", [&] {
    std::vector<record::CaseVerdict> verdicts;
    each_row(
        connection, "verdict on",
        "SELECT case_name AS id, verdict.* FROM verdict WHERE gate_id = ? ORDER BY case_name",
        [&](const Row& row) { verdicts.push_back(read_verdict(row)); }, gate_id);
    return verdicts;
  });
}

}  // namespace ridgeline::store
