#include "harness/store/process_workers.hpp"

#include "harness/store/read.hpp"

namespace ridgeline::store {

std::map<std::int64_t, std::string> process_workers(Connection& connection,
                                                    std::string_view run_id) {
  return connection.read("read the workers of a run in", [&] {
    std::map<std::int64_t, std::string> workers;
    SQLite::Statement& rows = connection.statement(
        "SELECT process.id, worker FROM process JOIN build ON build.id = build_id WHERE run_id = ?",
        run_id);
    while (rows.executeStep())
      workers.emplace(rows.getColumn(0).getInt64(), rows.getColumn(1).getString());
    return workers;
  });
}

}  // namespace ridgeline::store
