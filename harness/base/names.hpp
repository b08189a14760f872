#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "harness/base/error.hpp"

namespace ridgeline {

/// A row of the table that says how the values of an enumeration are written, in every file and
/// message. An enumeration that is written anywhere has `std::span<const Name<Enum>> names(Enum)`,
/// which returns its table, and the two functions below.
template <class Enum>
struct Name {
  Enum value;
  std::string_view name;
};

/// Throws an internal Error when the table lacks `value`.
template <class Enum>
requires requires(Enum value) { names(value); }
std::string_view to_string(Enum value) {
  for (const Name<Enum>& row : names(value))
    if (row.value == value) return row.name;
  throw Error(ErrorKind::internal, "a value without a name");
}

/// The value that is called `name`.
template <class Enum>
std::optional<Enum> parse(std::string_view name) {
  for (const Name<Enum>& row : names(Enum{}))
    if (row.name == name) return row.value;
  return std::nullopt;
}

}  // namespace ridgeline
