#include "harness/store/connection.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <SQLiteCpp/Backup.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <unistd.h>

namespace ridgeline::store {
namespace {

namespace fs = std::filesystem;

/// How long a call waits for another process that is writing to the same file.
constexpr int busy_timeout_ms = 10'000;

/// Why, and what to do about it.
std::pair<std::string, std::string> explain(const SQLite::Exception& exception, int system_error) {
  const std::string system = system_error != 0 ? std::generic_category().message(system_error) : "";
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return {"it is not a database", "choose another results folder, or move that file away"};
    case SQLITE_CORRUPT:
      return {fmt::format("it is damaged ({})", exception.what()),
              "restore it from a backup, or move it away"};
    case SQLITE_FULL:
      return {"the disk is full", "free some space, or choose another results folder"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {fmt::format("another process was writing to it for {} s", busy_timeout_ms / 1000),
              "wait for the other process, or end it"};
    case SQLITE_READONLY:
      return {"it is read-only", "change its permissions, or choose another results folder"};
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return {system.empty() ? "it cannot be opened" : system,
              "check the path and the permissions of its folder"};
    case SQLITE_IOERR:
      return {fmt::format("input/output error ({})", system.empty() ? exception.what() : system),
              "check the disk and its limits, or choose another results folder"};
    default:
      return {exception.what(), ""};
  }
}

/// The store Error of a failure of SQLite: "cannot `what` `file`: why", with what to do about it.
/// `system_error` is the errno of a failed system call, or 0.
Error failure(std::string_view what, const fs::path& file, const SQLite::Exception& exception,
              int system_error = 0) {
  auto [why, advice] = explain(exception, system_error);
  return Error(ErrorKind::store, fmt::format("cannot {} {}: {}", what, file.string(), why), advice);
}

/// `file` as a URI that opens it as if nobody could ever change it: no locks, no -wal, no -shm.
std::string immutable_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      uri += c;
  }
  return uri + "?immutable=1";
}

bool is_empty_or_missing(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error || size == 0;
}

fs::path beside(const fs::path& file, std::string_view suffix) { return fs::path(file) += suffix; }

/// `file` without symbolic surprises of SQLite: ":memory:" and "file:..." are ordinary names once
/// they are absolute.
fs::path absolute_path(const fs::path& file) {
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  if (error)
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: {}", file.string(), error.message()));
  return path;
}

/// Write-ahead log, so that readers and a writer do not wait for each other. With
/// synchronous = NORMAL a commit is a write() to the log: what the kernel has, it keeps when the
/// process is killed, so kill -9 loses nothing committed. Only when the power fails or the kernel
/// dies may the last commits since the log was synchronised (at each checkpoint, about every 4 MB)
/// be gone; the file stays consistent. FULL would sync at every commit and cost milliseconds each.
void prepare_for_writing(SQLite::Database& database) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms);
  // SQLite does not call its busy handler while it changes the journal mode, which two first
  // writers may do at once.
  while (database.execAndGet("PRAGMA journal_mode").getString() != "wal") {
    const int result = database.tryExec("PRAGMA journal_mode = WAL");
    if (result == SQLITE_OK) continue;
    if (result != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline)
      database.check(result);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  database.exec("PRAGMA synchronous = NORMAL");
}

void back_up(SQLite::Database& source, SQLite::Database& destination) {
  SQLite::Backup backup(destination, source);
  if (const int result = backup.executeStep(); result != SQLITE_DONE) destination.check(result);
}

/// Copies `database` to "<file>.schema-<version>.backup" unless such a copy is there already.
void back_up_beside(SQLite::Database& database, const fs::path& file, int version) {
  const fs::path backup = beside(file, fmt::format(".schema-{}.backup", version));
  if (fs::exists(backup)) return;
  const fs::path unfinished = beside(backup, fmt::format(".{}.tmp", ::getpid()));
  try {
    SQLite::Database copy(unfinished.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    back_up(database, copy);
  } catch (const SQLite::Exception& exception) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw failure("back up to", backup, exception);
  }
  fs::rename(unfinished, backup);
}

