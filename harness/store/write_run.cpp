#include "harness/store/write_run.hpp"

#include <optional>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/measured.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"

namespace ridgeline::store {
namespace {

std::int64_t id_of(Connection& connection, const record::Case& info) {
  return find_or_insert(connection, "\"case\"", [&](auto& visit) {
    visit("name", record::name(info.id));
    fields(visit, info);
  });
}

void add_metrics(Connection& connection, std::int64_t measurement_id,
                 std::span<const record::Metric> metrics) {
  for (const record::Metric& metric : metrics)
    insert(connection, "INSERT INTO metric", [&](auto& visit) {
      visit("measurement_id", measurement_id);
      fields(visit, metric);
    });
}

/// `id` is that of `measurement`.
void add_sites(Connection& connection, std::int64_t id, const record::Measurement& measurement) {
  if (measurement.sources.size() > record::max_sources)
    throw Error(
        ErrorKind::store,
        fmt::format("cannot store {} sources of {}: a measurement has at most {}",
                    measurement.sources.size(), measurement.case_name, record::max_sources));
  std::int64_t position = 0;
  for (const record::Site& site : measurement.sites) {
    insert(connection, "INSERT INTO site", [&](auto& visit) {
      visit("measurement_id", id);
      visit("position", position);
      fields(visit, site);
    });
    ++position;
  }
  for (const record::Source& source : measurement.sources) {
    const std::int64_t source_id = find_or_insert(connection, "source", source);
    connection
        .statement("INSERT INTO measurement_source (measurement_id, source_id) VALUES (?, ?)", id,
                   source_id)
        .exec();
  }
}

}  // namespace

void begin(Connection& connection, const record::Run& run, const record::Device& device,
           const record::Environment& environment) {
  require(run.device_uuid.empty() || run.device_uuid == device.uuid,
          "a run names the device that it is stored with");
  connection.write("store a run in", [&] {
    const std::int64_t device_id = find_or_insert(connection, "device", device),
                       environment_id = find_or_insert(connection, "environment", environment);
    return insert(connection, "INSERT INTO run", [&, begun = begun(run)](auto& visit) {
      visit("device_id", device_id);
      visit("environment_id", environment_id);
      fields(visit, begun);
    });
  });
}

void finish(Connection& connection, std::string_view run_id, record::RunStatus status,
            const std::string& finished) {
  const int changed = connection.write("finish a run in", [&] {
    SQLite::Statement& statement = connection.statement(
        "UPDATE run SET status = ?, finished = ? WHERE id = ? AND status = 'running'", status,
        finished, run_id);
    return statement.exec();
  });
  if (changed == 0)
    throw Error(ErrorKind::store, fmt::format("cannot finish run {} in {}: no such run is running",
                                              run_id, connection.file().string()));
}

void resume(Connection& connection, std::string_view run_id) {
  connection.write("resume a run in", [&] {
    const int changed =
        connection
            .statement(
                "UPDATE run SET status = 'running', finished = NULL WHERE id = ? AND gate = '' AND "
                "imported = ''",
                run_id)
            .exec();
    if (changed == 0)
      throw Error(ErrorKind::store,
                  fmt::format("cannot resume run {} in {}: no such run of its own", run_id,
                              connection.file().string()));
    for (const std::string_view source : {record::measured_source, record::unsteady_source})
      connection.statement("DELETE FROM roof WHERE run_id = ? AND source = ?", run_id, source)
          .exec();
  });
}

std::int64_t add(Connection& connection, const record::Process& process) {
  return connection.write("store a process in", [&] {
    const std::int64_t build_id = find_or_insert(connection, "build", process.build);
    const std::int64_t id = insert(connection, "INSERT INTO process", [&](auto& visit) {
      visit("build_id", build_id);
      fields(visit, process);
    });
    // SQLite gives out the number of a row that is gone once more.
    each_row(
        connection, "measurement", "SELECT id FROM measurement WHERE process_id = ?",
        [&](const Row& row) { row.refuse("a process that does not exist"); }, id);
    return id;
  });
}

std::int64_t add(Connection& connection, std::int64_t process_id, const record::Case& case_info,
                 const record::Measurement& measurement) {
  require(measurement.case_name == record::name(case_info.id),
          "a measurement is stored with its case");
  return connection.write("store a measurement in", [&] {
    const std::int64_t case_id = id_of(connection, case_info);
    const std::int64_t id = insert(connection, "INSERT INTO measurement", [&](auto& visit) {
      visit("process_id", process_id);
      visit("case_id", case_id);
      fields(visit, measurement);
      visit("n", measurement.sample_count());
      visit("pruned", measurement.pruned ? std::optional(measurement.pruned->when) : std::nullopt);
      visit("samples", measurement.samples_ns, record::time);
    });
    add_metrics(connection, id, measurement.metrics);
    add_sites(connection, id, measurement);
    // What could not be read back is not stored, and what SQL can say of it is said by then.
    if (const std::string rule = rule_broken_when_stored(measurement, measurement.sample_count());
        !rule.empty())
      throw Error(ErrorKind::store,
                  fmt::format("cannot store a measurement of {} in {}: it {}",
                              measurement.case_name, connection.file().string(), rule));
    return id;
  });
}

void add(Connection& connection, std::int64_t measurement_id,
         std::span<const record::Metric> metrics) {
  connection.write("store metrics in", [&] { add_metrics(connection, measurement_id, metrics); });
}

void add(Connection& connection, std::string_view run_id, const record::Roof& roof) {
  connection.write("store a roof in", [&] {
    return insert(connection, "INSERT OR REPLACE INTO roof", [&](auto& visit) {
      visit("run_id", run_id);
      fields(visit, roof);
    });
  });
}

}  // namespace ridgeline::store
