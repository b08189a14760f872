#include "harness/store/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "harness/store/beside.hpp"
#include "harness/store/failure.hpp"
#include "harness/store/new_file.hpp"
#include "harness/store/opening.hpp"

namespace ridgeline::store {
namespace {

namespace fs = std::filesystem;

/// How many instructions of SQLite's machine reading may take: a constant, and so many per byte of
/// the file. In a crafted file a million pages may be one page, which our statements would read for
/// ever. Time would be the wrong measure: it depends on what else this machine does. Reading a run
/// with its samples takes 0.14 per byte, and rows of nothing but numbers take about 1.
constexpr std::int64_t least_work = 2'000'000, work_per_byte = 10,
                       unlimited_work = std::numeric_limits<std::int64_t>::max();
constexpr int work_between_looks = 1000;

}  // namespace

Connection::Connection(fs::path file, SQLite::Database database)
    : file_(std::move(file)), database_(std::move(database)) {
  allow_work(SQLite::TransactionBehavior::DEFERRED);
  sqlite3_progress_handler(database_.getHandle(), work_between_looks, spend_work, this);
}

std::unique_ptr<Connection> Connection::create(const fs::path& file,
                                               std::span<const Migration> steps) {
  const fs::path path = absolute_path(file);
  check_beside(path);
  if (!has_one_name(path))
    throw Error(ErrorKind::store,
                fmt::format("cannot write to {}: the file has other names (hard links), and would "
                            "change under each",
                            file.string()),
                "copy it, and move the copy to its place");
  NewFile fresh(path);
  try {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE, busy_timeout_ms,
                              without_journals());
    clear_log_at_end(database, false);
    harden(database);
    auto connection = std::unique_ptr<Connection>(new Connection(file, std::move(database)));
    connection->prepare_to_write(path, steps);
    fresh.keep();
    return connection;
  } catch (const SQLite::Exception& exception) {
    throw failure("open", file, exception);
  } catch (const fs::filesystem_error& exception) {
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: {}", file.string(), exception.what()));
  }
}

void Connection::prepare_to_write(const fs::path& path, std::span<const Migration> steps) try {
  const int version = checked_version(database_, file_, steps);
  const auto newest = static_cast<int>(steps.size());
  clear_log_at_end(database_, true);
  prepare_for_writing(database_);
  if (version > 0 && version < newest) back_up_beside(database_, path, version);
  if (version < newest) migrate(database_, file_, steps);
  database_.exec("PRAGMA foreign_keys = ON");
} catch (const SQLite::Exception& exception) {
  throw explain("open", exception);
}

std::unique_ptr<Connection> Connection::open(const fs::path& file,
                                             std::span<const Migration> steps) {
  const fs::path path = absolute_path(file);
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (error)
    throw Error(ErrorKind::store, fmt::format("cannot open {}: {}", file.string(), error.message()),
                "check the path and its links, or move it away");
  if (!exists)
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: there is no such file", file.string()),
                "measure first (ridgeline run), or name another results folder with --results");
  try {
    auto connection = std::unique_ptr<Connection>(new Connection(file, open_reading(path)));
    const int version = checked_version(connection->database_, file, steps);
    clear_log_at_end(connection->database_, true);
    if (version < static_cast<int>(steps.size())) {
      SQLite::Database copy(":memory:", SQLite::OPEN_READWRITE);
      harden(copy);
      back_up(connection->database_, copy);
      connection = std::unique_ptr<Connection>(new Connection(file, std::move(copy)));
      migrate(connection->database_, file, steps);
    }
    return connection;
  } catch (const SQLite::Exception& exception) {
    throw failure("open", file, exception);
  }
}

std::unique_ptr<Connection> Connection::in_memory(std::span<const Migration> steps) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(database, ":memory:", steps);
  database.exec("PRAGMA foreign_keys = ON");
  return std::unique_ptr<Connection>(new Connection(":memory:", std::move(database)));
}

SQLite::Statement& Connection::prepare(const char* sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end())
    found = statements_.emplace(sql, SQLite::Statement(database_, sql)).first;
  found->second.tryReset();  // reports the failure of the last use, which has been thrown already
  found->second.clearBindings();
  if (writing_) work_left_ = work_allowed_;  // what is written may be more than there was
  return found->second;
}

void Connection::rewrite(const char* what) {
  try {
    work_left_ = unlimited_work;
    sqlite3_limit(database_.getHandle(), SQLITE_LIMIT_ATTACHED, 1);  // the new file
    database_.exec("VACUUM");
    sqlite3_limit(database_.getHandle(), SQLITE_LIMIT_ATTACHED, 0);
    database_.exec("PRAGMA wal_checkpoint(TRUNCATE)");  // the new file is in the log until then
  } catch (const SQLite::Exception& exception) {
    throw explain(what, exception);
  }
}

void Connection::allow_work(SQLite::TransactionBehavior behavior) {
  writing_ = behavior == SQLite::TransactionBehavior::IMMEDIATE;
  struct stat facts = {};
  fs::path path = path_of(database_);
  if (path.empty()) path = file_;  // of which it may be a copy
  if (stat(path.c_str(), &facts) != 0) {
    work_left_ = work_allowed_ = unlimited_work;
    return;
  }
  // What is allocated, too: a file may claim terabytes of nothing. With some room, since a file
  // system that packs what it keeps allocates less, and later.
  const std::int64_t allocated = facts.st_blocks * std::int64_t{512},
                     bytes = std::min<std::int64_t>(facts.st_size, 16 * allocated + (16 << 20)) +
                             static_cast<std::int64_t>(size_of(beside(path, "-wal")));
  work_left_ = work_allowed_ = least_work + work_per_byte * bytes;
}

int Connection::spend_work(void* connection) {
  auto& left = static_cast<Connection*>(connection)->work_left_;
  left -= work_between_looks;
  return left < 0 ? 1 : 0;
}

bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(database_.getHandle()) == 0;
}

/// A statement that was left in the middle keeps its transaction from ending.
void Connection::forget_unfinished() {
  for (auto& [sql, statement] : statements_) statement.tryReset();
}

void Connection::check_in_place() {
  int moved = 0;
  sqlite3_file_control(database_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0)
    throw Moved(
        ErrorKind::store,
        fmt::format("{} was moved, replaced or deleted while it was written to", file_.string()),
        "what was stored before is where that file is now");
}

void Connection::take_log_along() noexcept {
  sqlite3_wal_checkpoint_v2(database_.getHandle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                            nullptr);
}

bool Connection::is_constraint(const SQLite::Exception& exception) {
  return exception.getErrorCode() == SQLITE_CONSTRAINT;
}

Error Connection::explain(const char* what, const SQLite::Exception& exception) {
  int reason = system_error(database_);
  // The database itself is open.
  if (reason == 0 && exception.getErrorCode() == SQLITE_CANTOPEN) reason = ENOENT;
  return failure(what, file_, exception, reason);
}

}  // namespace ridgeline::store
