#include "harness/store/failure.hpp"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

#include "harness/base/text.hpp"

namespace ridgeline::store {
namespace {

namespace fs = std::filesystem;

/// Why, and what to do about it.
std::pair<std::string, std::string> explain(const SQLite::Exception& exception, int system_error) {
  const std::string said = printable(exception.what());  // may hold names of the file's own
  const std::string system = system_error != 0 ? std::generic_category().message(system_error) : "";
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return {"it is not a database", "choose another results folder, or move that file away"};
    case SQLITE_CORRUPT:
      return {fmt::format("it is damaged ({})", said), "restore it from a backup, or move it away"};
    case SQLITE_INTERRUPT:
      return {"it takes far more work than results of its size do",
              "the file is damaged or was changed by another program; restore it from a backup"};
    case SQLITE_TOOBIG:
      return {"it has a row that is far larger than any that ridgeline stores",
              "the file is damaged or was changed by another program; restore it from a backup"};
    case SQLITE_CONSTRAINT:
      return {fmt::format("what is there contradicts what was to be added ({})", said),
              "the file is damaged or was changed by another program; restore it from a backup"};
    case SQLITE_FULL:
      return {"the disk is full", "free some space, or choose another results folder"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {fmt::format("another process has had it locked for {} s", busy_timeout_ms / 1000),
              "wait for the other process, or end it"};
    case SQLITE_READONLY:
      return {"it is read-only", "change its permissions, or choose another results folder"};
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return {system.empty() ? "it cannot be opened" : system,
              "check the path and the permissions of its folder"};
    case SQLITE_IOERR:
      if (system_error == ENOSPC)
        return {"the disk is full", "free some space, or choose another results folder"};
      return {fmt::format("input/output error ({})", system.empty() ? said : system),
              "check the disk and its limits, or choose another results folder"};
    default:
      return {said, ""};
  }
}

}  // namespace

bool is_full(int error) { return error == EFBIG || error == EDQUOT || error == ENOSPC; }

bool is_disk_error(int error) { return is_full(error) || error == EIO; }

int disk_error() { return is_disk_error(errno) ? errno : 0; }

int system_error(SQLite::Database& database) {
  const int last = disk_error();
  const int kept = sqlite3_system_errno(database.getHandle());
  return kept != 0 ? kept : last;
}

Error failure(std::string_view what, const fs::path& file, const SQLite::Exception& exception,
              int system_error) {
  auto [why, advice] = explain(exception, system_error);
  std::error_code ignored;
  // SQLite tries to read what it could not make, so that the errno is no longer the reason.
  if (exception.getErrorCode() == SQLITE_CANTOPEN && system_error == ENOENT &&
      fs::exists(file, ignored)) {
    why = "its log cannot be made beside it";
    advice = "free some space, or check the permissions of its folder";
  }
  return Error(ErrorKind::store, fmt::format("cannot {} {}: {}", what, file.string(), why), advice);
}

}  // namespace ridgeline::store
