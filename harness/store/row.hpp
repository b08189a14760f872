#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/record/case.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::store {

/// Names values of a statement's parameters (":median_ns"). Text that is not UTF-8 is stored with its bytes escaped, so
/// that a worker's garbage in a reason costs nothing else. A number that is not finite throws a store Error: SQLite
/// would keep NaN as NULL.
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) {}
  Binder& text(const char* name, std::string_view value);
  Binder& integer(const char* name, std::int64_t value);
  Binder& count(const char* name, std::uint64_t value);  // refused where the signed integer cannot hold it
  Binder& optional_integer(const char* name, std::optional<int> value);
  Binder& seed(const char* name, std::uint64_t value);  // as the signed integer with the same bits
  Binder& real(const char* name, double value);
  Binder& optional_real(const char* name, std::optional<double> value);
  Binder& facts(const char* name, const record::Facts& value);
  Binder& fields(const char* name, const std::vector<record::Field>& value);
  /// As little-endian binary64. The values must be positive and finite, and outlive the execution of the statement.
  Binder& times(const char* name, const std::vector<double>& values);

 private:
  SQLite::Statement& statement_;
};

/// One row that was read back. A database is untrusted input: what its columns cannot hold throws a store Error that
/// names file, table, row and column.
class Row {
 public:
  /// `statement` stands on a row; its column "id" names it. `table` must outlive the Row.
  Row(SQLite::Statement& statement, std::string_view table, const std::filesystem::path& file)
      : statement_(statement), table_(table), file_(file) {}

  std::string text(const char* column) const;
  std::int64_t integer(const char* column) const;
  int small(const char* column, int least) const;  // at least `least`
  std::uint64_t count(const char* column) const;   // not below 0
  bool flag(const char* column) const;
  std::uint64_t seed(const char* column) const;
  double real(const char* column) const;  // finite
  bool is_null(const char* column) const;
  std::optional<double> optional_real(const char* column) const;
  record::Facts facts(const char* column) const;
  std::vector<record::Field> fields(const char* column) const;
  std::vector<double> times(const char* column) const;  // positive and finite; empty for NULL

  /// Text of `column` as one of a known set of words; `parse` returns an optional.
  template <class Parse>
  auto word(const char* column, Parse&& parse) const {
    const std::string written = text(column);
    const auto value = parse(written);
    if (!value) refuse_word(written, column);
    return *value;
  }

  /// "measurement 17 of results/x.sqlite has <what>".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  SQLite::Column column(const char* name) const;
  [[noreturn]] void refuse_word(const std::string& written, const char* column) const;
  SQLite::Statement& statement_;
  std::string_view table_;
  const std::filesystem::path& file_;
};

}  // namespace ridgeline::store
