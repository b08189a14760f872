#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

/// Series of logs that tests and other programs make alike, from a linear congruential generator.
namespace ridgeline::stats::examples {

using Nights = std::vector<double>;

/// Sums of three numbers of the generator, with standard deviation `sd`.
inline Nights noise(std::uint32_t seed, std::size_t nights, double sd) {
  std::uint32_t state = seed;
  const auto uniform = [&] {
    state = (1103515245u * state + 12345u) & 0x7fffffffu;
    return static_cast<double>(state) / 2147483648.0;
  };
  Nights made(nights);
  for (double& night : made) {
    const double a = uniform(), b = uniform(), c = uniform();
    night = sd * 2 * (a + b + c - 1.5);
  }
  return made;
}

/// `nights` with `size` more from `at` on.
inline Nights step(Nights nights, std::size_t at, double size) {
  for (std::size_t i = at; i < nights.size(); ++i) nights[i] += size;
  return nights;
}

/// Each night keeps `phi` of the one before and adds `part` of its own; the first adds all.
inline Nights following(Nights nights, double phi, double part) {
  for (std::size_t i = 1; i < nights.size(); ++i)
    nights[i] = phi * nights[i - 1] + part * nights[i];
  return nights;
}

inline Nights random_walk(const Nights& nights) { return following(nights, 1, 1); }

}  // namespace ridgeline::stats::examples
