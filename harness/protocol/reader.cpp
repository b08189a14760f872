#include "harness/protocol/reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace {

using record::Rule, record::Text;

// A value costs tens of bytes once parsed, so their number is bounded as well as the length of the
// text they stand in.
constexpr std::size_t max_values = 1'000'000;
constexpr int max_depth = 8;
constexpr std::size_t max_facts = 1000;

std::string shown(const json::Value& value) {
  if (value.is_text()) return fmt::format("the text \"{}\"", printable(value.text(), 60));
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  return value.dump();
}

[[noreturn]] void refuse_type(const std::string& place, std::string_view expected,
                              const json::Value& value) {
  refuse(fmt::format("field {} must be {}, not {}", place, expected, shown(value)));
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

void check_text(const std::string& text, const std::string& place, Text kind) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+-";
  if (kind == Text::word && (text.empty() || text.find_first_not_of(plain) != std::string::npos))
    refuse(fmt::format("field {} must be made of letters, digits and _.:+-, not \"{}\"", place,
                       printable(text, 60)));
  if ((kind == Text::line || kind == Text::filled_line) && has_control_characters(text))
    refuse(fmt::format("field {} must not hold control characters", place));
  if (kind == Text::filled_line && text.empty()) refuse(fmt::format("field {} is empty", place));
  if (kind == Text::source && text.find('\0') != std::string::npos)
    refuse(fmt::format("field {} holds a NUL, which no source does", place));
}

/// The numbers that `rule` allows.
std::string allowed(const Rule& rule) {
  constexpr Rule any;
  if (rule.smallest > 0)
    return fmt::format("0, or {} from {} to {}", rule.least < 0 ? "of a size" : "a number",
                       rule.smallest, rule.greatest);
  if (rule.greatest == any.greatest) return fmt::format("a number not below {}", rule.least);
  return fmt::format("a number from {} to {}", rule.least, rule.greatest);
}

std::int64_t read_integer(const json::Value& value, const std::string& place, double least,
                          std::int64_t most) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t from =
      least > static_cast<double>(lowest) ? static_cast<std::int64_t>(least) : lowest;
  if (!value.is_integer() || value.integer() < from || value.integer() > most)
    refuse_type(place, fmt::format("an integer from {} to {}", from, most), value);
  return value.integer();
}

}  // namespace

json::Value parse_object(std::string_view line) {
  if (line.size() > max_message_bytes)
    refuse(fmt::format("message is longer than {} bytes", max_message_bytes));
  if (!is_utf8(line)) refuse(fmt::format("message is not UTF-8 text: {}", printable(line, 80)));
  json::Value value;
  try {
    value = json::parse(line, {max_values, max_depth});
  } catch (const json::LimitError& error) {
    refuse(fmt::format("message {}", error.what()));
  } catch (const json::Error& error) {
    refuse(error.byte > 0 ? fmt::format("message is not JSON from byte {} on: {}", error.byte,
                                        printable(line, 80))
                          : fmt::format("message holds a number that is out of range: {}",
                                        printable(line, 80)));
  }
  if (!value.is_object())
    refuse(fmt::format("message must be a JSON object, not {}", shown(value)));
  return value;
}

Reader::Reader(const json::Value& object, std::string where)
    : object_(&object), where_(std::move(where)) {
  if (!object.is_object())
    refuse(fmt::format("{} must be an object, not {}", where_, shown(object)));
}

bool Reader::has(const char* name) {
  asked_.insert(name);
  return object_->find(name) != nullptr;
}

const json::Value& Reader::field(const char* name) {
  if (!has(name)) refuse(fmt::format("{} has no field {}", where_, name));
  return object_->at(name);
}

std::string Reader::place(const char* name) const { return fmt::format("{} of {}", name, where_); }

bool Reader::is_due(const char* name, const Rule& rule) {
  return rule.presence == record::Presence::required || has(name);
}

