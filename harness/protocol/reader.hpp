#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/protocol/messages.hpp"
#include "harness/record/fields.hpp"

namespace ridgeline::protocol {

/// What the fields of a message or record must say of each other, beside the rule of each. Throws
/// an Error that calls them `where`.
void check(const record::Case& value, const std::string& where);
void check(const record::Device& value, const std::string& where);
void check(const record::Metric& value, const std::string& where);
void check(const record::Measurement& value, const std::string& where);
void check(const Cases& answer, const std::string& where);
void check(const Devices& answer, const std::string& where);
void check(const Prepared& answer, const std::string& where);
void check(const Sample& request, const std::string& where);
template <class T>
void check(const T&, const std::string&) {}

[[noreturn]] void refuse(const std::string& failure);

/// `line` as one JSON object of bounded size, depth and number of values. Throws Error.
json::Value parse_object(std::string_view line);

template <class T>
concept Enumeration = std::is_enum_v<T>;

/// Reads the fields of one JSON object that an untrusted program sent, each by its rule. Every
/// Error names the field.
class Reader {
 public:
  using Rule = record::Rule;

  /// `where` is how errors call the object: "answer \"list\"".
  Reader(const json::Value& object, std::string where);

  /// All of `record`, whose fields must be all that the object has, beside those that were read
  /// before: a misspelt optional field is not lost. Then checks what they say of each other.
  template <class T>
  void read(T& record) {
    if constexpr (record::Listed<T>) fields(*this, record);
    refuse_unknown_fields();
    check(record, where_);
  }

  template <class T>
  void operator()(const char* name, T& value, const Rule& rule = {}) {
    if (is_due(name, rule)) read(field(name), place(name), value, rule);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value, const Rule& rule = {}) {
    if (has(name)) read(field(name), place(name), value.emplace(), rule);
  }
  template <class T>
  void operator()(const char* name, std::vector<T>& values, const Rule& rule = {}) {
    for_each(name, rule, [&](const json::Value& value, const std::string& place) {
      read(value, place, values.emplace_back(), rule);
    });
  }
  /// What may be absent, and sets, are without the names that this program does not know.
  template <Enumeration T>
  void operator()(const char* name, std::optional<T>& value, const Rule& = {}) {
    if (has(name)) value = parse<T>(read_name(field(name), place(name)));
  }
  template <Enumeration T>
  void operator()(const char* name, std::set<T>& values, const Rule& rule = {}) {
    for_each(name, rule, [&](const json::Value& value, const std::string& place) {
      if (const auto known = parse<T>(read_name(value, place))) values.insert(*known);
    });
  }

 private:
  bool has(const char* name);
  bool is_due(const char* name, const Rule& rule);
  const json::Value& field(const char* name);
  std::string place(const char* name) const;
  void for_each(const char* name, const Rule& rule,
                const std::function<void(const json::Value&, const std::string& place)>& each);
  void refuse_unknown_fields() const;

  // `place` is how errors call the value.
  static void read(const json::Value& value, const std::string& place, bool& flag,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, double& number,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, int& number,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, std::int64_t& number,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, std::uint64_t& number,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, std::string& text,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, record::Facts& facts,
                   const Rule& rule);
  static void read(const json::Value& value, const std::string& place, record::Field& pair,
                   const Rule& rule);
  template <class T>
  static void read(const json::Value& value, const std::string& place, T& record, const Rule&) {
    Reader(value, place).read(record);
  }
  template <Enumeration T>
  static void read(const json::Value& value, const std::string& place, T& named, const Rule&) {
    const std::string name = read_name(value, place);
    std::string known;
    for (const Name<T>& row : names(named)) {
      if (row.name == name) return void(named = row.value);
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    refuse_name(name, place, known);
  }
  static std::string read_name(const json::Value& value, const std::string& place);
  [[noreturn]] static void refuse_name(const std::string& name, const std::string& place,
                                       const std::string& known);

  const json::Value* object_;
  std::string where_;
  std::set<std::string> asked_;
};

}  // namespace ridgeline::protocol
