#include "harness/store/write_imported.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {

std::optional<ImportedAs> imported_as(Connection& connection, std::string_view sha256) {
  return connection.read("look for an imported file in", [&]() -> std::optional<ImportedAs> {
    SQLite::Statement& found = connection.statement(
        "SELECT run.id, run.imported FROM process JOIN run ON run.id = process.run_id "
        "WHERE json_extract(process.imported, '$.sha256') = ? LIMIT 1",
        sha256);
    if (!found.executeStep()) return std::nullopt;
    return ImportedAs{found.getColumn(0).getString(), found.getColumn(1).getString()};
  });
}

void add(Connection& connection, const ImportedRun& imported) {
  const std::string& id = imported.run.id;
  connection.write("store an imported run in", [&] {
    for (const ImportedProcess& one : imported.processes) {
      const std::string& sha256 = one.process.imported.at("sha256");
      if (const auto known = imported_as(connection, sha256); known && known->run != id)
        throw Error(ErrorKind::store,
                    fmt::format("cannot import into {}: run {} has imported one of the files "
                                "meanwhile",
                                connection.file().string(), printable(known->run)));
    }
    begin(connection, imported.run, imported.device, imported.environment);
    for (const ImportedProcess& one : imported.processes) {
      const std::int64_t process = add(connection, one.process);
      for (const auto& [info, measurement] : one.results)
        add(connection, process, info, measurement);
    }
    finish(connection, id, record::RunStatus::finished, imported.run.finished);
  });
}

std::vector<record::Facts> imported_from(Connection& connection, std::string_view run_id) {
  return connection.read("read the files of an imported run in", [&] {
    std::vector<record::Facts> files;
    each_row(
        connection, "process", "SELECT id, imported FROM process WHERE run_id = ? ORDER BY id",
        [&](const Row& row) {
          if (auto facts = row.get<record::Facts>("imported"); !facts.empty())
            files.push_back(std::move(facts));
        },
        run_id);
    return files;
  });
}

}  // namespace ridgeline::store
