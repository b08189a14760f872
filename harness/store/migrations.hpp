#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>

namespace ridgeline::store {

/// Marks a SQLite file as Ridgeline's (PRAGMA application_id): "RDGL".
inline constexpr int application_id = 0x5244474C;

/// One step of the schema; step i of a list leads from schema i to schema i + 1.
struct Migration {
  std::string_view name;  // "0001_results"
  const char* sql;
};

/// Written by CMake from harness/store/migrations/*.sql. Steps are only ever added.
std::span<const Migration> migrations();

/// The SQL that makes at once what all migrations make, much faster.
const char* newest_schema();

/// Schema of `database` (PRAGMA user_version); 0 for an empty one. Throws a store Error that names
/// `file` when another program made it, or when its schema is newer than `newest`.
int schema_version(SQLite::Database& database, const std::filesystem::path& file, int newest);

/// Takes `database` through all steps it has not had, in one transaction; two processes may do so
/// at once. Foreign keys must be off, and are checked as a whole before the commit.
void migrate(SQLite::Database& database, const std::filesystem::path& file,
             std::span<const Migration> steps);
}  // namespace ridgeline::store
