#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

/// How noise is drawn, and put together.
namespace ridgeline::stats::zoo {

using Random = std::mt19937_64;
using Nights = std::vector<double>;
using Shifts = std::vector<std::size_t>;
/// Fills the nights; true shifts of level go to the list.
using Draw = std::function<void(Nights&, Random&, Shifts&)>;

inline double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }
inline double normal(Random& random) { return std::normal_distribution<double>()(random); }
inline double exponential(Random& random) {
  return std::exponential_distribution<double>()(random);
}
inline bool chance(Random& random, double probability) { return uniform(random) < probability; }
/// Student's t of three degrees of freedom, of variance 1.
inline double heavy(Random& random) {
  return std::student_t_distribution<double>(3)(random) / std::sqrt(3.0);
}
inline double laplace(Random& random) {
  const double magnitude = exponential(random) / std::sqrt(2.0);
  return chance(random, .5) ? magnitude : -magnitude;
}

/// Every night by itself.
template <class One>
Draw nightly(One one) {
  return [one](Nights& nights, Random& random, Shifts&) {
    for (double& night : nights) night = one(random);
  };
}

/// Every night keeps `phi` of the one before, and adds of `own`, of variance 1.
inline void follow(Nights& nights, Random& random, double phi, double (*own)(Random&) = normal) {
  double last = own(random);
  for (double& night : nights) night = last = phi * last + std::sqrt(1 - phi * phi) * own(random);
}
inline Draw following(double phi, double (*own)(Random&) = normal) {
  return [=](Nights& nights, Random& random, Shifts&) { follow(nights, random, phi, own); };
}

/// A random walk by steps of `step`, with `white` noise on it.
inline Draw walking(double step, double white) {
  return [=](Nights& nights, Random& random, Shifts&) {
    double at = 0;
    for (double& night : nights) {
      at += step * normal(random);
      night = at + white * normal(random);
    }
  };
}

/// `draw`, and `more` of it for each night by its place.
template <class More>
Draw with(const Draw& draw, More more) {
  return [=](Nights& nights, Random& random, Shifts& shifts) {
    draw(nights, random, shifts);
    for (std::size_t i = 0; i < nights.size(); ++i) nights[i] = more(nights[i], i, random);
  };
}

/// `draw`, rounded to `tick`; zero lies anywhere between two ticks when `shifted`.
inline Draw rounded(const Draw& draw, double tick, bool shifted) {
  return [=](Nights& nights, Random& random, Shifts& shifts) {
    draw(nights, random, shifts);
    const double off = shifted ? uniform(random) : 0;
    for (double& night : nights) night = tick * std::round(night / tick + off);
  };
}

/// Between two states that last `stay` nights in the mean; `one` is given the state.
template <class One>
Draw by_turns(double stay, One one) {
  return [=](Nights& nights, Random& random, Shifts&) {
    bool state = false;
    double last = normal(random);
    for (double& night : nights) {
      if (chance(random, 1 / stay)) state = !state;
      night = last = one(state, last, random);
    }
  };
}

/// Sum of six processes that forget after 1, 3, 9, ... nights.
inline void flicker(Nights& nights, Random& random, Shifts&) {
  constexpr int parts = 6;
  Nights part(nights.size());
  for (double& night : nights) night = 0;
  for (int i = 0; i < parts; ++i) {
    follow(part, random, std::exp(-1 / std::pow(3.0, i)));
    for (std::size_t t = 0; t < nights.size(); ++t) nights[t] += part[t] / std::sqrt(parts);
  }
}

/// Levels of 12 nights or more, 40 more in the mean, 8 to 30 apart.
inline void shifting(Nights& nights, Random& random, Shifts& shifts) {
  double level = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (i >= 12 && (shifts.empty() || i >= shifts.back() + 12) && chance(random, 1 / 40.0)) {
      level += (chance(random, .5) ? 1 : -1) * (8 + 22 * uniform(random));
      shifts.push_back(i);
    }
    nights[i] = level + normal(random);
  }
}

