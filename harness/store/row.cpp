#include "harness/store/row.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/core.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::store {

void Row::refuse_sentence(const std::string& rest) const {
  const std::string id = statement_.getColumn("id").getString();
  throw Error(ErrorKind::store,
              fmt::format("{} {} of {} {}", table_, printable(id), file_.string(), rest),
              "the file is damaged or was changed by another program; restore it from a backup");
}

void Row::refuse(const std::string& what) const { refuse_sentence("has " + what); }

void Row::refuse_broken(const std::string& rule) const {
  if (!rule.empty()) refuse_sentence(rule);
}

void Row::refuse_without(const char* column, const char* absent) const {
  if (!is_null(column)) refuse(fmt::format("{} without {}", column, absent));
}

std::int64_t Row::bytes(const char* column) const {
  const SQLite::Column value = statement_.getColumn(column);
  if (!value.isNull() && !value.isBlob()) refuse(fmt::format("no list of numbers as {}", column));
  return value.getBytes();
}

void Row::refuse_word(const std::string& written, const char* column) const {
  refuse(fmt::format("'{}' as {}, which this ridgeline does not know", printable(written), column));
}

void Row::read(const char* column, std::string& text, const Rule& rule) const {
  const SQLite::Column value = statement_.getColumn(column);
  if (rule.null_when_empty && value.isNull()) return;
  if (!value.isText()) refuse(fmt::format("no text as {}", column));
  if (value.getBytes() > static_cast<int>(record::max_stored_bytes))
    refuse(fmt::format("{} bytes as {}", value.getBytes(), column));
  text = value.getString();
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    refuse(fmt::format("broken text as {}", column));
  if (rule.text == record::Text::time && !is_point_in_time(text))
    refuse(fmt::format("'{}' as {}, which is no time", printable(text, 40), column));
  if (rule.text == record::Text::id && !is_plain_name(text, record::max_id_bytes))
    refuse(
        fmt::format("'{}' as {}, which is no id", printable(text, record::max_id_bytes), column));
}

void Row::read(const char* column, double& number, const Rule& rule) const {
  const SQLite::Column value = statement_.getColumn(column);
  number = value.getDouble();
  if (!rule.finite && value.isNull())
    number = std::numeric_limits<double>::quiet_NaN();
  else if (!(value.isFloat() || value.isInteger()) || !std::isfinite(number))
    refuse(fmt::format("no number as {}", column));
  else if (!rule.allows(number))
    refuse(fmt::format("{} as {}", number, column));
}

void Row::read(const char* column, std::int64_t& number, const Rule& rule) const {
  const SQLite::Column value = statement_.getColumn(column);
  if (!value.isInteger()) refuse(fmt::format("no integer as {}", column));
  number = value.getInt64();
  if (static_cast<double>(number) < rule.least) refuse(fmt::format("{} as {}", number, column));
}

void Row::read(const char* column, int& number, const Rule& rule) const {
  std::int64_t wide = 0;
  read(column, wide, rule);
  number = static_cast<int>(wide);
  if (number != wide) refuse(fmt::format("{} as {}", wide, column));
}

void Row::read(const char* column, std::uint64_t& number, const Rule& rule) const {
  std::int64_t same_bits = 0;
  read(column, same_bits, rule);
  number = std::bit_cast<std::uint64_t>(same_bits);
}

void Row::read(const char* column, bool& flag, const Rule&) const {
  const auto number = get<std::int64_t>(column);
  if (number != 0 && number != 1)
    refuse(fmt::format("{} as {}, which is neither 0 nor 1", number, column));
  flag = number == 1;
}

void Row::read(const char* column, record::Facts& facts, const Rule&) const {
  const std::optional<json::Value> object = json::try_parse(get<std::string>(column));
  if (!object || !object->is_object()) refuse(fmt::format("no JSON object as {}", column));
  for (const auto& [name, fact] : object->members()) {
    if (!fact.is_text()) refuse(fmt::format("a fact that is not text in {}", column));
    facts.emplace(name, fact.text());
  }
}

void Row::read(const char* column, std::vector<record::Field>& pairs, const Rule&) const {
  const std::optional<json::Value> array = json::try_parse(get<std::string>(column));
  if (!array || !array->is_array()) refuse(fmt::format("no JSON array as {}", column));
  for (const json::Value& pair : array->elements()) {
    if (!pair.is_array() || pair.size() != 2 || !pair.elements()[0].is_text() ||
        !pair.elements()[1].is_text())
      refuse(fmt::format("a field that is not a pair of texts in {}", column));
    pairs.push_back({pair.elements()[0].text(), pair.elements()[1].text()});
  }
}

void Row::read(const char* column, std::vector<double>& times, const Rule& rule) const {
  const auto size = static_cast<std::size_t>(bytes(column));
  if (size % sizeof(double) != 0)
    refuse(fmt::format("{} bytes as {}, which is not a multiple of 8 bytes", size, column));
  times.resize(size / sizeof(double));
  if (size > 0) std::memcpy(times.data(), statement_.getColumn(column).getBlob(), size);
  for (const double time : times)
    if (!rule.allows(time)) refuse(fmt::format("{} among its {}, which are times", time, column));
}

}  // namespace ridgeline::store
