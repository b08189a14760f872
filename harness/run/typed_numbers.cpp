#include "harness/run/typed_numbers.hpp"

#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::run {

std::optional<double> parse_duration(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                                                           {"s", 1},     {"m", 60},    {"h", 3600}};
  double seconds = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (failure != std::errc() || !(number >= 0)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    bool known = false;
    for (const auto& [unit, size] : units) {
      if (!text.starts_with(unit)) continue;
      seconds += number * size;
      text.remove_prefix(unit.size());
      known = true;
      break;
    }
    if (!known) return std::nullopt;
  }
  return seconds > 0 && seconds <= longest_duration_s ? std::optional(seconds) : std::nullopt;
}

double parse_budget(std::string_view text) {
  if (const auto seconds = parse_duration(text)) return *seconds;
  throw Error(
      ErrorKind::usage,
      fmt::format("--budget {} is not a duration above 0 and up to 30 days", printable(text)),
      "write 90s, 10m or 1h30m");
}

std::optional<double> parse_fraction(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double number = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (percent) number /= 100;
  return number > 0 && number < 1 ? std::optional(number) : std::nullopt;
}

}  // namespace ridgeline::run
