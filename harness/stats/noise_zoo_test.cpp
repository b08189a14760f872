#include "harness/stats/noise_zoo.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "harness/stats/step_watch.hpp"

namespace ridgeline::stats {
namespace noise_zoo_test {

constexpr double sd = .01;

zoo::Nights drawn(const zoo::Kind& kind, unsigned series, std::size_t nights, zoo::Shifts& shifts) {
  zoo::Random random(series);
  zoo::Nights made(nights);
  kind.draw(made, random, shifts);
  for (double& night : made) night *= sd;
  return made;
}

/// Whether a step after 70 nights, which nothing shifts near, is told within five.
bool is_told(const zoo::Kind& kind, unsigned series, double size) {
  constexpr std::size_t at = 70;
  zoo::Shifts shifts;
  zoo::Nights nights;
  do {
    shifts.clear();
    nights = drawn(kind, series, at + 5, shifts);
    series += 1000;
  } while (!shifts.empty() && shifts.back() >= at - 11);
  StepWatch watch;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    double night = nights[i] + (i >= at ? std::log1p(size) : 0);
    if (kind.tick > 0) night = kind.tick * sd * std::round(night / (kind.tick * sd));
    watch.add(night);
  }
  return std::ranges::any_of(watch.steps(), [](const LevelStep& step) {
    return step.told > at && step.place.at + 7 >= at;
  });
}

// The tables of docs/trend.md in small: seeds are fixed, so that the same comes out.
TEST(NoiseZoo, LargeStepsAreToldWithinFiveNightsInEveryKind) {
  constexpr unsigned series = 20;
  for (const zoo::Kind& kind : zoo::kinds())
    for (const double size : {.25, 1.0}) {
      unsigned told = 0;
      for (unsigned i = 0; i < series; ++i) told += is_told(kind, i, size) ? 1 : 0;
      EXPECT_GE(told, size < 1 && kind.tick > 1 ? series - 2 : series - 1)
          << kind.name << " +" << size;
    }
}

TEST(NoiseZoo, FewChangesAreToldThatAreNotThere) {
  constexpr unsigned series = 10;
  std::size_t all = 0;
  for (const zoo::Kind& kind : zoo::kinds()) {
    const std::string name = kind.name;
    // Levels do move in these, if for two outliers or two nights of a neighbour running, or the
    // tick does not show yet.
    if (name.starts_with("bursts") || name.ends_with("10 nights, 4 apart") ||
        name.ends_with("10 to 80") || name.starts_with("a mode a boot") ||
        name.starts_with("a neighbour") || kind.tick > 0)
      continue;
    for (unsigned i = 0; i < series; ++i) {
      zoo::Shifts shifts;
      StepWatch watch;
      for (const double night : drawn(kind, i, 365, shifts)) watch.add(night);
      for (const LevelStep& step : watch.steps()) {
        if (step.undoes) continue;  // no change of its own
        all +=
            std::ranges::any_of(shifts,
                                [&](std::size_t shift) {
                                  return step.place.at + 3 >= shift && step.place.at <= shift + 3;
                                })
                ? 0
                : 1;
      }
    }
  }
  EXPECT_LE(all, 15u) << "of " << series << " series of a year of each kind";
}

}  // namespace noise_zoo_test
}  // namespace ridgeline::stats
