#include "harness/protocol/reader.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace {

using nlohmann::json;

// A value costs tens of bytes once parsed, so their number is bounded as well as the length of the text they stand in.
constexpr std::size_t max_values = 1'000'000;
constexpr int max_depth = 8;
constexpr std::size_t max_facts = 1000;

std::string shown(const json& value) {
  if (value.is_string()) return fmt::format("the text \"{}\"", printable(value.get_ref<const std::string&>(), 60));
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  return value.dump();
}

[[noreturn]] void refuse_type(const std::string& name, std::string_view expected, const json& value) {
  refuse(fmt::format("field {} must be {}, not {}", name, expected, shown(value)));
}

}  // namespace

void refuse(const std::string& failure) { throw Error(ErrorKind::internal, failure); }

json parse_object(std::string_view line) {
  if (line.size() > max_message_bytes) refuse(fmt::format("message is longer than {} bytes", max_message_bytes));
  if (!is_utf8(line)) refuse(fmt::format("message is not UTF-8 text: {}", printable(line, 80)));
  std::size_t values = 0;
  const auto bound = [&](int depth, json::parse_event_t, json&) {
    if (depth > max_depth) refuse(fmt::format("message is nested deeper than {} levels", max_depth));
    if (++values > max_values) refuse(fmt::format("message holds more than {} values", max_values));
    return true;
  };
  json value;
  try {
    value = json::parse(line.begin(), line.end(), bound);
  } catch (const json::parse_error& error) {
    refuse(fmt::format("message is not JSON from byte {} on: {}", error.byte, printable(line, 80)));
  } catch (const json::exception&) {  // a number that no double can hold
    refuse(fmt::format("message holds a number that is out of range: {}", printable(line, 80)));
  }
  if (!value.is_object()) refuse(fmt::format("message must be a JSON object, not {}", shown(value)));
  return value;
}

std::string read_text(const json& value, const std::string& name, std::size_t limit) {
  if (!value.is_string()) refuse_type(name, "a text", value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > limit) refuse(fmt::format("field {} is longer than {} bytes", name, limit));
  return text;
}

double read_number(const json& value, const std::string& name, double least) {
  if (!value.is_number()) refuse_type(name, "a number", value);
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < least) refuse_type(name, fmt::format("a number not below {}", least), value);
  return number;
}

Reader::Reader(const json& object, std::string where) : object_(&object), where_(std::move(where)) {
  if (!object.is_object()) refuse(fmt::format("{} must be an object, not {}", where_, shown(object)));
}

const json& Reader::field(const char* key) {
  asked_.insert(key);
  const auto found = object_->find(key);
  if (found == object_->end()) refuse(fmt::format("{} has no field {}", where_, key));
  return *found;
}

bool Reader::has(const char* key) {
  asked_.insert(key);
  return object_->contains(key);
}

std::string Reader::text(const char* key, std::size_t limit) {
  return read_text(field(key), fmt::format("{} of {}", key, where_), limit);
}

bool Reader::boolean(const char* key) {
  const json& value = field(key);
  if (!value.is_boolean()) refuse_type(fmt::format("{} of {}", key, where_), "true or false", value);
  return value.get<bool>();
}

double Reader::number(const char* key, double least) {
  return read_number(field(key), fmt::format("{} of {}", key, where_), least);
}

double Reader::number_or_not_finite(const char* key, double least) {
  const json& value = field(key);
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  return number(key, least);
}

std::optional<double> Reader::optional_number(const char* key, double least) {
  if (!has(key)) return std::nullopt;
  return number(key, least);
}

std::int64_t Reader::integer(const char* key, std::int64_t least, std::int64_t most) {
  const json& value = field(key);
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)
                                               : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    refuse_type(fmt::format("{} of {}", key, where_), fmt::format("an integer from {} to {}", least, most), value);
  return value.get<std::int64_t>();
}

std::uint64_t Reader::unsigned_integer(const char* key) {
  const json& value = field(key);
  if (!value.is_number_unsigned()) refuse_type(fmt::format("{} of {}", key, where_), "an integer not below 0", value);
  return value.get<std::uint64_t>();
}

record::Facts Reader::facts(const char* key) {
  Reader inner = object(key);
  if (inner.object_->size() > max_facts) refuse(fmt::format("{} holds more than {} facts", inner.where_, max_facts));
  record::Facts facts;
  for (const auto& [name, value] : inner.object_->items()) {
    if (name.empty() || name.size() > max_name_bytes)
      refuse(fmt::format("{} holds a fact without a fitting name", inner.where_));
    facts[name] = read_text(value, fmt::format("{} of {}", printable(name, 60), inner.where_), max_text_bytes);
  }
  return facts;
}

Reader Reader::object(const char* key) { return Reader(field(key), fmt::format("{} of {}", key, where_)); }

void Reader::list(const char* key, std::size_t most, const std::function<void(const json&, const std::string&)>& each) {
  const json& value = field(key);
  const std::string name = fmt::format("{} of {}", key, where_);
  if (!value.is_array()) refuse_type(name, "an array", value);
  if (value.size() > most) refuse(fmt::format("field {} holds more than {} elements", name, most));
  for (std::size_t i = 0; i < value.size(); ++i) each(value[i], fmt::format("{}[{}] of {}", key, i, where_));
}

void Reader::done() const {
  for (const auto& [key, value] : object_->items())
    if (!asked_.contains(key)) refuse(fmt::format("{} has an unknown field \"{}\"", where_, printable(key, 60)));
}

}  // namespace ridgeline::protocol
