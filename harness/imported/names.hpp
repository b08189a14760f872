#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/record/case.hpp"

/// How names of other programs become names of cases, whose grammar is
/// suite/variant/dtype/key=value,key=value.
namespace ridgeline::imported {

/// Of a case that does not say what its elements are.
inline constexpr std::string_view untyped = "untyped";

/// `text` as a word of a case's name: each byte that no word has, and '+', becomes '+' and two hex
/// digits, so that different texts stay different. Empty text becomes "+".
std::string word(std::string_view text);

/// The case that `name` is the name of; absent when it is not one of ours.
std::optional<record::CaseId> case_of(std::string_view name);

/// The last part of a path, as a word; `otherwise` when there is none.
std::string program_of(std::string_view path, std::string_view otherwise);

}  // namespace ridgeline::imported
