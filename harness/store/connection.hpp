#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.hpp"
#include "harness/store/binder.hpp"
#include "harness/store/migrations.hpp"

namespace ridgeline::store {

/// A constraint of the schema refuses a row: what was to be stored is wrong, not the file.
class ConstraintError : public Error {
  using Error::Error;
};

/// An open database with the rules that every results file is opened by, its prepared statements,
/// and the translation of SQLite's failures into store Errors. One thread at a time may use it.
class Connection {
 public:
  /// Creates or opens for writing, and takes an older schema through `steps` after a backup beside
  /// the file.
  static std::unique_ptr<Connection> create(const std::filesystem::path& file,
                                            std::span<const Migration> steps);
  /// Opens for reading only. An older schema is migrated in a copy in memory, and so is that of an
  /// empty file, which has no runs: whoever is killed before its first run leaves one.
  static std::unique_ptr<Connection> open(const std::filesystem::path& file,
                                          std::span<const Migration> steps);
  static std::unique_ptr<Connection> in_memory(std::span<const Migration> steps);
  Connection(const Connection&) = delete;  // its database knows where it is
  Connection& operator=(const Connection&) = delete;

  const std::filesystem::path& file() const { return file_; }
  SQLite::Database& database() { return database_; }

  /// The statement of `sql`, prepared once, with these values of its parameters. `sql` must outlive
  /// the connection, as a literal does: it is the key.
  template <class... Values>
  SQLite::Statement& statement(const char* sql, const Values&... values) {
    SQLite::Statement& prepared = prepare(sql);
    Binder bind(prepared);
    (bind("a parameter", values), ...);
    return prepared;
  }

  /// Writes the file anew without what is free in it (VACUUM). `what` as for write.
  void rewrite(const char* what);

  /// Runs `body` in one transaction, which it commits; `what` completes "cannot ... <file>" in the
  /// Error of a failure. Inside another one's body it takes part in that one's transaction.
  template <class Body>
  auto write(const char* what, Body&& body) {
    return transact(what, SQLite::TransactionBehavior::IMMEDIATE, std::forward<Body>(body));
  }
  template <class Body>
  auto read(const char* what, Body&& body) {
    return transact(what, SQLite::TransactionBehavior::DEFERRED, std::forward<Body>(body));
  }

 private:
  Connection(std::filesystem::path file, SQLite::Database database);
  void prepare_to_write(const std::filesystem::path& path, std::span<const Migration> steps);
  /// Sets how much work the next transaction may take, or when it writes, each of its statements.
  void allow_work(SQLite::TransactionBehavior behavior);
  static int spend_work(void* connection);
  SQLite::Statement& prepare(const char* sql);
  bool in_transaction() const;
  class Moved : public Error {
    using Error::Error;
  };
  /// Throws when the file is no longer where it was opened: what is written to it then, nobody
  /// finds.
  void check_in_place();
  /// Writes what is in the log to the file, wherever that is now. The log stays under the old name,
  /// where the next program that opens a file would take it for another's and drop it.
  void take_log_along() noexcept;
  void forget_unfinished();

  template <class Body>
  auto transact(const char* what, SQLite::TransactionBehavior behavior, Body&& body) {
    if (in_transaction()) return body();
    try {
      allow_work(behavior);
      SQLite::Transaction transaction(database_, behavior);
      if constexpr (std::is_void_v<decltype(body())>) {
        body();
        forget_unfinished();
        if (writing_) check_in_place();
        transaction.commit();
      } else {
        auto result = body();
        forget_unfinished();
        if (writing_) check_in_place();
        transaction.commit();
        return result;
      }
    } catch (const Moved&) {
      take_log_along();
      throw;
    } catch (const SQLite::Exception& exception) {
      const Error error = explain(what, exception);
      const bool refused = is_constraint(exception);
      forget_unfinished();
      if (refused) throw ConstraintError(error.kind(), error.what(), error.advice());
      throw error;
    } catch (...) {
      forget_unfinished();
      throw;
    }
  }
  static bool is_constraint(const SQLite::Exception& exception);
  Error explain(const char* what, const SQLite::Exception& exception);

  std::filesystem::path file_;
  std::int64_t work_allowed_ = 0, work_left_ = 0;  // of SQLite's machine, in instructions
  bool writing_ = false;
  SQLite::Database database_;  // before the statements: they are finalised first
  std::unordered_map<const char*, SQLite::Statement> statements_;
};

}  // namespace ridgeline::store