/// Schema version in one snapshot, since another process may be creating the file.
int version_of(SQLite::Database& database, const fs::path& file, std::span<const Migration> steps) {
  SQLite::Transaction snapshot(database, SQLite::TransactionBehavior::DEFERRED);
  return schema_version(database, file, static_cast<int>(steps.size()));
}

/// Opened as for writing where permissions allow it: a reader that is the last to leave then clears
/// the log away, which a read-only one would leave behind. Without a lock around each value that is
/// read: one thread at a time has a connection.
SQLite::Database open_reading(const fs::path& file) {
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX,
                              busy_timeout_ms);
    database.exec("PRAGMA query_only = ON");
    database.execAndGet("SELECT count(*) FROM sqlite_schema");  // opens the log too
    return database;
  } catch (const SQLite::Exception& exception) {
    // A database with a write-ahead log needs files beside it even for reading. Where the folder
    // does not allow them, nobody writes either, so that the file can be read as it lies, unless a
    // killed writer has left commits in its log.
    const bool folder_refuses =
        exception.getErrorCode() == SQLITE_CANTOPEN || exception.getErrorCode() == SQLITE_READONLY;
    if (!folder_refuses || is_empty_or_missing(file)) throw;
    if (!is_empty_or_missing(beside(file, "-wal")))
      throw Error(
          ErrorKind::store,
          fmt::format(
              "cannot read {}: its last results are still in {}-wal, and its folder is read-only",
              file.string(), file.string()),
          "copy both files to a folder that can be written, and read them there");
  }
  return SQLite::Database(immutable_uri(file),
                          SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX);
}

}  // namespace

std::unique_ptr<Connection> Connection::create(const fs::path& file,
                                               std::span<const Migration> steps) {
  const fs::path path = absolute_path(file);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    throw Error(
        ErrorKind::store,
        fmt::format("cannot create folder {}: {}", path.parent_path().string(), error.message()),
        "choose another results folder");
  try {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                              busy_timeout_ms);
    const int version = version_of(database, file, steps);
    prepare_for_writing(database);
    if (version > 0 && version < static_cast<int>(steps.size()))
      back_up_beside(database, file, version);
    if (version < static_cast<int>(steps.size())) migrate(database, file, steps);
    database.exec("PRAGMA foreign_keys = ON");
    return std::unique_ptr<Connection>(new Connection(file, std::move(database)));
  } catch (const SQLite::Exception& exception) {
    throw failure("open", file, exception);
  } catch (const fs::filesystem_error& exception) {
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: {}", file.string(), exception.what()));
  }
}

std::unique_ptr<Connection> Connection::open(const fs::path& file,
                                             std::span<const Migration> steps) {
  const fs::path path = absolute_path(file);
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: there is no such file", file.string()),
                "measure first (ridgeline run), or name another results folder with --results");
  try {
    SQLite::Database database = open_reading(path);
    const int newest = static_cast<int>(steps.size());
    const int version = version_of(database, file, steps);
    if (version == 0)
      throw Error(ErrorKind::store, fmt::format("{} is empty: it has no results", file.string()));
    if (version < newest) {
      SQLite::Database copy(":memory:", SQLite::OPEN_READWRITE);
      back_up(database, copy);
      migrate(copy, file, steps);
      database = std::move(copy);
    }
    return std::unique_ptr<Connection>(new Connection(file, std::move(database)));
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
  return found->second;
}

void Connection::rewrite(const char* what) {
  try {
    database_.exec("VACUUM");
    database_.exec("PRAGMA wal_checkpoint(TRUNCATE)");  // the new file is in the log until then
  } catch (const SQLite::Exception& exception) {
    throw explain(what, exception);
  }
}

bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(database_.getHandle()) == 0;
}

/// A statement that was left in the middle keeps its transaction from ending.
void Connection::forget_unfinished() {
  for (auto& [sql, statement] : statements_) statement.tryReset();
}

Error Connection::explain(const char* what, const SQLite::Exception& exception) const {
  // SQLite does not always keep the errno of a failed write; the thread's own is trusted when it
  // can only be one of those.
  const int last = errno;
  int system_error = sqlite3_system_errno(database_.getHandle());
  if (system_error == 0 && (last == EFBIG || last == EDQUOT || last == ENOSPC || last == EIO))
    system_error = last;
  return failure(what, file_, exception, system_error);
}

}  // namespace ridgeline::store
