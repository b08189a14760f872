#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/json.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::protocol {

/// `line` as one JSON object of bounded size, depth and number of values. Throws Error.
json::Value parse_object(std::string_view line);

/// Reads the fields of one JSON object that an untrusted program sent. Every method names the field in its Error. A
/// field that was not asked for is an error too (`done`), so that a misspelt optional field is not lost.
class Reader {
 public:
  /// `where` is how errors call the object: "answer \"list\"".
  Reader(const json::Value& object, std::string where);

  bool has(const char* key);
  std::string text(const char* key, std::size_t limit);
  bool boolean(const char* key);
  /// Finite, and not below `least`.
  double number(const char* key, double least);
  std::optional<double> optional_number(const char* key, double least);
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most);
  std::uint64_t unsigned_integer(const char* key);
  record::Facts facts(const char* key);  // {"name":"value",...}
  /// A number as `number`, or the texts "nan" and "inf".
  double number_or_not_finite(const char* key, double least);
  Reader object(const char* key);
  /// Calls `each` with every element of an array of at most `most` and its name for errors ("cases[3]").
  void list(const char* key, std::size_t most, const std::function<void(const json::Value&, const std::string&)>& each);
  /// Throws when the object has a field that nobody asked for.
  void done() const;

  const std::string& where() const { return where_; }

 private:
  const json::Value& field(const char* key);
  const json::Value* object_;
  std::string where_;
  std::set<std::string> asked_;
};

/// The checks of Reader on one value.
std::string read_text(const json::Value& value, const std::string& name, std::size_t limit);
double read_number(const json::Value& value, const std::string& name, double least);

[[noreturn]] void refuse(const std::string& failure);

}  // namespace ridgeline::protocol
