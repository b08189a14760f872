#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/record/fields.hpp"

namespace ridgeline::store {

/// Binds what it visits to the parameters of a statement, one after the other. Text that is not
/// UTF-8 is stored with its bytes escaped, so that a worker's garbage in a reason costs nothing
/// else. A number that is not finite throws a store Error: SQLite would keep NaN as NULL.
class Binder {
 public:
  using Rule = record::Rule;

  explicit Binder(SQLite::Statement& statement) : statement_(statement) {}

  template <class T>
  void operator()(const char* name, const T& value, const Rule& rule = {}) {
    if constexpr (record::Listed<const T>) {
      fields(*this, value);
    } else if (const char* column = column_of(name, rule); *column) {
      ++place_;
      if (!absent_) bind(column, value, rule);
    }
  }
  template <record::Listed T>
  void operator()(const char*, const std::optional<T>& value, const Rule& = {}) {
    absent_ = !value;
    const T none;
    fields(*this, value ? *value : none);
    absent_ = false;
  }
  // Lists are stored in a table of their own.
  template <record::Listed T>
  void operator()(const char*, const std::vector<T>&, const Rule& = {}) {}

 private:
  void bind(const char* column, std::string_view text, const Rule& rule);
  void bind(const char* column, double number, const Rule& rule);
  void bind(const char* column, std::int64_t number, const Rule& rule);
  void bind(const char* column, std::uint64_t number, const Rule& rule);
  void bind(const char* column, const record::Facts& facts, const Rule& rule);
  void bind(const char* column, const std::vector<record::Field>& pairs, const Rule& rule);
  /// As little-endian binary64, NULL when empty. They must outlive the statement's execution.
  void bind(const char* column, const std::vector<double>& times, const Rule& rule);
  template <class T>
  void bind(const char* column, const std::optional<T>& value, const Rule& rule) {
    if (value) bind(column, *value, rule);
  }
  template <class T>
  requires std::is_enum_v<T> || std::is_same_v<T, int> || std::is_same_v<T, bool>
  void bind(const char* column, T value, const Rule& rule) {
    if constexpr (std::is_enum_v<T>)
      bind(column, to_string(value), rule);
    else
      bind(column, std::int64_t{value}, rule);
  }

  SQLite::Statement& statement_;
  int place_ = 0;
  bool absent_ = false;  // what is visited is part of a record that is not there: NULL
};

}  // namespace ridgeline::store
