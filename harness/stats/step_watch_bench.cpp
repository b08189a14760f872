// What watching a series takes, in time per night. A store of 500 cases over 1800 nights has a
// night 900,000 times.

#include <cmath>

#include <benchmark/benchmark.h>

#include "harness/stats/drift_watch.hpp"
#include "harness/stats/noise_examples.hpp"
#include "harness/stats/step_watch.hpp"

namespace ridgeline::stats {
namespace {

using examples::Nights;

constexpr std::size_t nights = 1800;
constexpr double least_step = .02;

void watch(benchmark::State& state, const Nights& series) {
  for ([[maybe_unused]] auto _ : state) {
    StepWatch steps({.least_step = least_step, .tick = 0});
    DriftWatch drift;
    for (const double night : series) {
      steps.add(night);
      benchmark::DoNotOptimize(drift.add(steps, least_step));
    }
  }
  state.counters["time/night"] = benchmark::Counter(
      static_cast<double>(series.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

const Nights quiet = examples::noise(1, nights, .003);

void watch_quiet(benchmark::State& state) { watch(state, quiet); }
BENCHMARK(watch_quiet)->Unit(benchmark::kMillisecond);

/// Moves are often large enough to be judged.
void watch_wander(benchmark::State& state) {
  watch(state, examples::following(examples::noise(2, nights, .03), .95, .3122));
}
BENCHMARK(watch_wander)->Unit(benchmark::kMillisecond);

/// A step every 40 nights.
void watch_steps(benchmark::State& state) {
  Nights series = quiet;
  for (std::size_t i = 0; i < nights; ++i) series[i] += i / 40 % 2 == 1 ? .1 : 0;
  watch(state, series);
}
BENCHMARK(watch_steps)->Unit(benchmark::kMillisecond);

/// Most nights are part of a drift.
void watch_drift(benchmark::State& state) {
  Nights series = quiet;
  for (std::size_t i = 200; i < nights; ++i) series[i] += .0003 * static_cast<double>(i - 200);
  watch(state, series);
}
BENCHMARK(watch_drift)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgeline::stats
