#pragma once

#include <span>
#include <vector>

#include "harness/stats/noise_draws.hpp"

/// Kinds of noise that series of nights have, or that are hard: none has a step to be told. Their
/// standard deviation is about 1, but for outliers and for what wanders.
namespace ridgeline::stats::zoo {

struct Kind {
  const char* name;
  Draw draw;
  double tick = 0;  // that values are rounded to
};

inline std::span<const Kind> kinds() {
  static const std::vector<Kind> all = {
      {"white", nightly(normal)},
      {"AR(1), 0.3", following(.3)},
      {"AR(1), 0.6", following(.6)},
      {"AR(1), 0.85", following(.85)},
      {"AR(1), 0.95", following(.95)},
      {"half AR(1), 0.95, half white", with(following(.95),
                                            [](double night, std::size_t, Random& random) {
                                              return std::sqrt(.5) * (night + normal(random));
                                            })},
      {"random walk of 0.3", walking(.3, 0)},
      {"random walk of 0.15, and white", walking(.15, 1)},
      {"1/f", flicker},
      {"white, with earlier shifts", shifting},
      {"Student's t, 3 degrees", nightly(heavy)},
      {"Student's t, 2 degrees", nightly([](Random& random) {
         return .5 * normal(random) / std::sqrt(exponential(random));
       })},
      {"Laplace", nightly(laplace)},
      {"AR(1), 0.6, of Student's t", following(.6, heavy)},
      {"exponential tail", nightly([](Random& random) { return exponential(random) - 1; })},
      {"2% outliers", nightly([](Random& random) {
         const double off = chance(random, .02) ? 5 + 15 * uniform(random) : 0;
         return normal(random) + off;
       })},
      {"5% outliers on both sides", nightly([](Random& random) {
         const double off = chance(random, .05) ? 8 * normal(random) : 0;
         return normal(random) + off;
       })},
      {"AR(1), 0.7, with 3% outliers",
       with(following(.7),
            [](double night, std::size_t, Random& random) {
              return night + (chance(random, .03) ? 10 * exponential(random) : 0);
            })},
      {"two modes 70:30, 3 apart", nightly([](Random& random) {
         const double mode = chance(random, .3) ? 3 : 0;
         return (normal(random) + mode - .9) / std::sqrt(1 + 9 * .21);
       })},
      {"two modes 90:10, 10 apart", nightly([](Random& random) {
         const double mode = chance(random, .1) ? 3 : 0;
         return .3 * normal(random) + mode;
       })},
      {"two modes 50:50, 6 apart", nightly([](Random& random) {
         const double mode = chance(random, .5) ? .9 : -.9;
         return .3 * normal(random) + mode;
       })},
      {"two modes of 10 nights, 4 apart",
       by_turns(10, [](bool high, double,
                       Random& random) { return .5 * normal(random) + (high ? 2 : 0); })},
      {"bursts of 1 to 3 nights", bursting},
      {"rounded to 1", rounded(nightly(normal), 1, false), 1},
      {"rounded to 5", rounded(nightly(normal), 5, true), 5},
      {"AR(1), 0.9, rounded to 3", rounded(following(.9), 3, true), 3},
      {"weekends 3 higher", with(nightly(normal), weekend)},
      {"AR(1), 0.6, weekends 3 higher", with(following(.6), weekend)},
      {"monthly wave of 2",
       [](Nights& nights, Random& random, Shifts&) {
         const double phase = 7 * uniform(random);
         for (std::size_t i = 0; i < nights.size(); ++i)
           nights[i] =
               .58 * (normal(random) + 2 * std::sin(static_cast<double>(i) / 30 * 6.283 + phase));
       }},
      {"AR(2), waves of 13 nights", waving},
      {"AR(1), 0.85, with gaps",
       [](Nights& nights, Random& random, Shifts&) {
         double last = normal(random);
         for (double& night : nights) {
           do last = .85 * last + std::sqrt(1 - .7225) * normal(random);
           while (chance(random, .3));
           night = last;
         }
       }},
      {"spells three times as loud",
       by_turns(40, [](bool loud, double,
                       Random& random) { return (loud ? 1.35 : .45) * normal(random); })},
      {"slow volatility", slowly_loud},
      {"drift of 0.02 a night",
       with(nightly(normal), [](double night, std::size_t i,
                                Random&) { return night + .02 * static_cast<double>(i); })},
      {"mean of four nights",
       [](Nights& nights, Random& random, Shifts&) {
         double own[4];
         for (double& one : own) one = normal(random);
         for (std::size_t i = 0; i < nights.size(); ++i) {
           own[i % 4] = normal(random);
           nights[i] = (own[0] + own[1] + own[2] + own[3]) / 2;
         }
       }},
      {"bending wander", bending},
      {"AR(1), 0.9 and 0.3 by turns", by_turns(50,
                                               [](bool slow, double last, Random& random) {
                                                 const double phi = slow ? .9 : .3;
                                                 return phi * last +
                                                        std::sqrt(1 - phi * phi) * normal(random);
                                               })},
      {"fractional, d = 0.4", remembering},
      {"random walk of 0.1, of Student's t",
       [](Nights& nights, Random& random, Shifts&) {
         double at = 0;
         for (double& night : nights) {
           at += .1 * heavy(random);
           night = at + .5 * heavy(random);
         }
       }},
      {"AR(1), 0.85, with 2% outliers",
       with(following(.85),
            [](double night, std::size_t, Random& random) {
              return night + (chance(random, .02) ? 5 + 15 * uniform(random) : 0);
            })},
      {"4% outliers of 10 to 80", nightly([](Random& random) {
         const double off = chance(random, .04) ? 10 + 70 * uniform(random) : 0;
         return normal(random) + off;
       })},
      {"6% of nights disturbed for some hours", nightly([](Random& random) {
         const double slower = 5 + 35 * uniform(random), part = uniform(random);
         return normal(random) + (chance(random, .06) ? slower * part : 0);
       })},
      {"a neighbour every week and every month", with(nightly(normal), neighbour)},
      {"summers, and hot weeks", seasons},
      {"a mode a boot, for 5 to 40 nights", booting},
      {"loudness of 10 to 40 nights", loud_for_weeks},
  };
  return all;
}

}  // namespace ridgeline::stats::zoo
