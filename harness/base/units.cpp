#include "harness/base/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace ridgeline::units {
namespace {

constexpr std::array<std::string_view, 6> decimal_prefixes{"", "k", "M", "G", "T", "P"};
constexpr std::array<std::string_view, 6> binary_prefixes{"", "Ki", "Mi", "Gi", "Ti", "Pi"};
constexpr std::array<std::string_view, 4> time_units{"ns", "us", "ms", "s"};

int magnitude(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

/// `value` rounded to `digits` significant digits, so that 999.6 chooses the prefix of 1000.
double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int shift = digits - 1 - magnitude(value);
  const double scale = std::pow(10.0, std::abs(shift));  // a whole power of ten, so that 1e12 comes
                                                         // out as 1e12
  if (!std::isfinite(scale)) return value;
  return shift >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

/// `digits` significant digits without an exponent; whole digits are all kept ("1023").
/// Whether it is so large or so small that its zeros would fill lines.
bool is_absurd(double value) { return std::abs(value) >= 1e15 || std::abs(value) < 1e-9; }

std::string digits_of(double value, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double shown = rounded(value, digits);
  if (shown == 0) return "0";
  if (is_absurd(shown)) return fmt::format("{:.{}g}", shown, digits);
  return fmt::format("{:.{}f}", shown, std::max(0, digits - 1 - magnitude(shown)));
}

/// How many times `value` is to be divided by `step` for a number that is shown from 1 below
/// `step`, at most `last` times.
std::size_t prefix(double value, double step, std::size_t last) {
  std::size_t times = 0;
  if (!std::isfinite(value)) return 0;
  const auto shown = [](double left) { return left < 1000 ? rounded(left, 3) : std::round(left); };
  for (double left = std::abs(value); shown(left) >= step && times < last; left /= step) ++times;
  return times;
}

std::string shown(const Unit& unit, double value) {
  return fmt::format("{} {}", digits_of(value / unit.size, 3), unit.name);
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Unit unit_for(double value, std::string_view unit) {
  const bool time = unit == "ns";
  const std::size_t times =
      prefix(value, 1e3, (time ? time_units.size() : decimal_prefixes.size()) - 1);
  return {
      time ? std::string(time_units[times]) : fmt::format("{}{}", decimal_prefixes[times], unit),
      std::pow(1e3, static_cast<double>(times))};
}

std::string in(const Unit& unit, double value) {
  const double number = value / unit.size;
  return std::abs(number) < 1000 || is_absurd(number) ? shown(unit, value)
                                                      : fmt::format("{:.0f} {}", number, unit.name);
}

std::string range_in(const Unit& unit, double low, double high) {
  const auto text = [&](double value, int digits) {
    const double number = value / unit.size;
    const bool whole = std::isfinite(number) && std::abs(number) >= 1000;
    return digits_of(number, whole ? std::max(digits, magnitude(number) + 1) : digits);
  };
  int digits = 3;
  while (digits < 6 && low < high && text(low, digits) == text(high, digits)) ++digits;
  return fmt::format("{} to {} {}", text(low, digits), text(high, digits), unit.name);
}

std::string time(double ns) { return shown(unit_for(ns, "ns"), ns); }
std::string time_range(double low, double high) { return range_in(unit_for(low, "ns"), low, high); }

std::pair<std::string, std::string> counts(double first, double second) {
  constexpr double all_whole = 9007199254740992;  // 2^53: up to there every whole number is a
                                                  // double
  constexpr int most = 17;                        // digits that tell all doubles apart
  const auto text = [](double value, int digits) {
    if (std::abs(value) <= all_whole && std::trunc(value) == value)
      return fmt::format("{:.0f}", value + 0.0);
    return fmt::format("{:.{}g}", value, digits);
  };
  const double larger = std::max(std::abs(first), std::abs(second));
  // No exponent for a tenth more or less.
  int digits = larger >= 1e4 && larger < 1e14 ? magnitude(larger) + 2 : 4;
  while (digits < most && first != second && text(first, digits) == text(second, digits)) ++digits;
  return {text(first, digits), text(second, digits)};
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || std::abs(seconds) > 1e15) return fmt::format("{} s", seconds);
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  const double least = total == 0 ? 0 : 0.05;  // what took time never reads "0 s"
  if (total < 10 && std::abs(seconds - static_cast<double>(total)) > least)
    return time(seconds * 1e9);
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} h {:02} min", total / 3600, total % 3600 / 60);
}

std::string byte_rate(double bytes_per_s) {
  return shown(unit_for(bytes_per_s, "B/s"), bytes_per_s);
}
std::string flop_rate(double flops_per_s) {
  return shown(unit_for(flops_per_s, "FLOP/s"), flops_per_s);
}

std::string bytes(double count) {
  const std::size_t times = prefix(count, 1024, binary_prefixes.size() - 1);
  const double value = count / std::pow(1024.0, static_cast<double>(times));
  return fmt::format("{} {}B",
                     std::abs(value) >= 1000 ? fmt::format("{:.0f}", value)
                                             : without_trailing_zeros(digits_of(value, 3)),
                     binary_prefixes[times]);
}

std::string percent(double fraction) {
  const double value = 100 * fraction;
  if (rounded(std::abs(value), 2) < 10 || !std::isfinite(value)) return digits_of(value, 2) + '%';
  return fmt::format("{:.{}f}%", value, std::abs(value) < 99.95 ? 1 : 0);
}

std::string plain(double value) {
  if (!std::isfinite(value) || value == 0) return fmt::format("{}", value);
  return std::abs(value) < 1e-4 || std::abs(value) >= 1e15
             ? fmt::format("{:.3g}", value)
             : without_trailing_zeros(digits_of(value, 3));
}

std::string quantity(double value, std::string_view unit) {
  if (unit == "ns") return time(value);
  if (unit == "B") return bytes(value);
  if (unit == "B/s") return byte_rate(value);
  if (unit == "FLOP/s") return flop_rate(value);
  if (unit == "fraction") return percent(value);
  return unit.empty() || unit == "1" ? plain(value) : fmt::format("{} {}", plain(value), unit);
}

}  // namespace ridgeline::units
