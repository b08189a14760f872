#include "harness/store/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/store/beside.hpp"
#include "harness/store/schema.hpp"

namespace ridgeline::store {
namespace {

namespace fs = std::filesystem;

/// How long a call waits for another process that is writing to the same file.
constexpr int busy_timeout_ms = 10'000;

/// How many instructions of SQLite's machine reading may take: a constant, and so many per byte of
/// the file. In a crafted file a million pages may be one page, which our statements would read for
/// ever. Time would be the wrong measure: it depends on what else this machine does. Reading a run
/// with its samples takes 0.14 per byte, and rows of nothing but numbers take about 1.
constexpr std::int64_t least_work = 2'000'000, work_per_byte = 10,
                       unlimited_work = std::numeric_limits<std::int64_t>::max();
constexpr int work_between_looks = 1000;

/// Why, and what to do about it.
std::pair<std::string, std::string> explain(const SQLite::Exception& exception, int system_error) {
  const std::string system = system_error != 0 ? std::generic_category().message(system_error) : "";
  switch (exception.getErrorCode()) {
    case SQLITE_NOTADB:
      return {"it is not a database", "choose another results folder, or move that file away"};
    case SQLITE_CORRUPT:
      return {fmt::format("it is damaged ({})", exception.what()),
              "restore it from a backup, or move it away"};
    case SQLITE_INTERRUPT:
      return {"it takes far more work than results of its size do",
              "the file is damaged or was changed by another program; restore it from a backup"};
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

/// 0 when it is missing.
std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

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

/// Copies `database` to "<file>.schema-<version>.backup" unless such a copy is there already.
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

/// Rules that every database is opened with, before anything is read: it may be a stranger's. Its
/// schema is trusted, since constraints of ours call json_valid, which SQLite allows to no other;
/// nothing in a schema runs before it was compared with ours.
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

/// Where the database lies, links followed; empty for one in memory.
fs::path path_of(SQLite::Database& database) {
  const char* path = sqlite3_db_filename(database.getHandle(), "main");
  return path ? path : "";
}

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

/// Schema version of a database that is as ridgeline makes it, 0 for an empty one. In one snapshot,
/// since another process may be creating the file.
int checked_version(SQLite::Database& database, const fs::path& file,
                    std::span<const Migration> steps) {
  SQLite::Transaction snapshot(database, SQLite::TransactionBehavior::DEFERRED);
  const int version = schema_version(database, file, static_cast<int>(steps.size()));
  check_size(database, file);
  check_schema(database, file, steps.first(static_cast<std::size_t>(version)));
  return version;
}

/// Whether the log is put into the file and deleted by the last who leaves. Off until the database
/// is known to be one of ours: what is refused stays as it is.
void clear_log_at_end(SQLite::Database& database, bool clear) {
  database.check(sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                                   clear ? 0 : 1, nullptr));
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

/// Opened as for writing where permissions allow it: a reader that is the last to leave then clears
/// the log away, which a read-only one would leave behind. What is written is the log alone, and
/// from there the file: neither has another name. Without a lock around each value that is read:
/// one thread at a time has a connection.
SQLite::Database open_reading(const fs::path& file) {
  check_beside(file);
  if (!has_one_name(file)) return open_as_it_lies(file);
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX,
                              busy_timeout_ms, without_journals());
    clear_log_at_end(database, false);
    harden(database);
    database.exec("PRAGMA query_only = ON");
    database.execAndGet("SELECT count(*) FROM sqlite_schema");  // opens the log too
    return database;
  } catch (const SQLite::Exception& exception) {
    // A database with a write-ahead log needs files beside it even for reading. Where the folder
    // does not allow them, nobody writes either, so that the file can be read as it lies, unless a
    // killed writer has left commits in its log.
    const bool folder_refuses =
        exception.getErrorCode() == SQLITE_CANTOPEN || exception.getErrorCode() == SQLITE_READONLY;
    if (!folder_refuses || size_of(file) == 0) throw;
  }
  return open_as_it_lies(file);
}

/// A file and folders that were not there before, and go again unless they are kept.
class NewFile {
 public:
  explicit NewFile(const fs::path& file) : file_(file) {
    std::error_code error;
    fs::path folder = file.parent_path();
    for (; !folder.empty() && !fs::exists(folder, error); folder = folder.parent_path())
      folders_.push_back(folder);
    fs::create_directories(file.parent_path(), error);
    if (error) {
      remove_folders();
      throw Error(
          ErrorKind::store,
          fmt::format("cannot create folder {}: {}", file.parent_path().string(), error.message()),
          "choose another results folder");
    }
    const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    made_ = made >= 0;
    if (made_) ::close(made);  // any other failure is that of opening
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (kept_) return;
    std::error_code ignored;
    if (made_ && holds_nothing()) fs::remove(file_, ignored);
    remove_folders();
  }
  void keep() { kept_ = true; }

 private:
  /// Whether nobody has put anything into it since. As the file lies: opening may be what failed.
  bool holds_nothing() const {
    if (size_of(beside(file_, "-wal")) > 0) return false;
    if (size_of(file_) == 0) return true;
    constexpr std::size_t tables = 103;  // place of their number in SQLite's file format
    std::ifstream stream(file_, std::ios::binary);
    std::string begin(tables + 2, '\0');
    return stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
           begin.ends_with(std::string(2, '\0'));
  }
  void remove_folders() {
    std::error_code ignored;
    for (const fs::path& folder : folders_) fs::remove(folder, ignored);  // when it is empty
  }

  fs::path file_;
  std::vector<fs::path> folders_;
  bool made_ = false, kept_ = false;
};

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

void Connection::prepare_to_write(const fs::path& path, std::span<const Migration> steps) {
  const int version = checked_version(database_, file_, steps);
  const auto newest = static_cast<int>(steps.size());
  clear_log_at_end(database_, true);
  prepare_for_writing(database_);
  if (version > 0 && version < newest) back_up_beside(database_, path, version);
  if (version < newest) migrate(database_, file_, steps);
  database_.exec("PRAGMA foreign_keys = ON");
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
    auto connection = std::unique_ptr<Connection>(new Connection(file, open_reading(path)));
    const int version = checked_version(connection->database_, file, steps);
    if (version == 0)
      throw Error(ErrorKind::store, fmt::format("{} is empty: it has no results", file.string()));
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

bool Connection::is_constraint(const SQLite::Exception& exception) {
  return exception.getErrorCode() == SQLITE_CONSTRAINT;
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
