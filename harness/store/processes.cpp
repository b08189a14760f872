#include "harness/store/processes.hpp"

#include "harness/store/row.hpp"

namespace ridgeline::store {

std::vector<StoredProcess> read_processes(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT build.*, process.* FROM process JOIN build ON build.id = build_id WHERE run_id = ? ORDER BY process.id",
      run_id);
  std::vector<StoredProcess> processes;
  while (rows.executeStep()) {
    const Row row(rows, "process", connection.file());
    StoredProcess& stored = processes.emplace_back(row.get<std::int64_t>("id"), row.as<record::Process>());
    stored.process.build = row.as<record::Build>();
  }
  return processes;
}

std::vector<std::int64_t> measurement_ids(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT measurement.id FROM process JOIN measurement ON process_id = process.id WHERE run_id = ? "
      "ORDER BY measurement.id",
      run_id);
  std::vector<std::int64_t> ids;
  while (rows.executeStep()) ids.push_back(rows.getColumn(0).getInt64());
  return ids;
}

}  // namespace ridgeline::store
