#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// JSON documents as plain values. Reading and writing them is nlohmann-json's work, behind this
/// facade, because its header costs each file that includes it two seconds of compiling.
namespace ridgeline::json {

struct Member;

/// Of texts: as they are, or with \uXXXX for whatever is not ASCII.
enum class Letters { all, ascii };

/// A text that is no JSON, or a value of another type than asked for. `byte` is where a text stops
/// being JSON, from 1; 0 when it is well formed and a number in it cannot be held.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& failure, std::size_t byte = 0)
      : std::runtime_error(failure), byte(byte) {}
  std::size_t byte;
};

/// Null, a boolean, a number, a text, an array, or an object that keeps its members in the order
/// they were set. A whole number stays whole; text is UTF-8.
class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;

  Value();
  Value(bool value);
  Value(double value);
  template <std::signed_integral T>
  Value(T value);
  template <std::unsigned_integral T>
  Value(T value);
  Value(const char* text);
  Value(std::string_view text);
  Value(std::string text);
  template <class T>
  Value(const std::vector<T>& values) : Value(array()) {
    for (const T& value : values) push_back(value);
  }
  template <class T>
  Value(const std::map<std::string, T>& members) : Value(object()) {
    for (const auto& [key, value] : members) append(key, value);
  }
  /// {{"a", 1}, {"b", 2}} is an object, as every list is whose elements are all pairs with a text
  /// first; others are arrays.
  Value(std::initializer_list<Value> values);
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(Value other) noexcept;
  ~Value();

  static Value array();
  static Value object();

  bool is_null() const { return holds<std::nullptr_t>(); }
  bool is_bool() const { return holds<bool>(); }
  bool is_number() const {
    return holds<double>() || holds<std::int64_t>() || holds<std::uint64_t>();
  }
  bool is_integer() const;   // a whole number that int64 holds
  bool is_unsigned() const;  // a whole number that uint64 holds
  bool is_text() const { return holds<std::string>(); }
  bool is_array() const { return holds<Array>(); }
  bool is_object() const { return holds<Object>(); }

  /// The value as what it is; Error when it is something else.
  bool boolean() const;
  double number() const;
  std::int64_t integer() const;
  std::uint64_t unsigned_integer() const;
  const std::string& text() const;
  const Array& elements() const;
  const Object& members() const;
  std::vector<std::string> texts() const;  // of an array of texts

  std::size_t size() const;                       // of an array or object; 0 of anything else
  const Value* find(std::string_view key) const;  // null when this is no object or has no such
                                                  // member
  const Value& at(std::string_view key) const;    // Error when there is none

  /// The member `key`, made when there is none. Null becomes an object.
  Value& operator[](std::string_view key);
  template <std::integral T>
  Value& operator[](T place) = delete;  // of an array: elements()
  /// Null becomes an array.
  Value& push_back(Value value);
  /// Takes a member away, if there is one.
  void erase(std::string_view key);
  /// Sets every member that `other` has.
  void update(const Value& other);

  /// `indent` spaces per level, or all on one line. What is no UTF-8 becomes U+FFFD, what is not
  /// finite null.
  std::string dump(int indent = -1, Letters letters = Letters::all) const;

  bool operator==(const Value& other) const;

 private:
  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(held_);
  }
  template <class T>
  const T& held(const char* wanted) const;  // Error, which says what was wanted, when it is
                                            // something else
  void append(const std::string& key, Value value);

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      held_;
};

struct Member {
  std::string key;
  Value value;
  bool operator==(const Member&) const = default;
};

// Below Member, without which the variant cannot be built.
template <std::signed_integral T>
Value::Value(T value) : held_(std::int64_t{value}) {}
template <std::unsigned_integral T>
Value::Value(T value) : held_(std::uint64_t{value}) {}

/// The array of what `make` makes of each of `items`.
template <class Items, class Make>
Value list(const Items& items, Make&& make) {
  Value array = Value::array();
  for (const auto& item : items) array.push_back(std::invoke(make, item));
  return array;
}
template <class Items>
Value list(const Items& items) {
  return list(items, [](const auto& item) { return to_json(item); });
}

/// Sets a member unless there is nothing to say: an absent or not finite number, an empty text.
void put(Value& object, std::string_view key, const std::optional<double>& number);
void put(Value& object, std::string_view key, const std::string& text);

/// What a text may hold at most, since it costs tens of bytes per value once parsed.
struct Limits {
  std::size_t values = SIZE_MAX;
  int depth = 1000;
};

/// Members come sorted by key; of members with the same key the last counts. Throws Error;
/// LimitError beyond `limits`.
Value parse(std::string_view text, const Limits& limits = {});

class LimitError : public Error {
 public:
  using Error::Error;
};

/// Nothing when `text` is no JSON.
std::optional<Value> try_parse(std::string_view text);

}  // namespace ridgeline::json
