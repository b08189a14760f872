#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

// For kernels that repeat their work, with a result that does not depend on how often: only time
// tells.
namespace ridgeline::kernels {

/// How many times longer `run(4 * n)` takes than `run(n)`, where `run` repeats its work that often
/// and returns when it is done: each at its fastest of several turns, since another program can
/// only slow one down. n grows until starting and waiting do not count, and further while the two
/// cannot be told apart: where other programs hold the cores, a wait of a whole time slice hides
/// any shorter work. A `run` that ignores n ends at about 1, at the largest n or once it takes many
/// time slices. The tests ask for 2: work that is done once, or up to a fixed number of times, is
/// found out; a fixed fraction of it is not.
template <class Run>
double time_of_fourfold(Run run) {
  constexpr double long_enough = 2e-3;  // seconds; a launch and a wait take some 1e-5
  constexpr double telling = 0.2;       // seconds; a time slice takes some 4e-3
  constexpr std::int64_t most = std::int64_t{1} << 22;
  constexpr int turns = 9;
  const auto seconds = [&](std::int64_t times) {
    const auto begin = std::chrono::steady_clock::now();
    run(times);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto reaches = [&](std::int64_t times) {
    for (int turn = 0; turn < turns; ++turn)
      if (seconds(times) < long_enough) return false;
    return true;
  };
  std::int64_t n = 1;
  while (n < most && !reaches(n)) n *= 2;
  for (;; n *= 2) {
    double once = seconds(n), fourfold = seconds(4 * n);
    for (int turn = 1; turn < turns; ++turn) {
      once = std::min(once, seconds(n));
      fourfold = std::min(fourfold, seconds(4 * n));
    }
    if (fourfold >= 2 * once || fourfold >= telling || n >= most) return fourfold / once;
  }
}

}  // namespace ridgeline::kernels
