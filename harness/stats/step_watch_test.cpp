#include "harness/stats/step_watch.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/noise_examples.hpp"

namespace ridgeline::stats {
namespace step_watch_test {

using examples::following;
using examples::Nights;
using examples::noise;
using examples::random_walk;
using examples::step;

StepWatch watched(const Nights& nights, WatchRules rules = {}) {
  StepWatch watch(rules);
  for (const double night : nights) watch.add(night);
  return watch;
}

std::string in_words(const LevelStep& one) {
  const Look& look = looks()[one.look];
  return fmt::format("with {} nights: {} [{}, {}], {:.4f} -> {:.4f}, {}/{}@{}, {:.2f}{}{}",
                     one.told, one.place.at, one.place.earliest, one.place.latest, one.before,
                     one.after, look.after, look.before, look.seen, one.score,
                     one.undoes ? ", undoes" : "", one.mode ? ", mode" : "");
}

std::vector<std::string> told(const Nights& nights, WatchRules rules = {}) {
  const StepWatch watch = watched(nights, rules);
  std::vector<std::string> all;
  for (const LevelStep& one : watch.steps()) all.push_back(in_words(one));
  return all;
}

using Told = std::vector<std::string>;

TEST(StepWatch, AnOutlierCostsTimeButTellsNothing) {
  const Nights nights{0,    .006, -.004, .011,  -.008, .003, .001,  -.006, .009, -.002, .004, -.010,
                      .150, .002, .007,  -.003, 0,     .005, -.007, .001,  .052, .047,  .058, .049,
                      .044, .055, .050,  .046,  .053,  .048, .051,  .047,  .056, .049};
  const StepWatch watch = watched(nights);
  EXPECT_NEAR(watch.noise()->sd, .008506, 5e-7);
  EXPECT_NEAR(watch.noise()->phi, 0, 5e-4);
  EXPECT_EQ(told(nights), Told{"with 32 nights: 20 [20, 20], 0.0015 -> 0.0500, 14/14@14, 1.09"});
}

TEST(StepWatch, AFortnightFarFromAllFortnightsIsToldAmongOutliers) {
  const auto nights = [](std::size_t at) {
    Nights made = step(noise(1, at + 20, .01), at, .03);
    for (std::size_t i = 7; i < made.size(); i += 20) made[i] += i / 20 % 2 == 1 ? .08 : -.08;
    return made;
  };
  const StepWatch watch = watched(nights(90));
  ASSERT_EQ(watch.steps().size(), 1u);
  EXPECT_TRUE(looks()[watch.steps()[0].look].is_of_a_fortnight());
  EXPECT_LE(watch.steps()[0].told, 104u);
  EXPECT_EQ(told(nights(50)), Told{}) << "too few fortnights yet";
  Nights wave = nights(90);
  for (std::size_t i = 0; i < wave.size(); ++i)
    wave[i] += .01 * std::sin(.2 * static_cast<double>(i));
  EXPECT_EQ(told(wave), Told{}) << "fortnights that are that far apart anyway";
}

TEST(StepWatch, ALargeStepIsToldAfterTwoNights) {
  EXPECT_EQ(told(step(noise(1, 26, .003), 20, .06)),
            Told{"with 22 nights: 20 [20, 20], 0.0006 -> 0.0596, 2/3@2, 1.26"})
      << "20 standard deviations, of which 20 nights are known";
  EXPECT_EQ(told(step(noise(7, 90, .01), 70, .03)),
            Told{"with 75 nights: 70 [69, 70], -0.0008 -> 0.0344, 7/14@7, 1.36"});
}

TEST(StepWatch, WanderDoesNotHideADoubling) {
  const Nights walk = random_walk(noise(2, 100, .001));
  EXPECT_EQ(told(walk), Told{});
  EXPECT_NEAR(watched(walk).noise()->sd, .000759, 5e-7);
  EXPECT_NEAR(watched(walk).noise()->phi, .958, 5e-4);
  EXPECT_EQ(told(step(walk, 80, std::log(2.0))),
            Told{"with 82 nights: 80 [80, 80], -0.0037 -> 0.6875, 2/3@2, 43.37"});
  const Nights wander = following(noise(6, 100, .01), .95, .3122);
  EXPECT_EQ(told(wander), Told{});
  EXPECT_EQ(told(step(wander, 80, std::log(1.25))),
            Told{"with 82 nights: 80 [80, 80], -0.0097 -> 0.2043, 2/3@2, 5.74"});
}

TEST(StepWatch, WeekendsTellNothing) {
  Nights weekends = noise(3, 120, .006);
  for (std::size_t i = 0; i < weekends.size(); ++i) weekends[i] += i % 7 >= 5 ? .02 : 0;
  EXPECT_EQ(told(weekends), Told{});
  EXPECT_EQ(told(step(weekends, 100, .05)),
            Told{"with 106 nights: 100 [100, 100], 0.0059 -> 0.0570, 7/14@7, 2.32"});
}

TEST(StepWatch, SingleNightsTellNothing) {
  Nights nights = noise(4, 90, .01);
  nights[30] += .7;
  nights[60] += .7;
  EXPECT_EQ(told(nights), Told{});
}

TEST(StepWatch, WaitsWhereNightsAsFarOffAreUsual) {
  Nights nights = noise(4, 200, .01);
  for (const std::size_t slow : {12, 55, 94, 118, 137, 160, 161}) nights[slow] += .5;
  EXPECT_EQ(told(nights), Told{}) << "nor of two in a row";
  const auto told_with = [&](double size) {
    const StepWatch watch = watched(step(nights, 190, size));
    EXPECT_EQ(watch.steps().size(), 1u);
    EXPECT_EQ(watch.steps()[0].place.at, 190u);
    return watch.steps()[0].told;
  };
  EXPECT_EQ(told_with(.8), 193u);
  EXPECT_EQ(told_with(-.8), 192u) << "none was that fast";
  EXPECT_EQ(told_with(1.2), 192u) << "nor half that slow";
}

TEST(StepWatch, TellsThatAStepWasTakenBack) {
  const Nights nights = step(step(noise(5, 60, .005), 30, .2), 40, -.2);
  EXPECT_EQ(told(nights),
            (Told{"with 32 nights: 30 [30, 30], -0.0002 -> 0.1997, 2/3@2, 2.60",
                  "with 42 nights: 40 [40, 40], 0.1997 -> -0.0062, 2/7@2, 2.93, undoes"}));
  const StepWatch watch = watched(nights);
  EXPECT_EQ(watch.steps()[0].undone, 42u);
  EXPECT_EQ(watch.steps()[1].undoes, 0u);
  EXPECT_FALSE(watch.steps()[1].undone.has_value());
}

TEST(StepWatch, TellsThatASpellOfTwoNightsIsOver) {
  const Nights nights = step(step(noise(5, 80, .005), 30, .45), 32, -.45);
  const StepWatch watch = watched(nights);
  ASSERT_EQ(watch.steps().size(), 2u);
  EXPECT_EQ(watch.steps()[0].told, 32u);
  EXPECT_EQ(watch.steps()[0].undone, 34u);
  EXPECT_EQ(watch.steps()[1].undoes, 0u);
  EXPECT_EQ(watch.steps()[1].place.at, 32u);
  EXPECT_NEAR(watch.size_of(0).after - watch.size_of(0).before, .45, .01);
  EXPECT_GT(watch.size_of(0).step.low, .4);
}

TEST(StepWatch, ASpellThatFadesIsUndoneAsLargeAsItWasTold) {
  Nights nights = noise(5, 80, .005);
  for (const std::size_t slow : {30, 31, 33}) nights[slow] += .3;
  const StepWatch watch = watched(nights);
  ASSERT_EQ(watch.steps().size(), 1u);
  EXPECT_EQ(watch.steps()[0].told, 32u);
  EXPECT_TRUE(watch.steps()[0].faded);
  EXPECT_LE(watch.steps()[0].undone, 44u);
  EXPECT_NEAR(watch.size_of(0).after - watch.size_of(0).before, .3, .01);
}

TEST(StepWatch, SpellsThatFadeAreToldOnceUnlessTheyGrow) {
  Nights nights = noise(5, 150, .005);
  for (const std::size_t slow : {30, 31, 33, 60, 61, 63, 90, 91, 93}) nights[slow] += .3;
  for (const std::size_t slow : {120, 121, 123}) nights[slow] += .8;
  const StepWatch watch = watched(nights);
  ASSERT_EQ(watch.steps().size(), 2u);
  EXPECT_EQ(watch.steps()[0].told, 32u);
  EXPECT_EQ(watch.steps()[1].told, 122u);
  for (const LevelStep& one : watch.steps()) EXPECT_TRUE(one.faded);
}

TEST(StepWatch, AnOldStepIsAsLargeAsItWas) {
  Nights nights = step(noise(5, 400, .003), 60, .02);
  const Nights louder = following(noise(6, 400, .06), .9, .45);
  for (std::size_t i = 150; i < nights.size(); ++i) nights[i] += louder[i];
  const StepWatch then = watched({nights.begin(), nights.begin() + 149}), later = watched(nights);
  ASSERT_GE(later.steps().size(), 1u);
  const StepSize was = then.size_of(0), is = later.size_of(0);
  EXPECT_EQ(was.before, is.before);
  EXPECT_EQ(was.after, is.after);
  EXPECT_EQ(was.step.low, is.step.low);
  EXPECT_EQ(was.step.high, is.step.high);
}

TEST(StepWatch, TellsASecondStepAfterTwoNights) {
  const StepWatch watch = watched(step(step(noise(5, 80, .005), 30, .1), 32, .18));
  ASSERT_EQ(watch.steps().size(), 2u);
  EXPECT_EQ(watch.steps()[0].place.at, 30u);
  EXPECT_EQ(watch.steps()[1].place.at, 32u);
  EXPECT_EQ(watch.steps()[1].told, 34u);
  EXPECT_NEAR(watch.size_of(0).after - watch.size_of(0).before, .1, .01);
  EXPECT_NEAR(watch.size_of(1).after - watch.size_of(1).before, .18, .01);
}

TEST(StepWatch, WhatWasToldLiesBeforeTheNightThatToldIt) {
  for (std::uint32_t seed = 0; seed < 50; ++seed)
    for (const double second : {.03, .06, .1}) {
      const StepWatch watch = watched(step(step(noise(seed, 60, .006), 30, .1), 32, second));
      for (const LevelStep& one : watch.steps()) {
        EXPECT_LT(one.place.at, one.told) << seed << " " << second;
        EXPECT_LT(one.place.latest, one.told) << seed << " " << second;
      }
    }
}

TEST(StepWatch, AClockThatIsKnownFlickersWithoutSteps) {
  Nights ticks(60, 0);
  for (const std::size_t i : {11, 12, 13, 25, 26, 40}) ticks[i] = .05;
  EXPECT_EQ(told(ticks),
            (Told{"with 13 nights: 11 [11, 11], 0.0000 -> 0.0500, 2/3@2, 5.00",
                  "with 16 nights: 14 [13, 15], 0.0500 -> 0.0000, 2/3@2, 5.00, undoes"}));
  EXPECT_EQ(told(ticks, {.least_step = .01, .tick = .05}), Told{});
  StepWatch watch;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    watch.set_tick(i < 11 ? 1e-4 : .05);  // coarser from the night of the first jump on
    EXPECT_FALSE(watch.add(ticks[i])) << i;
  }
}

TEST(StepWatch, NoiseOfEarlierShiftsHidesNoStep) {
  // Shifts and wander would count as noise that follows itself, if noise were what surrounds one
  // level; then nothing short of a month would show.
  Nights nights = following(noise(11, 140, .01), .5, .87);
  for (std::size_t i = 0; i < 100; i += 25) nights = step(nights, i, i % 50 == 0 ? .2 : -.2);
  nights = step(nights, 120, std::log(1.25));
  const StepWatch watch = watched(nights);
  ASSERT_FALSE(watch.steps().empty());
  EXPECT_EQ(watch.steps().back().place.at, 120u);
  EXPECT_LE(watch.steps().back().told, 125u);
  EXPECT_LT(watch.noise()->phi, .85);
}

TEST(StepWatch, ANewEnvironmentKeepsWhatIsKnownOfTheNoise) {
  const auto watch_both = [](bool with_boundary) {
    StepWatch watch;
    const Nights before = noise(8, 70, .003), after = step(noise(9, 9, .003), 7, .06);
    if (with_boundary) {
      for (const double night : before) watch.add(night + .5);
      watch.boundary();
      watch.boundary();  // without a night between them: the same one
    }
    for (const double night : after) watch.add(night);
    return watch;
  };
  EXPECT_TRUE(watch_both(false).steps().empty()) << "nine nights know little of their noise";
  const StepWatch watch = watch_both(true);
  ASSERT_EQ(watch.steps().size(), 1u) << "the step between the environments is none";
  EXPECT_EQ(watch.steps()[0].place.at, 77u);
  EXPECT_EQ(watch.steps()[0].told, 79u);
  EXPECT_EQ(watch.level_starts()[1], 70u);
}

TEST(StepWatch, ABeginningIsToldAsItWasOnThatNight) {
  const Nights series[] = {
      step(step(noise(21, 160, .01), 60, .05), 110, -.08),
      step(following(noise(22, 160, .01), .9, .44), 90, .3),
      step(random_walk(noise(23, 160, .004)), 100, .1),
  };
  for (const Nights& nights : series) {
    const StepWatch whole = watched(nights);
    ASSERT_FALSE(whole.steps().empty());
    StepWatch growing;
    std::size_t known = 0;
    for (std::size_t n = 0; n < nights.size(); ++n) {
      const bool news = growing.add(nights[n]);
      ASSERT_EQ(growing.steps().size(), known + (news ? 1 : 0));
      if (!news) continue;
      const LevelStep &then = growing.steps()[known], &later = whole.steps()[known];
      EXPECT_EQ(then.told, n + 1);
      EXPECT_EQ(then.told, later.told);
      EXPECT_EQ(then.first, later.first);
      EXPECT_EQ(then.look, later.look);
      EXPECT_EQ(then.score, later.score);
      EXPECT_EQ(then.after, later.after);
      EXPECT_EQ(then.mode, later.mode);
      ++known;
    }
    EXPECT_EQ(known, whole.steps().size());
  }
}

TEST(StepWatch, IsTheSameOfAnyUnitAndUpsideDown) {
  const Nights nights = step(noise(24, 120, .01), 90, .06);
  Nights other = nights;
  for (double& night : other) night = 7 - night;
  const StepWatch watch = watched(nights), turned = watched(other);
  ASSERT_EQ(watch.steps().size(), 1u);
  ASSERT_EQ(turned.steps().size(), 1u);
  EXPECT_EQ(watch.steps()[0].told, turned.steps()[0].told);
  EXPECT_NEAR(watch.steps()[0].score, turned.steps()[0].score, 1e-9);
  EXPECT_NEAR(watch.steps()[0].before, 7 - turned.steps()[0].before, 1e-9);
}

TEST(StepWatch, CallsWhatGoesToAndFroModes) {
  Nights nights = noise(25, 200, .002);
  for (std::size_t i = 0; i < nights.size(); ++i) nights[i] += i / 20 % 2 == 1 ? .1 : 0;
  const StepWatch watch = watched(nights);
  ASSERT_EQ(watch.steps().size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(watch.steps()[i].mode, i >= 3) << i;
  StepWatch again = watched(nights);
  again.boundary();
  const Nights later = step(noise(26, 30, .002), 20, .1);
  for (const double night : later) again.add(night);
  ASSERT_EQ(again.steps().size(), 10u);
  EXPECT_FALSE(again.steps()[9].mode) << "levels of another environment are no modes of this one";
}

TEST(StepWatch, SaysThatAChangeCameLittleByLittle) {
  Nights nights = noise(27, 120, .002);
  for (std::size_t i = 80; i < nights.size(); ++i) nights[i] += .0015 * static_cast<double>(i - 80);
  const StepWatch watch = watched(nights);
  ASSERT_FALSE(watch.steps().empty());
  ASSERT_TRUE(watch.steps()[0].slope.has_value());
  EXPECT_NEAR(static_cast<double>(*watch.steps()[0].slope), 80, 5);
  EXPECT_EQ(watch.steady_from(), 0u);
  const StepWatch stepped = watched(step(noise(28, 120, .01), 90, .026));
  ASSERT_EQ(stepped.steps().size(), 1u);
  EXPECT_FALSE(stepped.steps()[0].slope.has_value());
  EXPECT_EQ(stepped.steady_from(), stepped.steps()[0].place.at);
}

TEST(StepWatch, EqualNightsHaveNoStep) {
  EXPECT_EQ(told(Nights(100, 3.5)), Told{});
  EXPECT_EQ(told(step(Nights(40, 0), 30, .05)),
            Told{"with 32 nights: 30 [30, 30], 0.0000 -> 0.0500, 2/3@2, 5.00"});
  EXPECT_EQ(told(step(Nights(40, 0), 30, .009)), Told{}) << "below the least step";
}

TEST(StepWatch, OfFewerThanFiveNightsNothingIsTold) {
  StepWatch watch;
  EXPECT_FALSE(watch.noise().has_value());
  for (const double night : {0.0, .001, 3.0, 3.001}) {
    EXPECT_FALSE(watch.add(night));
    EXPECT_EQ(watch.noise().has_value(), watch.values().size() >= 4);
  }
}

TEST(StepWatch, AValueThatIsNotFiniteThrows) {
  StepWatch watch;
  EXPECT_THROW(watch.add(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(watch.add(std::numeric_limits<double>::infinity()), Error);
  EXPECT_TRUE(watch.values().empty());
}

}  // namespace step_watch_test
}  // namespace ridgeline::stats
