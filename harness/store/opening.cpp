#include "harness/store/opening.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/store/beside.hpp"
#include "harness/store/failure.hpp"
#include "harness/store/schema.hpp"

namespace ridgeline::store {

namespace fs = std::filesystem;

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

fs::path absolute_path(const fs::path& file) {
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  if (error)
    throw Error(ErrorKind::store,
                fmt::format("cannot open {}: {}", file.string(), error.message()));
  return path;
}

void prepare_for_writing(SQLite::Database& database) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms);
  // SQLite does not call its busy handler while it changes the journal mode, which two first
  // writers may do at once.
  while (database.execAndGet("PRAGMA journal_mode").getString() != "wal") {
    // What is written until then is the one page that says so.
    database.exec("PRAGMA journal_mode = MEMORY");
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

void back_up_beside(SQLite::Database& database, const fs::path& file, int version) {
  const fs::path backup = beside(file, fmt::format(".schema-{}.backup", version));
  if (fs::exists(backup)) return;
  // A name that nobody can have put there before.
  std::string unfinished = beside(backup, ".XXXXXX").string();
  const int made = ::mkostemp(unfinished.data(), O_CLOEXEC);
  if (made < 0)
    throw Error(ErrorKind::store,
                fmt::format("cannot back up to {}: {}", backup.string(), std::strerror(errno)));
  ::close(made);
  try {
    SQLite::Database copy(unfinished, SQLite::OPEN_READWRITE | SQLite::OPEN_NOFOLLOW, 0,
                          without_journals());
    copy.exec("PRAGMA journal_mode = MEMORY");
    back_up(database, copy);
  } catch (const SQLite::Exception& exception) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw failure("back up to", backup, exception);
  }
  fs::permissions(unfinished, fs::status(file).permissions());
  fs::rename(unfinished, backup);
}

void harden(SQLite::Database& database) {
  sqlite3* handle = database.getHandle();
  for (const auto& [rule, on] :
       {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)})
    database.check(sqlite3_db_config(handle, rule, on, nullptr));
  // Each is some times what our rows and statements need.
  for (const auto& [limit, value] :
       {std::pair(SQLITE_LIMIT_LENGTH, 64 << 20), std::pair(SQLITE_LIMIT_SQL_LENGTH, 256 << 10),
        std::pair(SQLITE_LIMIT_COLUMN, 200), std::pair(SQLITE_LIMIT_EXPR_DEPTH, 100),
        std::pair(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200), std::pair(SQLITE_LIMIT_ATTACHED, 0)})
    sqlite3_limit(handle, limit, value);
  database.exec("PRAGMA cell_size_check = ON");
}

fs::path path_of(SQLite::Database& database) {
  const char* path = sqlite3_db_filename(database.getHandle(), "main");
  return path ? path : "";
}

namespace {

/// A log may claim that the database has pages that are nowhere, terabytes of them.
void check_size(SQLite::Database& database, const fs::path& file) {
  const std::int64_t claimed = database.execAndGet("PRAGMA page_count").getInt64() *
                               database.execAndGet("PRAGMA page_size").getInt64();
  const fs::path path = path_of(database);
  // In this order: pages go from the log to the file.
  const std::uintmax_t log = size_of(beside(path, "-wal")), whole = log + size_of(path);
  if (claimed > 0 && static_cast<std::uintmax_t>(claimed) > whole)
    throw Error(
        ErrorKind::store,
        fmt::format("{} is damaged: it claims {} bytes and has {}", file.string(), claimed, whole),
        "restore it from a backup, or move it away");
}

}  // namespace

int checked_version(SQLite::Database& database, const fs::path& file,
                    std::span<const Migration> steps) {
  SQLite::Transaction snapshot(database, SQLite::TransactionBehavior::DEFERRED);
  const int version = schema_version(database, file, static_cast<int>(steps.size()));
  check_size(database, file);
  check_schema(database, file, steps.first(static_cast<std::size_t>(version)));
  return version;
}

void clear_log_at_end(SQLite::Database& database, bool clear) {
  database.check(sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                                   clear ? 0 : 1, nullptr));
}

namespace {

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

SQLite::Database open_as_it_lies(const fs::path& file) {
  if (size_of(beside(file, "-wal")) > 0)
    throw Error(ErrorKind::store,
                fmt::format("cannot read {}: its last results are still in {}-wal, and {}",
                            file.string(), file.string(),
                            has_one_name(file) ? "its folder is read-only"
                                               : "the file has other names (hard links)"),
                "copy both files to a folder that can be written, and read them there");
  SQLite::Database database(immutable_uri(file),
                            SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX, 0,
                            without_journals());
  harden(database);
  return database;
}

}  // namespace

SQLite::Database open_reading(const fs::path& file) {
  check_beside(file);
  if (!has_one_name(file)) return open_as_it_lies(file);
  int reason = 0;
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX,
                              busy_timeout_ms, without_journals());
    clear_log_at_end(database, false);
    harden(database);
    database.exec("PRAGMA query_only = ON");
    try {
      database.execAndGet("SELECT count(*) FROM sqlite_schema");  // opens the log too
    } catch (const SQLite::Exception&) {
      reason = system_error(database);
      throw;
    }
    return database;
  } catch (const SQLite::Exception& exception) {
    // A database with a write-ahead log needs files beside it even for reading. Where the folder
    // does not allow them, nobody writes either, so that the file can be read as it lies, unless a
    // killed writer has left commits in its log. The same holds where the disk has no room for
    // them, as beside an empty log that a writer made in vain.
    const int code = exception.getErrorCode();
    const bool folder_refuses = code == SQLITE_CANTOPEN || code == SQLITE_READONLY,
               disk_is_full = code == SQLITE_FULL || (code == SQLITE_IOERR && is_full(reason));
    if (!(folder_refuses || disk_is_full) || size_of(file) == 0 ||
        ((is_disk_error(reason) || disk_is_full) && size_of(beside(file, "-wal")) > 0))
      throw failure("open", file, exception, reason);
  }
  return open_as_it_lies(file);
}

}  // namespace ridgeline::store
