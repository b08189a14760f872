#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// Numbers as people read them, with three significant digits; the only place that knows how.
/// What is not finite is shown as "nan" or "inf" with its unit, never as a number.
namespace ridgeline::units {

std::string time(double ns);  // "1.23 us"; ns to s
/// "1.23 to 1.31 us", both in ns and shown in one unit; with more digits where three would read the
/// same.
std::string time_range(double low, double high);
/// Two counts: whole numbers in full, others with four significant digits, or as many as tell them
/// apart.
std::pair<std::string, std::string> counts(double first, double second);
/// "1 case", "12 cases", "2 processes".
std::string plural(std::int64_t count, std::string_view noun);
std::string duration(double seconds);       // whole seconds: "42 s", "3 min 05 s", "2 h 07 min"
std::string byte_rate(double bytes_per_s);  // "456 GB/s"; decimal prefixes
std::string flop_rate(double flops_per_s);  // "12.3 TFLOP/s"
std::string bytes(double count);            // "64 MiB", "1.43 GiB"; binary prefixes
std::string percent(double fraction);       // 0.034 is "3.4%", 0.5617 "56.2%", 0.0028 "0.28%"
std::string plain(double value);            // "1.5", "1230000", "1.23e-07"

/// A unit that several values share, such as those of one column.
struct Unit {
  std::string name;  // "us", "GB/s"
  double size = 1;   // of one, in ns, B/s or FLOP/s
};
/// The unit in which time(), byte_rate() and flop_rate() show a value, which is in `unit`: ns, B/s
/// or FLOP/s.
Unit unit_for(double value, std::string_view unit);
/// "0.00123 ms": three significant digits, whole ones all kept.
std::string in(const Unit& unit, double value);
/// "1.23 to 1.31 us"; with more digits where three would read the same.
std::string range_in(const Unit& unit, double low, double high);

/// `value` in a stored unit: ns, B, B/s and FLOP/s get their prefixes, "fraction" is a percentage,
/// any other unit follows the plain number.
std::string quantity(double value, std::string_view unit);

}  // namespace ridgeline::units
