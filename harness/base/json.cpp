#include "harness/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace ridgeline::json {
namespace {

using Ordered = nlohmann::ordered_json;
using Sorted = nlohmann::json;

Ordered to_library(const Value& value) {
  if (value.is_array()) {
    Ordered array = Ordered::array();
    for (const Value& element : value.elements()) array.push_back(to_library(element));
    return array;
  }
  if (value.is_object()) {
    Ordered object = Ordered::object();
    // Straight into the vector below the library's map, whose own insertion looks through all
    // members.
    Ordered::object_t::Container& members = object.get_ref<Ordered::object_t&>();
    members.reserve(value.size());
    for (const auto& [key, member] : value.members()) members.emplace_back(key, to_library(member));
    return object;
  }
  if (value.is_text()) return value.text();
  if (value.is_bool()) return value.boolean();
  if (value.is_unsigned()) return value.unsigned_integer();
  if (value.is_integer()) return value.integer();
  if (value.is_number()) return value.number();
  return nullptr;
}

/// Whether a text stands in JSON as it is: printable ASCII without quotes and backslashes.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void write_text(const std::string& text, Letters letters, std::string& out) {
  if (is_plain(text))
    (out += '"').append(text) += '"';
  else
    out +=
        Ordered(text).dump(-1, ' ', letters == Letters::ascii, Ordered::error_handler_t::replace);
}

/// As the library writes on one line, without a copy of the whole for it.
void write(const Value& value, Letters letters, std::string& out) {
  const char* between = "";
  if (value.is_array()) {
    out += '[';
    for (const Value& element : value.elements())
      write(element, letters, out += std::exchange(between, ","));
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    for (const auto& [key, member] : value.members()) {
      write_text(key, letters, out += std::exchange(between, ","));
      write(member, letters, out += ':');
    }
    out += '}';
  } else if (value.is_text()) {
    write_text(value.text(), letters, out);
  } else {
    out += to_library(value).dump();
  }
}

Value from_library(Sorted& value) {
  switch (value.type()) {
    case Sorted::value_t::boolean:
      return value.get<bool>();
    case Sorted::value_t::number_integer:
      return value.get<std::int64_t>();
    case Sorted::value_t::number_unsigned:
      return value.get<std::uint64_t>();
    case Sorted::value_t::number_float:
      return value.get<double>();
    case Sorted::value_t::string:
      return std::move(value.get_ref<std::string&>());
    case Sorted::value_t::array: {
      Value array = Value::array();
      for (Sorted& element : value) array.push_back(from_library(element));
      return array;
    }
    case Sorted::value_t::object: {
      std::map<std::string, Value> members;
      for (auto& [key, member] : value.get_ref<Sorted::object_t&>())
        members.emplace(key, from_library(member));
      return members;
    }
    default:
      return {};
  }
}

const char* type_name(const Value& value) {
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  if (value.is_text()) return "a text";
  if (value.is_bool()) return "true or false";
  if (value.is_number()) return "a number";
  return "null";
}

[[noreturn]] void refuse(const Value& value, const std::string& wanted) {
  throw Error("expected " + wanted + ", not " + type_name(value));
}

bool is_pair(const Value& value) {
  return value.is_array() && value.size() == 2 && value.elements().front().is_text();
}

}  // namespace

Value::Value() : held_(nullptr) {}
Value::Value(bool value) : held_(value) {}
Value::Value(double value) : held_(value) {}
Value::Value(const char* text) : held_(std::string(text)) {}
Value::Value(std::string_view text) : held_(std::string(text)) {}
Value::Value(std::string text) : held_(std::move(text)) {}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value::~Value() = default;

Value::Value(std::initializer_list<Value> values) : Value() {
  bool pairs = true;
  for (const Value& value : values) pairs = pairs && is_pair(value);
  if (!pairs) {
    held_ = Array(values);
    return;
  }
  held_ = Object();
  for (const Value& value : values) (*this)[value.elements()[0].text()] = value.elements()[1];
}

Value& Value::operator=(Value other) noexcept {
  held_.swap(other.held_);
  return *this;
}

Value Value::array() {
  Value value;
  value.held_ = Array();
  return value;
}

Value Value::object() {
  Value value;
  value.held_ = Object();
  return value;
}

