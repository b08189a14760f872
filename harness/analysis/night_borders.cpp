#include "harness/analysis/night_borders.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

namespace ridgeline::analysis {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_days first_day = std::chrono::year(0) / 1 / 1,  // that dates can be written of
    last_day = std::chrono::year(9999) / 12 / 31;
constexpr days remembered{30};   // runs before that say nothing of when nights begin
constexpr int quiet_hours = 2;   // without a start on both sides of where nights begin to begin
constexpr int needed_hours = 1;  // with a start in these, nights cannot begin there any more

/// The hour of the day at which nights begin, as the runs so far have it.
class HourOfNights {
 public:
  void take(sys_seconds start) {
    taken_.push_back(start);
    ++started_[hour_of(start)];
    for (; taken_[forgotten_] < start - remembered; ++forgotten_)
      --started_[hour_of(taken_[forgotten_])];
    if (is_quiet(0, needed_hours))
      hour_ = 0;
    else if (hour_ == 0 || !is_quiet(hour_, needed_hours))
      hour_ = quiet_hour();
  }

  hours hour() const { return hours(hour_); }

  /// Of the nights that cross midnight: whether most runs start after it.
  bool starts_after_midnight() const {
    const auto begin = started_.begin(), middle = begin + hour_;
    return std::accumulate(begin, middle, 0) > std::accumulate(middle, started_.end(), 0);
  }

 private:
  static constexpr int of_a_day = 24;

  static std::size_t hour_of(sys_seconds start) {
    return static_cast<std::size_t>(floor<hours>(start - floor<days>(start)).count());
  }

  /// Whether no run starts within so many hours before and behind `hour`.
  bool is_quiet(int hour, int reach) const {
    for (int at = hour - reach; at < hour + reach; ++at)
      if (started_[static_cast<std::size_t>((at + of_a_day) % of_a_day)] > 0) return false;
    return true;
  }

  /// The nearest to midnight; 0 when runs start at all times.
  int quiet_hour() const {
    for (int away = 1; away < of_a_day / 2; ++away)
      for (const int hour : {of_a_day - away, away})
        if (is_quiet(hour, quiet_hours)) return hour;
    return 0;
  }

  std::vector<sys_seconds> taken_;
  std::size_t forgotten_ = 0;            // how many of these are too long ago
  std::array<int, of_a_day> started_{};  // how many of the others in each hour
  int hour_ = 0;
};

std::string date_of(sys_days day) {
  const std::chrono::year_month_day date = day;
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace

std::vector<Night> nights_of(std::span<const sys_seconds> starts) {
  std::vector<Night> nights;
  HourOfNights border;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    border.take(starts[i]);
    const hours begin = border.hour();
    const sys_days evening = floor<days>(starts[i] - begin);
    const sys_days morning = std::min(evening + days(begin > hours(0) ? 1 : 0), last_day);
    if (nights.empty() || floor<days>(starts[i - 1] - begin) < evening) {
      sys_days day = border.starts_after_midnight() ? morning : std::max(evening, first_day);
      if (!nights.empty()) day = std::max(day, sys_days(days(nights.back().day + 1)));
      // A run whose night has no date left, as the border has just moved, is of the night before.
      if (day <= morning) nights.push_back({date_of(day), day.time_since_epoch().count(), {}});
    }
    nights.back().runs.push_back(i);
  }
  return nights;
}

}  // namespace ridgeline::analysis
