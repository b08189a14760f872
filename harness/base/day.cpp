#include "harness/base/day.hpp"

#include <charconv>

namespace ridgeline {

std::optional<std::chrono::sys_days> parse_day(std::string_view text) {
  unsigned year = 0, month = 0, day = 0;
  const auto number = [&](std::size_t at, std::size_t digits, unsigned& value) {
    const char* begin = text.data() + at;
    return std::from_chars(begin, begin + digits, value).ptr == begin + digits;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !number(0, 4, year) ||
      !number(5, 2, month) || !number(8, 2, day))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(month), std::chrono::day(day)};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

bool is_point_in_time(std::string_view text) {
  if (text.size() != 20 || !parse_day(text.substr(0, 10)) || text[10] != 'T' || text[19] != 'Z')
    return false;
  const auto is_number_up_to = [&](std::size_t at, char first, char second) {
    const char tens = text[at], ones = text[at + 1];
    return tens >= '0' && ones >= '0' && ones <= '9' && tens <= first &&
           (tens < first || ones <= second);
  };
  return is_number_up_to(11, '2', '3') && text[13] == ':' && is_number_up_to(14, '5', '9') &&
         text[16] == ':' && is_number_up_to(17, '6', '0');  // with the second that is put in
}

std::optional<std::chrono::sys_seconds> parse_point_in_time(std::string_view text) {
  if (!is_point_in_time(text)) return std::nullopt;
  const auto two_digits = [&](std::size_t at) {
    return (text[at] - '0') * 10 + text[at + 1] - '0';
  };
  return *parse_day(text.substr(0, 10)) + std::chrono::hours(two_digits(11)) +
         std::chrono::minutes(two_digits(14)) + std::chrono::seconds(two_digits(17));
}

}  // namespace ridgeline
