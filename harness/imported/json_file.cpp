#include "harness/imported/json_file.hpp"

#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "harness/base/text.hpp"
#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

json::Value read_json(std::istream& stream, const std::string& file,
                      const std::vector<std::string>& paths,
                      const std::function<void(json::Element&&)>& take) {
  try {
    return json::read_elements(stream, paths, [&](json::Element&& element) {
      const std::size_t line = element.line;
      try {
        take(std::move(element));
      } catch (const json::Error& error) {
        refuse(file, line, printable(error.what(), 400));
      }
    });
  } catch (const json::StreamError& error) {
    refuse(file, error.line, printable(error.what(), 400));
  }
}

std::optional<double> number_of(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
               ? 0
               : std::numeric_limits<double>::infinity();
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::optional<double> number_of(const json::Value& value) {
  if (value.is_number()) return value.number();
  if (value.is_text()) return number_of(std::string_view(value.text()));
  return std::nullopt;
}

std::string text_of(const json::Value& value) {
  return value.is_text() ? value.text() : value.dump();
}

std::string text_at(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  return found != nullptr && !found->is_null() ? text_of(*found) : std::string();
}

}  // namespace ridgeline::imported
