#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"

/// Statements that follow from what is visited: a record, or a lambda that visits the columns of a row.
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
  template <record::Listed T>
  void operator()(const char*, const std::vector<T>&, const record::Rule& = {}) {}  // in a table of their own

  /// `into`: "INSERT INTO run".
  std::string insertion(const char* into) const;
  std::string search(const char* table) const;

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

/// All rows of a query, whose parameters are `values`. `table` names the rows in Errors, beside their column "id".
template <record::Listed T, class... Values>
std::vector<T> read_all(Connection& connection, const char* table, const char* sql, const Values&... values) {
  SQLite::Statement& rows = connection.statement(sql, values...);
  std::vector<T> records;
  while (rows.executeStep()) records.push_back(Row(rows, table, connection.file()).as<T>());
  return records;
}

}  // namespace ridgeline::store
