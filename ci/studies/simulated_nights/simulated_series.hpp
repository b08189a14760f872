#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/stats/noise_zoo.hpp"

/// Series of nights that are drawn from the zoo of noise, and what is said of many of them.
namespace ridgeline::analysis::trend_study {

namespace zoo = stats::zoo;

inline constexpr double sd = .01;          // what the zoo's deviations are taken to be, in logs
inline constexpr double least_step = .01;  // of all that is told
inline constexpr std::size_t suite = 250, month = 30;  // series and nights of a suite-month
inline constexpr std::size_t year = 365;               // nights

struct Series {
  zoo::Nights nights;
  std::vector<std::size_t> shifts;  // true ones
};

/// Which of the series of a table is drawn.
struct Drawn {
  std::uint64_t table, series;
};

/// Of the kind at the place `which` of zoo::kinds(). `quiet_from`: the first night from which on
/// nothing shifts.
Series draw(std::size_t which, Drawn drawn, std::size_t nights, std::size_t quiet_from);

/// A kind of noise, at its place in zoo::kinds(); those with a tick are there twice, once with it
/// known.
struct Row {
  const zoo::Kind* kind;
  std::size_t which;
  double tick;  // in logs, where it is known; else 0
  std::string name() const;
};
/// The kinds whose names have `only` in them.
std::vector<Row> rows(const std::string& only);

std::size_t apart(std::size_t a, std::size_t b);

/// In percent, without the sign; "-" of none.
std::string share(std::int64_t part, std::int64_t all);

/// "0.25 (3)": `events` over so many suite-months.
std::string rate(std::int64_t events, double months);

}  // namespace ridgeline::analysis::trend_study
