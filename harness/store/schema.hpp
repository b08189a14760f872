#pragma once

#include <filesystem>
#include <span>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/migrations.hpp"

namespace ridgeline::store {

/// Throws a store Error that names `file` and what of its schema differs, unless `database` has the
/// very tables, indexes and triggers that `steps` make, and no others: a view, a computed column or
/// another trigger would run what a stranger wrote. White space and comments do not count.
void check_schema(SQLite::Database& database, const std::filesystem::path& file,
                  std::span<const Migration> steps);

}  // namespace ridgeline::store
