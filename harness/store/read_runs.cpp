#include "harness/store/read_runs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/record/rules.hpp"
#include "harness/store/measured.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"

namespace ridgeline::store {

record::Run read_run(const Row& row) {
  auto run = row.as<record::Run>();
  run.device_uuid = row.get<std::string>("uuid");
  return run;
}

record::Metric read_metric(const Row& row) {
  auto metric = row.as<record::Metric>();
  row.refuse_broken(record::broken_rule(metric));
  return metric;
}

record::Case read_case(const Row& row) {
  auto info = row.as<record::Case>();
  if (record::name(info.id) != row.get<std::string>("name"))
    row.refuse("a name that its fields do not make");
  return info;
}

record::Device read_device(const Row& row) {
  auto device = row.as<record::Device>();
  if (!record::names_a_file(device.model))
    row.refuse(fmt::format("a device model '{}' that cannot name a results file",
                           printable(device.model, record::max_model_bytes)));
  return device;
}

namespace {

record::Measurement read_measurement(const Row& row, Samples samples, DeviceKind device) {
  auto m = row.as<record::Measurement>();
  const auto n = row.get<std::int64_t>("n");
  if (const auto pruned =
          row.get<std::optional<std::string>>("pruned", {.text = record::Text::time}))
    m.pruned = record::Pruned{n, *pruned};
  m.samples_ns = row.get<std::vector<double>>("samples", record::time);
  check(row, m, {n, row.bytes("samples"), device});
  if (samples == Samples::leave_out) m.samples_ns = {};  // SQLite has read them in any case
  return m;
}

/// Adds the metrics of a run to its measurements, both in order of the measurements' ids.
void read_metrics(Connection& connection, std::string_view run_id,
                  std::vector<StoredMeasurement>& measurements) {
  SQLite::Statement& rows = connection.statement(
      "SELECT measurement_id AS id, metric.* FROM metric "
      "JOIN measurement ON measurement.id = measurement_id JOIN process ON process.id = process_id "
      "WHERE run_id = ? ORDER BY measurement_id, metric.name",
      run_id);
  auto measurement = measurements.begin();
  while (rows.executeStep()) {
    const Row row(rows, "metric of measurement", connection.file());
    const auto id = row.get<std::int64_t>("id");
    while (measurement != measurements.end() && measurement->id < id) ++measurement;
    if (measurement == measurements.end()) break;
    measurement->measurement.metrics.push_back(read_metric(row));
  }
}

}  // namespace

std::unordered_map<std::int64_t, record::Case> read_cases(Connection& connection,
                                                          std::string_view run_id) {
  std::unordered_map<std::int64_t, record::Case> cases;
  each_row(
      connection, "case",
      "SELECT * FROM \"case\" WHERE id IN (SELECT case_id FROM measurement JOIN process ON "
      "process.id = process_id "
      "WHERE run_id = ?)",
      [&](const Row& row) { cases.emplace(row.get<std::int64_t>("id"), read_case(row)); }, run_id);
  return cases;
}

std::vector<std::string> case_names(Connection& connection, std::string_view run_id) {
  return connection.read("read the cases of a run in", [&] {
    std::vector<std::string> names;
    each_row(
        connection, "case",
        "SELECT min(id) AS id, name FROM \"case\" WHERE id IN (SELECT case_id FROM measurement "
        "JOIN process ON process.id = process_id WHERE run_id = ?) GROUP BY name ORDER BY name",
        [&](const Row& row) { names.push_back(row.get<std::string>("name")); }, run_id);
    return names;
  });
}

std::string model(Connection& connection) {
  return connection.read("read the device model of", [&] {
    std::string model;
    each_row(connection, "device",
             "SELECT * FROM device WHERE id IN (SELECT device_id FROM run) ORDER BY id",
             [&](const Row& row) {
               const auto found = row.get<std::string>("model");
               if (!model.empty() && found != model) row.refuse("another model than the others");
               model = found;
             });
    return model;
  });
}

std::vector<RunSummary> runs(Connection& connection) {
  return connection.read("list the runs of", [&] {
    std::unordered_map<std::string, std::map<record::Outcome, std::int64_t>> outcomes;
    // By process, as an index has them, and added up here: by run, SQLite would sort all
    // measurements of the file.
    constexpr const char* counts =
        "SELECT run_id AS id, outcome, count(*) AS n FROM process JOIN measurement ON process_id = "
        "process.id "
        "GROUP BY process.id, outcome";
    each_row(connection, "run", counts, [&](const Row& row) {
      outcomes[row.get<std::string>("id")][row.get<record::Outcome>("outcome")] +=
          row.get<std::int64_t>("n");
    });
    std::vector<RunSummary> runs;
    constexpr const char* listed =
        "SELECT device.*, run.*, (SELECT max(process.started) FROM process WHERE run_id = run.id) "
        "AS last_process "
        "FROM run LEFT JOIN device ON device.id = device_id ORDER BY started DESC, run.id DESC";
    each_row(connection, "run", listed, [&](const Row& row) {
      RunSummary& summary =
          runs.emplace_back(RunSummary{read_run(row), read_device(row), 0, {}, {}});
      row("last_process", summary.last_process, {.null_when_empty = true});
      const auto& counted = outcomes[summary.run.id];
      summary.outcomes.assign(counted.begin(), counted.end());
      for (const auto& [outcome, count] : summary.outcomes) summary.measurements += count;
    });
    return runs;
  });
}

record::Environment environment(Connection& connection, std::string_view run_id) {
  return connection.read("read the environment of a run in", [&] {
    SQLite::Statement& rows = connection.statement(
        "SELECT environment.* FROM environment JOIN run ON environment_id = environment.id WHERE "
        "run.id = ?",
        run_id);
    if (!rows.executeStep())
      throw Error(ErrorKind::store,
                  fmt::format("cannot read the environment of run {}: {} has no such run", run_id,
                              connection.file().string()));
    return Row(rows, "environment", connection.file()).as<record::Environment>();
  });
}

std::vector<record::Build> builds(Connection& connection, std::string_view run_id) {
  return connection.read("read the builds of a run in", [&] {
    return read_all<record::Build>(connection, "build",
                                   "SELECT * FROM build WHERE id IN (SELECT build_id FROM process "
                                   "WHERE run_id = ?) ORDER BY id",
                                   run_id);
  });
}

std::vector<record::Facts> hosts(Connection& connection, std::string_view run_id) {
  return connection.read("read the hosts of a run in", [&] {
    std::vector<record::Facts> hosts;
    each_row(
        connection, "process",
        "SELECT min(id) AS id, hosts FROM process WHERE run_id = ? AND hosts <> '{}' "
        "GROUP BY hosts ORDER BY 1",
        [&](const Row& row) { hosts.push_back(row.get<record::Facts>("hosts")); }, run_id);
    return hosts;
  });
}

std::vector<StoredProcess> processes(Connection& connection, std::string_view run_id) {
  return connection.read("read the processes of a run in", [&] {
    std::vector<StoredProcess> processes;
    constexpr const char* sql =
        "SELECT build.*, process.* FROM process LEFT JOIN build ON build.id = build_id "
        "WHERE run_id = ? ORDER BY process.id";
    const auto read = [&](const Row& row) {
      StoredProcess stored{row.get<std::int64_t>("id"), row.as<record::Process>()};
      stored.process.build = row.as<record::Build>();
      processes.push_back(std::move(stored));
    };
    each_row(connection, "process", sql, read, run_id);
    return processes;
  });
}

std::vector<record::Roof> roofs(Connection& connection, std::string_view run_id) {
  return connection.read("read the roofs of a run in", [&] {
    return read_all<record::Roof>(
        connection, "roof",
        "SELECT kind AS id, roof.* FROM roof WHERE run_id = ? ORDER BY kind, source", run_id);
  });
}

std::vector<StoredMeasurement> measurements(Connection& connection, std::string_view run_id,
                                            Samples samples) {
  return connection.read("read the measurements of a run in", [&] {
    const auto cases = read_cases(connection, run_id);
    const DeviceKind device = device_kind(connection, run_id);
    SQLite::Statement& rows = connection.statement(
        "SELECT measurement.*, replicate FROM process JOIN measurement ON process_id = process.id "
        "WHERE run_id = ? ORDER BY measurement.id",
        run_id);
    std::vector<StoredMeasurement> measurements;
    while (rows.executeStep()) {
      const Row row(rows, "measurement", connection.file());
      const auto found = cases.find(row.get<std::int64_t>("case_id"));
      if (found == cases.end()) row.refuse("a case that does not exist");
      StoredMeasurement& stored = measurements.emplace_back(
          StoredMeasurement{row.get<std::int64_t>("id"), row.get<std::int64_t>("process_id"),
                            found->second, row.get<int>("replicate", record::not_negative),
                            read_measurement(row, samples, device), row.get<std::int64_t>("n")});
      stored.measurement.case_name = record::name(stored.case_info.id);
    }
    read_metrics(connection, run_id, measurements);
    return measurements;
  });
}

std::vector<StoredMeasurement> of_suite(std::string_view suite,
                                        const std::vector<StoredMeasurement>& measurements) {
  std::vector<StoredMeasurement> found;
  std::ranges::copy_if(measurements, std::back_inserter(found),
                       [&](const auto& each) { return each.case_info.id.suite == suite; });
  return found;
}

StoredRun stored_run(Connection& connection, const RunSummary& summary) {
  return connection.read("read a run of", [&] {
    const std::string& id = summary.run.id;
    return StoredRun{summary.run, summary.device, environment(connection, id),
                     builds(connection, id)};
  });
}

std::vector<record::Site> sites(Connection& connection, std::int64_t measurement_id) {
  return connection.read("read the sites of a measurement in", [&] {
    return read_all<record::Site>(
        connection, "site of measurement",
        "SELECT measurement_id AS id, site.* FROM site WHERE measurement_id = ? ORDER BY position",
        measurement_id);
  });
}

std::vector<record::Source> sources(Connection& connection, std::int64_t measurement_id) {
  return connection.read("read the sources of a measurement in", [&] {
    return read_all<record::Source>(
        connection, "source",
        "SELECT source.* FROM source JOIN measurement_source ON source_id = source.id "
        "WHERE measurement_id = ? ORDER BY file, source.id",
        measurement_id);
  });
}

void read_sites(Connection& connection, std::vector<StoredMeasurement>& measurements) {
  connection.read("read the sites of a run in", [&] {
    for (StoredMeasurement& stored : measurements) {
      if (stored.measurement.outcome != record::Outcome::counted) continue;
      stored.measurement.sites = sites(connection, stored.id);
      stored.measurement.sources = sources(connection, stored.id);
    }
  });
}

}  // namespace ridgeline::store
