#include "harness/store/binder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::store {
namespace {

static_assert(std::endian::native == std::endian::little,
              "samples are stored as this machine holds them");

std::string storable(std::string_view text) {
  if (is_utf8(text) && text.find('\0') == std::string_view::npos) return std::string(text);
  return printable(text, 4 * text.size());
}

}  // namespace

void Binder::bind(const char*, std::string_view text, const Rule& rule) {
  if (!rule.null_when_empty || !text.empty()) statement_.bind(place_, storable(text));
}

void Binder::bind(const char* column, double number, const Rule& rule) {
  // A number that is too low is refused by the constraint that names it.
  const bool is_low = number < rule.least && number >= -rule.greatest;
  if (rule.allows(number) || (is_low && rule.finite))
    statement_.bind(place_, number);
  else if (rule.finite)
    throw Error(ErrorKind::store,
                fmt::format("cannot store {} as {}: no result can be that", number, column));
  else if (!std::isnan(number))  // as wrong as the largest number; what is none stays NULL
    statement_.bind(place_, std::numeric_limits<double>::max());
}

void Binder::bind(const char*, std::int64_t number, const Rule&) {
  statement_.bind(place_, number);
}

// A count must fit; any other number is stored as the signed one with its bits.
void Binder::bind(const char* column, std::uint64_t number, const Rule& rule) {
  const auto same_bits = std::bit_cast<std::int64_t>(number);
  if (rule.most < record::unbounded && same_bits < 0)
    throw Error(ErrorKind::store,
                fmt::format("cannot store {} as {}: it is too large", number, column));
  statement_.bind(place_, same_bits);
}

void Binder::bind(const char*, const record::Facts& facts, const Rule&) {
  json::Value object = json::Value::object();
  for (const auto& [name, fact] : facts) object[storable(name)] = storable(fact);
  statement_.bind(place_, object.dump());
}

void Binder::bind(const char*, const std::vector<record::Field>& pairs, const Rule&) {
  json::Value array = json::Value::array();
  for (const record::Field& pair : pairs)
    array.push_back({storable(pair.key), storable(pair.value)});
  statement_.bind(place_, array.dump());
}

void Binder::bind(const char* column, const std::vector<double>& times, const Rule& rule) {
  for (const double time : times)
    if (!rule.allows(time))
      throw Error(ErrorKind::store,
                  fmt::format("cannot store {} among {}: no time can be that", time, column));
  if (!times.empty())
    statement_.bindNoCopy(place_, times.data(), static_cast<int>(times.size() * sizeof(double)));
}

}  // namespace ridgeline::store
