#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "harness/base/error.hpp"

namespace ridgeline {

/// A row of the table that says how the values of an enumeration are written, in every file and message.
template <class Enum>
struct Name {
  Enum value;
  std::string_view name;
};

/// Throws an internal Error when the table lacks `value`.
template <class Enum, std::size_t n>
std::string_view name_of(const Name<Enum> (&table)[n], Enum value) {
  for (const Name<Enum>& row : table)
    if (row.value == value) return row.name;
  throw Error(ErrorKind::internal, "a value without a name");
}

template <class Enum, std::size_t n>
std::optional<Enum> value_of(const Name<Enum> (&table)[n], std::string_view name) {
  for (const Name<Enum>& row : table)
    if (row.name == name) return row.value;
  return std::nullopt;
}

}  // namespace ridgeline
