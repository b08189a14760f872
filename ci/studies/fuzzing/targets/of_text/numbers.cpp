#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include <fmt/core.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/base/day.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/run/typed_numbers.hpp"

/// Durations, shares, dates, seeds and command lines as they are typed; and numbers of any size as
/// they are shown. The first byte says which.
namespace ridgeline::fuzzing::targets {

namespace {

void read_typed(std::string_view text) {
  if (const auto seconds = run::parse_duration(text)) {
    expect(*seconds > 0 && *seconds <= 30 * 24 * 3600.0, fmt::format("{} s", *seconds));
    expect(run::parse_budget(text) == *seconds, "a budget is another duration");
  } else {
    expect(!accepts({ErrorKind::usage}, [&] { run::parse_budget(text); }), "a budget of nothing");
  }
  if (const auto share = run::parse_fraction(text))
    expect(*share > 0 && *share < 1, fmt::format("a share of {}", *share));
  if (const auto day = parse_day(text)) {
    const std::chrono::year_month_day date(*day);
    expect(
        fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())) == text,
        "a day is read as another one: " + printable(text));
  }
  if (!text.empty())
    accepts({ErrorKind::usage}, [&] {
      const std::string seed = std::to_string(run::parse_seed(std::string(text)));
      expect(seed == text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)),
             "a seed is read as another one: " + seed);
    });
}

void read_line(std::string_view text) {
  const std::vector<std::string> words = shell_words(std::string(text));
  expect(shell_words(shell_line(words)) == words, "words of a line are read as others");
}

void check_shown(const std::string& shown) {
  expect(!shown.empty() && shown.size() < 1000 && is_utf8(shown), "a number is shown as: " + shown);
}

void show(Bytes bytes) {
  const auto number = [&] { return std::bit_cast<double>(std::uint64_t{bytes.number(8)}); };
  const double one = number(), other = number();
  for (const auto text : {units::time, units::duration, units::byte_rate, units::flop_rate,
                          units::bytes, units::percent, units::plain})
    check_shown(text(one));
  constexpr std::string_view names[] = {"ns", "B", "B/s", "FLOP/s", "fraction", "1", "", "W"};
  const std::string_view unit = names[bytes.number() % std::size(names)];
  check_shown(units::quantity(one, unit));
  check_shown(units::in(units::unit_for(other, unit), one));
  check_shown(units::range_in(units::unit_for(other, unit), one, other));
  check_shown(units::time_range(one, other));
  check_shown(units::counts(one, other).first);
}

void read_number(std::string_view input) {
  if (input.empty()) return;
  const std::string_view rest = input.substr(1);
  switch (input[0] % 3) {
    case 0:
      return read_typed(rest);
    case 1:
      return read_line(rest);
    default:
      show(Bytes(rest));
  }
}

std::vector<std::string> number_seeds() {
  std::vector<std::string> seeds;
  for (const char* typed :
       {"1h30m", "200ns", "0.5s", "90s", "3%", "0.03", "2026-01-31", "18446744073709551615", "007"})
    seeds.push_back(std::string(1, '\0') + typed);
  seeds.push_back("\x01run 'a b' c\\ d '' 'it'\\''s'");
  for (const double number : {0.0, 1.0, 999.6, -1e308, 5e-324, HUGE_VAL, std::nan("")}) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    seeds.push_back("\x02" + std::string(reinterpret_cast<const char*>(&bits), 8) + "\1\2\3\4");
  }
  return seeds;
}

}  // namespace

Target numbers() {
  return {
      read_number,
      number_seeds,
      256,
      {"ns", "us", "ms", "s", "m", "h", "%", "1e9", "inf", "nan", "0x1p3", "-", "+", "''", "\\"}};
}

}  // namespace ridgeline::fuzzing::targets
