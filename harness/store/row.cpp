#include "harness/store/row.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::store {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored as this machine holds them");

std::string storable(std::string_view text) {
  if (is_utf8(text) && text.find('\0') == std::string_view::npos) return std::string(text);
  return printable(text, 4 * text.size());
}

}  // namespace

Binder& Binder::text(const char* name, std::string_view value) {
  statement_.bind(name, storable(value));
  return *this;
}

Binder& Binder::integer(const char* name, std::int64_t value) {
  statement_.bind(name, value);
  return *this;
}

Binder& Binder::count(const char* name, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw Error(ErrorKind::store, fmt::format("cannot store {} as {}: it is too large", value, name + 1));
  return integer(name, static_cast<std::int64_t>(value));
}

Binder& Binder::optional_integer(const char* name, std::optional<int> value) {
  if (value) return integer(name, *value);
  statement_.bind(name);
  return *this;
}

Binder& Binder::seed(const char* name, std::uint64_t value) {
  return integer(name, std::bit_cast<std::int64_t>(value));
}

Binder& Binder::real(const char* name, double value) {
  if (!std::isfinite(value))
    throw Error(ErrorKind::store, fmt::format("cannot store {} as {}: results are numbers", value, name + 1));
  statement_.bind(name, value);
  return *this;
}

Binder& Binder::optional_real(const char* name, std::optional<double> value) {
  if (value) return real(name, *value);
  statement_.bind(name);
  return *this;
}

Binder& Binder::facts(const char* name, const record::Facts& value) {
  json::Value object = json::Value::object();
  for (const auto& [key, fact] : value) object[storable(key)] = storable(fact);
  statement_.bind(name, object.dump());
  return *this;
}

Binder& Binder::fields(const char* name, const std::vector<record::Field>& value) {
  json::Value array = json::Value::array();
  for (const record::Field& field : value) array.push_back({storable(field.key), storable(field.value)});
  statement_.bind(name, array.dump());
  return *this;
}

Binder& Binder::times(const char* name, const std::vector<double>& values) {
  for (const double value : values)
    if (!std::isfinite(value) || value <= 0)
      throw Error(ErrorKind::store, fmt::format("cannot store {} among {}: times are positive", value, name + 1));
  statement_.bindNoCopy(name, values.data(), static_cast<int>(values.size() * sizeof(double)));
  return *this;
}

void Row::refuse(const std::string& what) const {
  const std::string id = statement_.getColumn("id").getString();
  throw Error(ErrorKind::store, fmt::format("{} {} of {} has {}", table_, printable(id), file_.string(), what),
              "the file is damaged or was changed by another program; restore it from a backup");
}

void Row::refuse_word(const std::string& written, const char* name) const {
  refuse(fmt::format("'{}' as {}, which this ridgeline does not know", printable(written), name));
}

SQLite::Column Row::column(const char* name) const { return statement_.getColumn(name); }

std::string Row::text(const char* name) const {
  const SQLite::Column value = column(name);
  if (!value.isText()) refuse(fmt::format("no text as {}", name));
  std::string text = value.getString();
  if (!is_utf8(text) || text.find('\0') != std::string::npos) refuse(fmt::format("broken text as {}", name));
  return text;
}

std::int64_t Row::integer(const char* name) const {
  const SQLite::Column value = column(name);
  if (!value.isInteger()) refuse(fmt::format("no integer as {}", name));
  return value.getInt64();
}

int Row::small(const char* name, int least) const {
  const std::int64_t value = integer(name);
  if (value < least || value > std::numeric_limits<int>::max()) refuse(fmt::format("{} as {}", value, name));
  return static_cast<int>(value);
}

std::uint64_t Row::count(const char* name) const {
  const std::int64_t value = integer(name);
  if (value < 0) refuse(fmt::format("{} as {}", value, name));
  return static_cast<std::uint64_t>(value);
}

bool Row::flag(const char* name) const { return integer(name) != 0; }

std::uint64_t Row::seed(const char* name) const { return std::bit_cast<std::uint64_t>(integer(name)); }

double Row::real(const char* name) const {
  const SQLite::Column value = column(name);
  const double number = value.getDouble();
  if (!(value.isFloat() || value.isInteger()) || !std::isfinite(number)) refuse(fmt::format("no number as {}", name));
  return number;
}

bool Row::is_null(const char* name) const { return column(name).isNull(); }

std::optional<double> Row::optional_real(const char* name) const {
  if (is_null(name)) return std::nullopt;
  return real(name);
}

record::Facts Row::facts(const char* name) const {
  const std::optional<json::Value> object = json::try_parse(text(name));
  if (!object || !object->is_object()) refuse(fmt::format("no JSON object as {}", name));
  record::Facts facts;
  for (const auto& [key, value] : object->members()) {
    if (!value.is_text()) refuse(fmt::format("a fact that is not text in {}", name));
    facts.emplace(key, value.text());
  }
  return facts;
}

std::vector<record::Field> Row::fields(const char* name) const {
  const std::optional<json::Value> array = json::try_parse(text(name));
  if (!array || !array->is_array()) refuse(fmt::format("no JSON array as {}", name));
  std::vector<record::Field> fields;
  for (const json::Value& pair : array->elements()) {
    if (!pair.is_array() || pair.size() != 2 || !pair.elements()[0].is_text() || !pair.elements()[1].is_text())
      refuse(fmt::format("a field that is not a pair of texts in {}", name));
    fields.push_back({pair.elements()[0].text(), pair.elements()[1].text()});
  }
  return fields;
}

std::vector<double> Row::times(const char* name) const {
  const SQLite::Column value = column(name);
  if (value.isNull()) return {};
  const auto bytes = static_cast<std::size_t>(value.getBytes());
  if (!value.isBlob() || bytes % sizeof(double) != 0)
    refuse(fmt::format("{} bytes as {}, which is not a multiple of 8 bytes", bytes, name));
  std::vector<double> times(bytes / sizeof(double));
  if (bytes > 0) std::memcpy(times.data(), value.getBlob(), bytes);
  for (const double time : times)
    if (!std::isfinite(time) || time <= 0) refuse(fmt::format("{} among its {}, which are positive times", time, name));
  return times;
}

}  // namespace ridgeline::store