/// One night in a hundred begins a burst of up to three, 5 to 20 away.
inline void bursting(Nights& nights, Random& random, Shifts&) {
  int left = 0;
  double burst = 0;
  for (double& night : nights) {
    if (left > 0) {
      --left;
    } else if (chance(random, .01)) {
      left = static_cast<int>(3 * uniform(random));
      burst = 5 + 15 * uniform(random);
    } else {
      burst = 0;
    }
    night = normal(random) + burst;
  }
}

/// A wander whose direction wanders.
inline void bending(Nights& nights, Random& random, Shifts&) {
  double at = 0, slope = 0;
  for (double& night : nights) {
    slope = .97 * slope + .01 * normal(random);
    at += slope;
    night = at + .5 * normal(random);
  }
}

/// Its loudness wanders.
inline void slowly_loud(Nights& nights, Random& random, Shifts&) {
  double loudness = 0;
  for (double& night : nights) {
    loudness = .9 * loudness + .25 * normal(random);
    night = .85 * std::exp(loudness) * normal(random);
  }
}

inline void waving(Nights& nights, Random& random, Shifts&) {
  double last = 0, before = 0;
  for (double& night : nights) {
    night = 1.6 * last - .8 * before + .27 * normal(random);
    before = last;
    last = night;
  }
}

/// Fractional noise of d = 0.4: what was long ago still counts a little.
inline void remembering(Nights& nights, Random& random, Shifts&) {
  constexpr std::size_t memory = 300;
  Nights own(nights.size() + memory), weight(memory, 1);
  for (double& one : own) one = normal(random);
  for (std::size_t k = 1; k < memory; ++k)
    weight[k] = weight[k - 1] * (static_cast<double>(k) - .6) / static_cast<double>(k);
  for (std::size_t t = 0; t < nights.size(); ++t) {
    nights[t] = 0;
    for (std::size_t k = 0; k < memory; ++k) nights[t] += .7 * weight[k] * own[t + memory - k - 1];
  }
}

inline double weekend(double night, std::size_t i, Random&) {
  return .57 * (night + (i % 7 < 2 ? 3 : 0));
}

/// One night a week is 2.3 slower, and two running of 30 are 10 to 20 slower.
inline double neighbour(double night, std::size_t i, Random& random) {
  const double monthly = i % 30 < 2 ? 10 + 10 * uniform(random) : 0;
  return .57 * (night + (i % 7 == 3 ? 4 : 0)) + monthly;
}

/// A wave of a year, and heat that stays for some days.
inline void seasons(Nights& nights, Random& random, Shifts&) {
  const double phase = 6.283 * uniform(random);
  double weather = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    weather = .8 * weather + .6 * normal(random);
    nights[i] = 2 * std::sin(static_cast<double>(i) / 365 * 6.283 + phase) +
                std::max(0.0, weather) + .6 * normal(random);
  }
}

/// Every boot, for 5 to 40 nights, chooses one of two modes 2 apart.
inline void booting(Nights& nights, Random& random, Shifts&) {
  int left = 0;
  double mode = 0;
  for (double& night : nights) {
    if (left-- == 0) {
      left = 4 + static_cast<int>(36 * uniform(random));
      mode = chance(random, .5) ? 2 : 0;
    }
    night = mode + .2 * normal(random);
  }
}

/// Every few weeks it is 0.4, 0.6 or 2 loud.
inline void loud_for_weeks(Nights& nights, Random& random, Shifts&) {
  int left = 0;
  double loudness = 0;
  for (double& night : nights) {
    if (left-- == 0) {
      left = 9 + static_cast<int>(31 * uniform(random));
      loudness = chance(random, 1.0 / 3) ? 2 : chance(random, .5) ? .4 : .6;
    }
    night = loudness * normal(random);
  }
}

}  // namespace ridgeline::stats::zoo
