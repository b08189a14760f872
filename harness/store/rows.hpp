#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"

/// Statements that follow from what is visited: a record, or a lambda that visits the columns of a
/// row.
namespace ridgeline::store {

/// Gathers the columns of what it visits, in the order in which Binder binds them.
class Columns {
 public:
  template <class T>
  void operator()(const char* name, const T& value, const record::Rule& rule = {}) {
    if constexpr (record::Listed<const T>)
      fields(*this, value);
    else if (const char* column = column_of(name, rule); *column)
      names_.push_back(column);
  }
  template <record::Listed T>
  void operator()(const char*, const std::optional<T>&, const record::Rule& = {}) {
    const T none;
    fields(*this, none);
  }
  // Lists are stored in a table of their own.
  template <record::Listed T>
  void operator()(const char*, const std::vector<T>&, const record::Rule& = {}) {}

  /// `into`: "INSERT INTO run".
  std::string insertion(const char* into) const {
    return fmt::format("{} ({}) VALUES ({})", into, fmt::join(names_, ", "),
                       fmt::join(std::vector<const char*>(names_.size(), "?"), ", "));
  }
  std::string search(const char* table) const {
    return fmt::format("SELECT id FROM {} WHERE {} IS ?", table, fmt::join(names_, " IS ? AND "));
  }

 private:
  std::vector<const char*> names_;
};

/// Adds a row, and returns its id.
template <class VisitRow>
std::int64_t insert(Connection& connection, const char* into, const VisitRow& visit_row) {
  static const std::string sql = [&] {
    Columns columns;
    visit_row(columns);
    return columns.insertion(into);
  }();
  require(sql.starts_with(into), "a type of rows belongs to one table");
  SQLite::Statement& statement = connection.statement(sql.c_str());
  Binder binder(statement);
  visit_row(binder);
  statement.exec();
  return connection.database().getLastInsertRowid();
}

template <record::Listed T>
std::int64_t insert(Connection& connection, const char* into, const T& record) {
  return insert(connection, into, [&](auto& visit) { fields(visit, record); });
}

/// Id of the one row of `table` with these columns. When there is none, it is added.
template <class VisitRow>
std::int64_t find_or_insert(Connection& connection, const char* table, const VisitRow& visit_row) {
  static const std::string sql = [&] {
    Columns columns;
    visit_row(columns);
    return columns.search(table);
  }();
  SQLite::Statement& found = connection.statement(sql.c_str());
  Binder binder(found);
  visit_row(binder);
  if (found.executeStep()) return found.getColumn(0).getInt64();
  return insert(connection, ("INSERT INTO " + std::string(table)).c_str(), visit_row);
}

template <record::Listed T>
std::int64_t find_or_insert(Connection& connection, const char* table, const T& record) {
  return find_or_insert(connection, table, [&](auto& visit) { fields(visit, record); });
}

/// Calls `read` with each row of a query, whose parameters are `values`. `table` names the rows in
/// Errors, beside their column "id".
template <class Read, class... Values>
void each_row(Connection& connection, const char* table, const char* sql, const Read& read,
              const Values&... values) {
  SQLite::Statement& rows = connection.statement(sql, values...);
  while (rows.executeStep()) read(Row(rows, table, connection.file()));
}

/// All records of a query, likewise.
template <record::Listed T, class... Values>
std::vector<T> read_all(Connection& connection, const char* table, const char* sql,
                        const Values&... values) {
  std::vector<T> records;
  each_row(
      connection, table, sql, [&](const Row& row) { records.push_back(row.as<T>()); }, values...);
  return records;
}

}  // namespace ridgeline::store
