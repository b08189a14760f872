#include "harness/protocol/reader.hpp"

#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace {

// A value costs tens of bytes once parsed, so their number is bounded as well as the length of the text they stand in.
constexpr std::size_t max_values = 1'000'000;
constexpr int max_depth = 8;
constexpr std::size_t max_facts = 1000;

std::string shown(const json::Value& value) {
  if (value.is_text()) return fmt::format("the text \"{}\"", printable(value.text(), 60));
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  return value.dump();
}

[[noreturn]] void refuse_type(const std::string& name, std::string_view expected, const json::Value& value) {
  refuse(fmt::format("field {} must be {}, not {}", name, expected, shown(value)));
}

}  // namespace

void refuse(const std::string& failure) { throw Error(ErrorKind::internal, failure); }

json::Value parse_object(std::string_view line) {
  if (line.size() > max_message_bytes) refuse(fmt::format("message is longer than {} bytes", max_message_bytes));
  if (!is_utf8(line)) refuse(fmt::format("message is not UTF-8 text: {}", printable(line, 80)));
  json::Value value;
  try {
    value = json::parse(line, {max_values, max_depth});
  } catch (const json::LimitError& error) {
    refuse(fmt::format("message {}", error.what()));
  } catch (const json::Error& error) {
    refuse(error.byte > 0 ? fmt::format("message is not JSON from byte {} on: {}", error.byte, printable(line, 80))
                          : fmt::format("message holds a number that is out of range: {}", printable(line, 80)));
  }
  if (!value.is_object()) refuse(fmt::format("message must be a JSON object, not {}", shown(value)));
  return value;
}

std::string read_text(const json::Value& value, const std::string& name, std::size_t limit) {
  if (!value.is_text()) refuse_type(name, "a text", value);
  const std::string& text = value.text();
  if (text.size() > limit) refuse(fmt::format("field {} is longer than {} bytes", name, limit));
  return text;
}

double read_number(const json::Value& value, const std::string& name, double least) {
  if (!value.is_number()) refuse_type(name, "a number", value);
  const double number = value.number();
  if (!std::isfinite(number) || number < least) refuse_type(name, fmt::format("a number not below {}", least), value);
  return number;
}

Reader::Reader(const json::Value& object, std::string where) : object_(&object), where_(std::move(where)) {
  if (!object.is_object()) refuse(fmt::format("{} must be an object, not {}", where_, shown(object)));
}

const json::Value& Reader::field(const char* key) {
  asked_.insert(key);
  const json::Value* found = object_->find(key);
  if (found == nullptr) refuse(fmt::format("{} has no field {}", where_, key));
  return *found;
}

bool Reader::has(const char* key) {
  asked_.insert(key);
  return object_->find(key) != nullptr;
}

std::string Reader::text(const char* key, std::size_t limit) {
  return read_text(field(key), fmt::format("{} of {}", key, where_), limit);
}

bool Reader::boolean(const char* key) {
  const json::Value& value = field(key);
  if (!value.is_bool()) refuse_type(fmt::format("{} of {}", key, where_), "true or false", value);
  return value.boolean();
}

double Reader::number(const char* key, double least) {
  return read_number(field(key), fmt::format("{} of {}", key, where_), least);
}

double Reader::number_or_not_finite(const char* key, double least) {
  const json::Value& value = field(key);
  if (value == json::Value("nan")) return std::numeric_limits<double>::quiet_NaN();
  if (value == json::Value("inf")) return std::numeric_limits<double>::infinity();
  return number(key, least);
}

std::optional<double> Reader::optional_number(const char* key, double least) {
  if (!has(key)) return std::nullopt;
  return number(key, least);
}

std::int64_t Reader::integer(const char* key, std::int64_t least, std::int64_t most) {
  const json::Value& value = field(key);
  if (!value.is_integer() || value.integer() < least || value.integer() > most)
    refuse_type(fmt::format("{} of {}", key, where_), fmt::format("an integer from {} to {}", least, most), value);
  return value.integer();
}

std::uint64_t Reader::unsigned_integer(const char* key) {
  const json::Value& value = field(key);
  if (!value.is_unsigned()) refuse_type(fmt::format("{} of {}", key, where_), "an integer not below 0", value);
  return value.unsigned_integer();
}

record::Facts Reader::facts(const char* key) {
  Reader inner = object(key);
  if (inner.object_->size() > max_facts) refuse(fmt::format("{} holds more than {} facts", inner.where_, max_facts));
  record::Facts facts;
  for (const auto& [name, value] : inner.object_->members()) {
    if (name.empty() || name.size() > max_name_bytes)
      refuse(fmt::format("{} holds a fact without a fitting name", inner.where_));
    facts[name] = read_text(value, fmt::format("{} of {}", printable(name, 60), inner.where_), max_text_bytes);
  }
  return facts;
}

Reader Reader::object(const char* key) { return Reader(field(key), fmt::format("{} of {}", key, where_)); }

void Reader::list(const char* key, std::size_t most,
                  const std::function<void(const json::Value&, const std::string&)>& each) {
  const json::Value& value = field(key);
  const std::string name = fmt::format("{} of {}", key, where_);
  if (!value.is_array()) refuse_type(name, "an array", value);
  if (value.size() > most) refuse(fmt::format("field {} holds more than {} elements", name, most));
  for (std::size_t i = 0; i < value.size(); ++i) each(value.elements()[i], fmt::format("{}[{}] of {}", key, i, where_));
}

void Reader::done() const {
  for (const auto& [key, value] : object_->members())
    if (!asked_.contains(key)) refuse(fmt::format("{} has an unknown field \"{}\"", where_, printable(key, 60)));
}

}  // namespace ridgeline::protocol
