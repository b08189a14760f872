#include "harness/store/migrations.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::store {

int schema_version(SQLite::Database& database, const std::filesystem::path& file, int newest) {
  const int owner = database.execAndGet("PRAGMA application_id").getInt();
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  const bool empty = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
  if (owner != application_id && !(owner == 0 && version == 0 && empty))
    throw Error(ErrorKind::store, fmt::format("{} is a database of another program", file.string()),
                "choose another results folder, or move that file away");
  if (version > newest)
    throw Error(ErrorKind::store,
                fmt::format("{} has schema {}, this ridgeline knows schemas up to {}",
                            file.string(), version, newest),
                "use the newer ridgeline that wrote it, or another results folder");
  if (version < 0 || (version == 0 && !empty))
    throw Error(ErrorKind::store,
                fmt::format("{} claims the impossible schema {}", file.string(), version),
                "restore the file from a backup");
  return version;
}

void migrate(SQLite::Database& database, const std::filesystem::path& file,
             std::span<const Migration> steps) {
  const int newest = static_cast<int>(steps.size());
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Read again under the lock: another process may have migrated in the meantime.
  const int old = schema_version(database, file, newest);
  if (old == newest) return;
  for (int version = old; version < newest; ++version)
    database.exec(steps[static_cast<std::size_t>(version)].sql);
  if (SQLite::Statement broken(database, "PRAGMA foreign_key_check"); broken.executeStep())
    throw Error(
        ErrorKind::store,
        fmt::format(
            "cannot migrate {} from schema {} to {}: rows of {} refer to rows that do not exist",
            file.string(), old, newest, broken.getColumn(0).getString()),
        "the file is as it was; restore it from a backup");
  // PRAGMA takes no bound values; both are integers of this program.
  database.exec(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, newest));
  transaction.commit();
}

}  // namespace ridgeline::store