void Reader::for_each(
    const char* name, const Rule& rule,
    const std::function<void(const json::Value&, const std::string& place)>& each) {
  if (!is_due(name, rule)) return;
  const json::Value& values = field(name);
  if (!values.is_array()) refuse_type(place(name), "an array", values);
  if (static_cast<std::int64_t>(values.size()) > rule.most)
    refuse(fmt::format("field {} holds more than {} elements", place(name), rule.most));
  for (std::size_t i = 0; i < values.size(); ++i)
    each(values.elements()[i], fmt::format("{}[{}] of {}", name, i, where_));
}

void Reader::refuse_unknown_fields() const {
  for (const auto& [name, value] : object_->members())
    if (!asked_.contains(name))
      refuse(fmt::format("{} has an unknown field \"{}\"", where_, printable(name, 60)));
}

void Reader::read(const json::Value& value, const std::string& place, bool& flag, const Rule&) {
  if (!value.is_bool()) refuse_type(place, "true or false", value);
  flag = value.boolean();
}

void Reader::read(const json::Value& value, const std::string& place, double& number,
                  const Rule& rule) {
  if (!rule.finite && value == json::Value("nan")) {
    number = std::numeric_limits<double>::quiet_NaN();
  } else if (!rule.finite && value == json::Value("inf")) {
    number = std::numeric_limits<double>::infinity();
  } else {
    if (!value.is_number()) refuse_type(place, "a number", value);
    number = value.number();
    if (!rule.allows(number)) refuse_type(place, allowed(rule), value);
  }
}

void Reader::read(const json::Value& value, const std::string& place, int& number,
                  const Rule& rule) {
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  number = static_cast<int>(
      read_integer(value, place, std::max<double>(rule.least, std::numeric_limits<int>::min()),
                   std::min(rule.most, largest)));
}

void Reader::read(const json::Value& value, const std::string& place, std::int64_t& number,
                  const Rule& rule) {
  number = read_integer(value, place, rule.least, rule.most);
}

void Reader::read(const json::Value& value, const std::string& place, std::uint64_t& number,
                  const Rule& rule) {
  if (rule.most < record::unbounded) read_integer(value, place, 0, rule.most);
  if (!value.is_unsigned()) refuse_type(place, "an integer not below 0", value);
  number = value.unsigned_integer();
}

void Reader::read(const json::Value& value, const std::string& place, std::string& text,
                  const Rule& rule) {
  if (!value.is_text()) refuse_type(place, "a text", value);
  text = value.text();
  if (text.size() > rule.longest)
    refuse(fmt::format("field {} is longer than {} bytes", place, rule.longest));
  check_text(text, place, rule.text);
}

void Reader::read(const json::Value& value, const std::string& place, record::Facts& facts,
                  const Rule&) {
  if (!value.is_object()) refuse(fmt::format("{} must be an object, not {}", place, shown(value)));
  if (value.size() > max_facts)
    refuse(fmt::format("{} holds more than {} facts", place, max_facts));
  for (const auto& [name, fact] : value.members()) {
    if (name.empty() || name.size() > record::max_name_bytes)
      refuse(fmt::format("{} holds a fact without a fitting name", place));
    read(fact, fmt::format("{} of {}", printable(name, 60), place), facts[name], {});
  }
}

void Reader::read(const json::Value& value, const std::string& place, record::Field& pair,
                  const Rule&) {
  if (!value.is_array() || value.size() != 2)
    refuse(fmt::format("field {} must be a pair of texts", place));
  read(value.elements()[0], place, pair.key, record::word);
  read(value.elements()[1], place, pair.value, record::word);
}

std::string Reader::read_name(const json::Value& value, const std::string& place) {
  std::string name;
  read(value, place, name, record::any_name);
  return name;
}

void Reader::refuse_name(const std::string& name, const std::string& place,
                         const std::string& known) {
  refuse(
      fmt::format("field {} is unknown: \"{}\"; known are {}", place, printable(name, 60), known));
}

}  // namespace ridgeline::protocol
