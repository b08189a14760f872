#pragma once

#include <string>

#include "harness/protocol/messages.hpp"

/// What the fields of a message or record must say of each other, beside the rule of each. Throws an Error that calls
/// them `where`.
namespace ridgeline::protocol {

void check(const record::Case& value, const std::string& where);
void check(const record::Device& value, const std::string& where);
void check(const record::Measurement& value, const std::string& where);
void check(const Cases& answer, const std::string& where);
void check(const Devices& answer, const std::string& where);
void check(const Prepared& answer, const std::string& where);
void check(const Sample& request, const std::string& where);
template <class T>
void check(const T&, const std::string&) {}

[[noreturn]] void refuse(const std::string& failure);

}  // namespace ridgeline::protocol
