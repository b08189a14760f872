#include "harness/store/processes.hpp"

#include "harness/store/row.hpp"

namespace ridgeline::store {

std::vector<StoredProcess> read_processes(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT process.*, worker, commit_hash, dirty, compiler, flags, cuda, code_hash FROM process "
      "JOIN build ON build.id = build_id WHERE run_id = :run_id ORDER BY process.id");
  Binder(rows).text(":run_id", run_id);
  std::vector<StoredProcess> processes;
  while (rows.executeStep()) {
    const Row row(rows, "process", connection.file());
    StoredProcess& stored = processes.emplace_back();
    stored.id = row.integer("id");
    stored.process.run_id = row.text("run_id");
    stored.process.replicate = row.small("replicate", 0);
    stored.process.seed = row.seed("seed");
    stored.process.started = row.text("started");
    stored.process.build = {row.text("worker"), row.text("commit_hash"), row.flag("dirty"),    row.text("compiler"),
                            row.text("flags"),  row.text("cuda"),        row.text("code_hash")};
  }
  return processes;
}

std::vector<std::int64_t> measurement_ids(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT measurement.id FROM process JOIN measurement ON process_id = process.id WHERE run_id = :run_id "
      "ORDER BY measurement.id");
  Binder(rows).text(":run_id", run_id);
  std::vector<std::int64_t> ids;
  while (rows.executeStep()) ids.push_back(rows.getColumn(0).getInt64());
  return ids;
}

}  // namespace ridgeline::store
