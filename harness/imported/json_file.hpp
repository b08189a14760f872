#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_stream.hpp"

/// What the readers of JSON files share.
namespace ridgeline::imported {

/// json::read_elements; what it finds wrong is refused with its line, and so is a value of another
/// type than `take` asked for.
json::Value read_json(std::istream& stream, const std::string& file,
                      const std::vector<std::string>& paths,
                      const std::function<void(json::Element&&)>& take);

/// A number, also where it is written as a text; "NaN", "nan" and the infinities become what they
/// say. Absent when the value is null or anything else.
std::optional<double> number_of(const json::Value& value);
std::optional<double> number_of(std::string_view text);

/// A text as it is, anything else as JSON.
std::string text_of(const json::Value& value);

/// The text of a member; empty when there is none.
std::string text_at(const json::Value& object, std::string_view key);

}  // namespace ridgeline::imported
