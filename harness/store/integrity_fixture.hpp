#pragma once

#include <string>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/connection.hpp"

/// Whether a database is whole, for tests.
namespace ridgeline::store {

/// Reads the whole file and throws when a page, a constraint or a reference is broken.
inline void check_integrity(Connection& connection) {
  connection.read("check", [&] {
    for (const char* check : {"PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"}) {
      SQLite::Statement& rows = connection.statement(check);
      if (rows.executeStep() && rows.getColumn(0).getString() != "ok")
        throw Error(ErrorKind::store,
                    fmt::format("{} is damaged: {}", connection.file().string(),
                                rows.getColumn(0).getString()),
                    "restore it from a backup, or move it away");
    }
    return true;
  });
}

/// The statements that the tables, indices and triggers of `database` were made with, by kind and
/// name.
inline std::string schema_text(SQLite::Database& database) {
  std::string text;
  SQLite::Statement rows(
      database,
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
      "ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name");
  while (rows.executeStep()) text += rows.getColumn(0).getString() + ";\n\n";
  return text;
}

}  // namespace ridgeline::store
