#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "harness/protocol/messages.hpp"

/// Messages as JSON Lines: one object a line. `to_line` ends with the newline; the parsers take the
/// line without it.
///
/// Parsing trusts nothing: a line that is too long, not UTF-8 or no JSON, an unknown message, a
/// missing or unknown field, a wrong type, a number out of range, a case listed twice or an
/// overlong text throws an Error whose text says which, and is fit to be stored as the reason of a
/// crash: a usage Error about a request, an internal one about an answer. A hello of another
/// version throws a dependency Error that names both versions. Numbers that are not finite never
/// travel as numbers: optional ones are left out, and a verification error travels as text.
namespace ridgeline::protocol {

std::string to_line(const Request& request);
Request parse_request(std::string_view line);

std::string to_line(const AnyAnswer& answer);

/// `line` as the answer that was waited for, or as the worker's word that it could not serve the
/// request. Answer is one of AnyAnswer but Failure.
template <class Answer>
std::variant<Answer, Failure> parse_answer(std::string_view line);

}  // namespace ridgeline::protocol
