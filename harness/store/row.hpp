#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/record/fields.hpp"

namespace ridgeline::store {

/// One row that was read back. A database is untrusted input: what its columns cannot hold throws a
/// store Error that names file, table, row and column.
class Row {
 public:
  using Rule = record::Rule;

  /// `statement` stands on a row; its column "id" names it. `table` must outlive the Row.
  Row(SQLite::Statement& statement, std::string_view table, const std::filesystem::path& file)
      : statement_(statement), table_(table), file_(file) {}

  /// The record or value whose fields are columns of this row.
  template <record::Listed T>
  T as() const {
    T record;
    fields(*this, record);
    return record;
  }
  template <class T>
  T get(const char* column, const Rule& rule = {}) const {
    T value{};
    (*this)(column, value, rule);
    return value;
  }
  /// What `written` names; refused when this ridgeline does not know it.
  template <class T>
  T known(const std::string& written, const char* column) const {
    const std::optional<T> value = parse<T>(written);
    if (!value) refuse_word(written, column);
    return *value;
  }
  bool is_null(const char* column) const { return statement_.getColumn(column).isNull(); }

  /// Reads the fields that it visits.
  template <class T>
  void operator()(const char* name, T& value, const Rule& rule = {}) const {
    if constexpr (record::Listed<T>)
      fields(*this, value);
    else if (const char* column = column_of(name, rule); *column)
      read(column, value, rule);
  }
  template <record::Listed T>
  void operator()(const char*, std::optional<T>& value, const Rule& rule = {}) const {
    if (!is_null(rule.column)) return fields(*this, value.emplace());
    T none;
    MustBeNull must_be_null{*this, rule.column};
    fields(must_be_null, none);
  }
  // Lists are stored in a table of their own.
  template <record::Listed T>
  void operator()(const char*, std::vector<T>&, const Rule& = {}) const {}

  /// How many bytes a list of numbers takes; 0 for NULL.
  std::int64_t bytes(const char* column) const;

  /// "measurement 17 of results/x.sqlite has <what>".
  [[noreturn]] void refuse(const std::string& what) const;
  /// "measurement 17 of results/x.sqlite <rule>", unless no rule is broken: record/rules.hpp.
  void refuse_broken(const std::string& rule) const;

 private:
  /// Visits the columns of a record that is not there.
  struct MustBeNull {
    const Row& row;
    const char* absent;
    template <class T>
    void operator()(const char* name, T&, const Rule& rule = {}) const {
      row.refuse_without(column_of(name, rule), absent);
    }
  };
  void refuse_without(const char* column, const char* absent) const;
  [[noreturn]] void refuse_sentence(const std::string& rest) const;
  void read(const char* column, std::string& text, const Rule& rule) const;
  void read(const char* column, double& number, const Rule& rule) const;
  void read(const char* column, std::int64_t& number, const Rule& rule) const;
  void read(const char* column, std::uint64_t& number, const Rule& rule) const;
  void read(const char* column, int& number, const Rule& rule) const;
  void read(const char* column, bool& flag, const Rule& rule) const;
  void read(const char* column, record::Facts& facts, const Rule& rule) const;
  void read(const char* column, std::vector<record::Field>& pairs, const Rule& rule) const;
  void read(const char* column, std::vector<double>& times,
            const Rule& rule) const;  // empty for NULL
  template <class T>
  void read(const char* column, std::optional<T>& value, const Rule& rule) const {
    if (!is_null(column)) read(column, value.emplace(), rule);
  }
  template <class T>
  requires std::is_enum_v<T>
  void read(const char* column, T& value, const Rule&) const {
    value = known<T>(get<std::string>(column), column);
  }
  [[noreturn]] void refuse_word(const std::string& written, const char* column) const;

  SQLite::Statement& statement_;
  std::string_view table_;
  const std::filesystem::path& file_;
};

}  // namespace ridgeline::store
