#include "harness/imported/dates.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

namespace ridgeline::imported {
namespace {

/// The number that `text` begins with, of exactly `digits` digits, which are taken away; -1 when
/// there is none.
int take_number(std::string_view& text, std::size_t digits) {
  int number = 0;
  if (text.size() < digits) return -1;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    number = 10 * number + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds that a zone lies east of UTC; false when `text` is no zone.
bool zone(std::string_view text, int& seconds) {
  if (text.empty() || text == "Z") return true;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, "+-")) return false;
  const int hours = take_number(text, 2);
  take(text, ":");
  const int minutes = text.empty() ? 0 : take_number(text, 2);
  seconds = sign * (3600 * hours + 60 * minutes);
  return text.empty() && hours >= 0 && hours <= 14 && minutes >= 0 && minutes < 60;
}

}  // namespace

std::string utc_of(std::int64_t seconds) {
  namespace chrono = std::chrono;
  constexpr std::int64_t last = 253402300799;  // of the year 9999
  if (seconds < 0 || seconds > last) return {};
  const chrono::sys_seconds time{chrono::seconds(seconds)};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string utc_of(std::string_view text) {
  namespace chrono = std::chrono;
  const int year = take_number(text, 4);
  const bool first = take(text, "-");
  const int month = take_number(text, 2);
  const bool second = take(text, "-");
  const int day = take_number(text, 2);
  const chrono::year_month_day date{chrono::year(year),
                                    chrono::month(static_cast<unsigned>(std::max(month, 0))),
                                    chrono::day(static_cast<unsigned>(std::max(day, 0)))};
  if (year < 1970 || !first || !second || !date.ok() || !take(text, "T ")) return {};
  const int hours = take_number(text, 2);
  const bool third = take(text, ":");
  const int minutes = take_number(text, 2);
  const bool fourth = take(text, ":");
  const int seconds = take_number(text, 2);
  if (!third || !fourth || hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 ||
      seconds > 59)
    return {};
  if (take(text, "."))
    while (take(text, "0123456789")) {
    }
  take(text, " ");
  int east = 0;
  if (!zone(text, east)) return {};
  const auto days = chrono::sys_days(date).time_since_epoch().count();
  return utc_of(std::int64_t{86400} * days + 3600 * hours + 60 * minutes + seconds - east);
}

}  // namespace ridgeline::imported
