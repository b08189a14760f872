#pragma once

#include <filesystem>
#include <string_view>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.hpp"

namespace ridgeline::store {

/// How long a call waits for another process that is writing to the same file.
inline constexpr int busy_timeout_ms = 10'000;

/// Whether `error`, an errno, says that a disk or a limit has no room for more.
bool is_full(int error);
/// Whether it says that a disk or a limit takes no more.
bool is_disk_error(int error);

/// The errno of the thread when it can only be that of a failed write, else 0.
int disk_error();

/// The errno of what has just failed, as long as the database is open, or 0. SQLite does not always
/// keep it.
int system_error(SQLite::Database& database);

/// The store Error of a failure of SQLite: "cannot `what` `file`: why", with what to do about it.
/// `system_error` is the errno of a failed system call, or 0.
Error failure(std::string_view what, const std::filesystem::path& file,
              const SQLite::Exception& exception, int system_error = 0);

}  // namespace ridgeline::store
