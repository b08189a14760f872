#include "harness/run/fraction.hpp"

#include <charconv>

namespace ridgeline::run {

std::optional<double> parse_fraction(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (percent) number /= 100;
  return number > 0 && number < 1 ? std::optional(number) : std::nullopt;
}

}  // namespace ridgeline::run
