#pragma once

#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/record/fields.hpp"

namespace ridgeline::record {

/// The fields of `record` as an object. What is absent is left out. Of a verdict it is what is
/// stored: present::to_json says what that means.
template <Listed T>
json::Value to_json(const T& record);

/// Sets a member of an object for each field that it visits.
class JsonWriter {
 public:
  explicit JsonWriter(json::Value& object) : object_(object) {}

  template <class T>
  void operator()(const char* name, const T& value, const Rule& rule = {}) {
    if (rule.presence != Presence::left_out_when_empty || !is_empty(value))
      write(name, value, rule);
  }

 private:
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return value == T();
  }

  void write(const char* name, double number, const Rule& rule);
  void write(const char* name, const std::string& text, const Rule& rule);
  void write(const char* name, const std::vector<Field>& pairs, const Rule& rule);
  /// Without those that are no number.
  void write(const char* name, const std::vector<Metric>& metrics, const Rule& rule);
  template <class T>
  void write(const char* name, const std::optional<T>& value, const Rule& rule) {
    if (value) write(name, *value, rule);
  }
  template <class Enum>
  void write(const char* name, const std::set<Enum>& values, const Rule&) {
    json::Value& list = object_[name] = json::Value::array();
    for (const Enum value : values) list.push_back(to_string(value));
  }
  template <Listed T>
  void write(const char* name, const std::vector<T>& values, const Rule&) {
    json::Value& list = object_[name] = json::Value::array();
    for (const T& value : values) list.push_back(to_json(value));
  }
  template <class T>
  void write(const char* name, const T& value, const Rule&) {
    if constexpr (Listed<T>)
      object_[name] = to_json(value);
    else if constexpr (std::is_enum_v<T>)
      object_[name] = to_string(value);
    else
      object_[name] = value;
  }

  json::Value& object_;
};

template <Listed T>
json::Value to_json(const T& record) {
  json::Value object = json::Value::object();
  JsonWriter write(object);
  fields(write, record);
  return object;
}

}  // namespace ridgeline::record
