#include "harness/store/read.hpp"

#include <limits>
#include <map>
#include <unordered_map>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {

record::Device read_device(const Row& row) {
  record::Device device;
  device.id = row.text("local_id");
  device.kind = row.word("kind", parse_device_kind);
  device.model = row.text("model");
  device.name = row.text("name");
  device.uuid = row.text("uuid");
  device.pci_id = row.text("pci_id");
  device.properties = row.facts("properties");
  device.comparable = row.facts("comparable");
  device.recorded = row.facts("recorded");
  return device;
}

record::Run read_run(const Row& row) {
  record::Run run;
  run.id = row.text("id");
  run.device_uuid = row.text("uuid");
  run.label = row.text("label");
  run.command_line = row.text("command_line");
  run.profile = row.text("profile");
  run.profile_text = row.text("profile_text");
  run.seed = row.seed("seed");
  run.started = row.text("started");
  if (!row.is_null("finished")) run.finished = row.text("finished");
  run.status = row.word("status", record::parse_run_status);
  run.unfit = row.text("unfit");
  run.gate = row.text("gate");
  return run;
}

namespace {

record::Case read_case(const Row& row) {
  record::Case info;
  info.id = {row.text("suite"), row.text("variant"), row.text("dtype"), row.fields("problem"), row.fields("options")};
  info.device_kind = row.word("device_kind", parse_device_kind);
  info.idea = row.text("idea");
  info.ranks = row.small("ranks", 1);
  info.flops = row.optional_real("flops");
  info.bytes = row.optional_real("bytes");
  info.roof = row.text("roof");
  if (record::name(info.id) != row.text("name")) row.refuse("a name that its fields do not make");
  return info;
}

record::Telemetry read_telemetry(const Row& row) {
  record::Telemetry telemetry;
  telemetry.sm_clock_mhz = row.optional_real("sm_clock_mhz");
  telemetry.memory_clock_mhz = row.optional_real("memory_clock_mhz");
  telemetry.power_w = row.optional_real("power_w");
  telemetry.temperature_c = row.optional_real("temperature_c");
  telemetry.throttle = row.text("throttle");
  telemetry.throttled_by_hardware = row.flag("throttled_by_hardware");
  if (!row.is_null("other_processes")) telemetry.other_processes = row.small("other_processes", 0);
  return telemetry;
}

record::Measurement read_measurement(const Row& row, Samples samples) {
  record::Measurement m;
  m.outcome = row.word("outcome", record::parse_outcome);
  m.reason = row.text("reason");
  m.attempt = row.small("attempt", 1);
  m.executions_per_sample = row.integer("executions_per_sample");
  m.median_ns = row.optional_real("median_ns");
  if (m.median_ns.has_value() != has_samples(m.outcome)) row.refuse("a median that does not go with its outcome");
  if (m.median_ns && *m.median_ns <= 0) row.refuse("a median that is not positive");
  m.relative_spread = row.optional_real("relative_spread");
  if (!row.is_null("tolerance")) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    m.verification = record::Verification{row.optional_real("error").value_or(nan), row.real("tolerance")};
  }
  m.flops = row.optional_real("flops");
  m.bytes = row.optional_real("bytes");
  m.launch = row.text("launch");
  m.cache = row.text("cache");
  m.buffer_sets = row.integer("buffer_sets");
  m.seed = row.seed("seed");
  m.prepare_ns = row.real("prepare_ns");
  m.verify_ns = row.real("verify_ns");
  m.warmup_ns = row.real("warmup_ns");
  m.timed_ns = row.real("timed_ns");
  m.total_ns = row.real("total_ns");
  m.telemetry = read_telemetry(row);
  if (!row.is_null("pruned")) {
    m.pruned = record::Pruned{row.integer("n"), row.text("pruned")};
    if (!has_samples(m.outcome) || m.pruned->samples < 1) row.refuse("dropped samples that it never had");
  }
  if (samples == Samples::leave_out) return m;
  m.samples_ns = row.times("samples");
  if (m.pruned ? !m.samples_ns.empty() : static_cast<std::int64_t>(m.samples_ns.size()) != row.integer("n"))
    row.refuse("another number of samples than it says");
  if (!m.pruned && m.samples_ns.empty() == has_samples(m.outcome))
    row.refuse("samples that do not go with its outcome");
  return m;
}

/// Adds the metrics of a run to its measurements, both in order of the measurements' ids.
void read_metrics(Connection& connection, std::string_view run_id, std::vector<StoredMeasurement>& measurements) {
  SQLite::Statement& rows = connection.statement(
      "SELECT measurement_id AS id, metric.name, value, unit, direction FROM metric "
      "JOIN measurement ON measurement.id = measurement_id JOIN process ON process.id = process_id "
      "WHERE run_id = :run_id ORDER BY measurement_id, metric.name");
  Binder(rows).text(":run_id", run_id);
  auto measurement = measurements.begin();
  while (rows.executeStep()) {
    const Row row(rows, "metric of measurement", connection.file());
    const std::int64_t id = row.integer("id");
    while (measurement != measurements.end() && measurement->id < id) ++measurement;
    if (measurement == measurements.end()) break;
    measurement->measurement.metrics.push_back(
        {row.text("name"), row.real("value"), row.text("unit"), row.word("direction", record::parse_direction)});
  }
}

}  // namespace