bool Value::is_integer() const {
  const auto* number = std::get_if<std::uint64_t>(&held_);
  return holds<std::int64_t>() || (number != nullptr && std::in_range<std::int64_t>(*number));
}

bool Value::is_unsigned() const {
  const auto* number = std::get_if<std::int64_t>(&held_);
  return holds<std::uint64_t>() || (number != nullptr && *number >= 0);
}

template <class T>
const T& Value::held(const char* wanted) const {
  if (const auto* value = std::get_if<T>(&held_)) return *value;
  refuse(*this, wanted);
}

bool Value::boolean() const { return held<bool>("true or false"); }
const std::string& Value::text() const { return held<std::string>("a text"); }
const Value::Array& Value::elements() const { return held<Array>("an array"); }
const Value::Object& Value::members() const { return held<Object>("an object"); }

double Value::number() const {
  if (const auto* value = std::get_if<std::int64_t>(&held_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&held_)) return static_cast<double>(*value);
  return held<double>("a number");
}

std::int64_t Value::integer() const {
  if (!is_integer()) refuse(*this, "a whole number");
  if (const auto* value = std::get_if<std::int64_t>(&held_)) return *value;
  return static_cast<std::int64_t>(std::get<std::uint64_t>(held_));
}

std::uint64_t Value::unsigned_integer() const {
  if (!is_unsigned()) refuse(*this, "a whole number from 0");
  if (const auto* value = std::get_if<std::uint64_t>(&held_)) return *value;
  return static_cast<std::uint64_t>(std::get<std::int64_t>(held_));
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> texts;
  for (const Value& element : elements()) texts.push_back(element.text());
  return texts;
}

std::size_t Value::size() const {
  return is_array() ? elements().size() : is_object() ? members().size() : 0;
}

const Value* Value::find(std::string_view key) const {
  if (const auto* object = std::get_if<Object>(&held_))
    for (const Member& member : *object)
      if (member.key == key) return &member.value;
  return nullptr;
}

const Value& Value::at(std::string_view key) const {
  if (const Value* value = find(key)) return *value;
  throw Error("there is no \"" + std::string(key) + '"');
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) held_ = Object();
  if (!is_object()) refuse(*this, "an object");
  if (const Value* value = find(key)) return const_cast<Value&>(*value);
  Object& object = std::get<Object>(held_);
  object.push_back({std::string(key), Value()});
  return object.back().value;
}

Value& Value::push_back(Value value) {
  if (is_null()) held_ = Array();
  if (!is_array()) refuse(*this, "an array");
  return std::get<Array>(held_).emplace_back(std::move(value));
}

void Value::erase(std::string_view key) {
  if (auto* object = std::get_if<Object>(&held_))
    std::erase_if(*object, [&](const Member& member) { return member.key == key; });
}

void Value::update(const Value& other) {
  for (const auto& [key, value] : other.members()) (*this)[key] = value;
}

void Value::append(const std::string& key, Value value) {
  std::get<Object>(held_).push_back({key, std::move(value)});
}

std::string Value::dump(int indent, Letters letters) const {
  if (indent < 0) {
    std::string line;
    write(*this, letters, line);
    return line;
  }
  return to_library(*this).dump(indent, ' ', letters == Letters::ascii,
                                Ordered::error_handler_t::replace);
}

bool Value::operator==(const Value& other) const {
  if (is_number() && other.is_number() && held_.index() != other.held_.index())
    return number() == other.number();
  return held_ == other.held_;
}

void put(Value& object, std::string_view key, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) object[key] = *number;
}

void put(Value& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Value parse(std::string_view text, const Limits& limits) {
  std::size_t values = 0;
  const auto bound = [&](int depth, Sorted::parse_event_t, Sorted&) {
    if (depth > limits.depth)
      throw LimitError("nested deeper than " + std::to_string(limits.depth) + " levels");
    if (++values > limits.values)
      throw LimitError("holds more than " + std::to_string(limits.values) + " values");
    return true;
  };
  try {
    Sorted parsed = Sorted::parse(text.begin(), text.end(), bound);
    return from_library(parsed);
  } catch (const Sorted::parse_error& error) {
    throw Error(error.what(), error.byte);
  } catch (const Sorted::exception& error) {  // a number that no double can hold
    throw Error(error.what());
  }
}

std::optional<Value> try_parse(std::string_view text) {
  try {
    return parse(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace ridgeline::json