std::unordered_map<std::int64_t, record::Case> read_cases(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT * FROM \"case\" WHERE id IN (SELECT case_id FROM measurement JOIN process ON process.id = process_id "
      "WHERE run_id = :run_id)");
  Binder(rows).text(":run_id", run_id);
  std::unordered_map<std::int64_t, record::Case> cases;
  while (rows.executeStep()) {
    const Row row(rows, "case", connection.file());
    cases.emplace(row.integer("id"), read_case(row));
  }
  return cases;
}

std::vector<RunSummary> Store::runs() const {
  return connection_->read("list the runs of", [&] {
    std::unordered_map<std::string, std::map<record::Outcome, std::int64_t>> outcomes;
    // By process, as an index has them, and added up here: by run, SQLite would sort all measurements of the file.
    SQLite::Statement& counts = connection_->statement(
        "SELECT run_id AS id, outcome, count(*) AS n FROM process JOIN measurement ON process_id = process.id "
        "GROUP BY process.id, outcome");
    while (counts.executeStep()) {
      const Row row(counts, "run", file());
      outcomes[row.text("id")][row.word("outcome", record::parse_outcome)] += row.integer("n");
    }
    std::vector<RunSummary> runs;
    SQLite::Statement& rows = connection_->statement(
        "SELECT run.*, uuid, local_id, kind, model, name, pci_id, properties, comparable, recorded, "
        "(SELECT max(process.started) FROM process WHERE run_id = run.id) AS last_process "
        "FROM run JOIN device ON device.id = device_id ORDER BY started DESC, run.id DESC");
    while (rows.executeStep()) {
      const Row row(rows, "run", file());
      RunSummary& summary = runs.emplace_back(RunSummary{read_run(row), read_device(row), 0, {}, {}});
      if (!row.is_null("last_process")) summary.last_process = row.text("last_process");
      const auto& counted = outcomes[summary.run.id];
      summary.outcomes.assign(counted.begin(), counted.end());
      for (const auto& [outcome, count] : summary.outcomes) summary.measurements += count;
    }
    return runs;
  });
}

record::Environment Store::environment(std::string_view run_id) const {
  return connection_->read("read the environment of a run in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT environment.* FROM environment JOIN run ON environment_id = environment.id WHERE run.id = :run_id");
    Binder(rows).text(":run_id", run_id);
    if (!rows.executeStep())
      throw Error(ErrorKind::store,
                  fmt::format("cannot read the environment of run {}: {} has no such run", run_id, file().string()));
    const Row row(rows, "environment", file());
    return record::Environment{row.facts("comparable"), row.facts("recorded"), row.text("hash")};
  });
}

std::vector<record::Build> Store::builds(std::string_view run_id) const {
  return connection_->read("read the builds of a run in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT * FROM build WHERE id IN (SELECT build_id FROM process WHERE run_id = :run_id) ORDER BY id");
    Binder(rows).text(":run_id", run_id);
    std::vector<record::Build> builds;
    while (rows.executeStep()) {
      const Row row(rows, "build", file());
      builds.push_back({row.text("worker"), row.text("commit_hash"), row.flag("dirty"), row.text("compiler"),
                        row.text("flags"), row.text("cuda"), row.text("code_hash")});
    }
    return builds;
  });
}

std::vector<record::Roof> Store::roofs(std::string_view run_id) const {
  return connection_->read("read the roofs of a run in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT kind AS id, value, unit, source FROM roof WHERE run_id = :run_id ORDER BY kind, source");
    Binder(rows).text(":run_id", run_id);
    std::vector<record::Roof> roofs;
    while (rows.executeStep()) {
      const Row row(rows, "roof", file());
      roofs.push_back({row.text("id"), row.real("value"), row.text("unit"), row.text("source")});
    }
    return roofs;
  });
}

std::vector<StoredMeasurement> Store::measurements(std::string_view run_id, Samples samples) const {
  return connection_->read("read the measurements of a run in", [&] {
    const auto cases = read_cases(*connection_, run_id);
    SQLite::Statement& rows = connection_->statement(
        "SELECT measurement.*, replicate FROM process JOIN measurement ON process_id = process.id "
        "WHERE run_id = :run_id ORDER BY measurement.id");
    Binder(rows).text(":run_id", run_id);
    std::vector<StoredMeasurement> measurements;
    while (rows.executeStep()) {
      const Row row(rows, "measurement", file());
      const auto found = cases.find(row.integer("case_id"));
      if (found == cases.end()) row.refuse("a case that does not exist");
      StoredMeasurement& stored =
          measurements.emplace_back(StoredMeasurement{row.integer("id"), row.integer("process_id"), found->second,
                                                      row.small("replicate", 0), read_measurement(row, samples)});
      stored.measurement.case_name = record::name(stored.case_info.id);
    }
    read_metrics(*connection_, run_id, measurements);
    return measurements;
  });
}

void Store::check_integrity() const {
  connection_->read("check", [&] {
    for (const char* check : {"PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"}) {
      SQLite::Statement& rows = connection_->statement(check);
      if (rows.executeStep() && rows.getColumn(0).getString() != "ok")
        throw Error(ErrorKind::store, fmt::format("{} is damaged: {}", file().string(), rows.getColumn(0).getString()),
                    "restore it from a backup, or move it away");
    }
    return true;
  });
}

}  // namespace ridgeline::store
