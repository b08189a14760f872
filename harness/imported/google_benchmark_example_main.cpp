#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <benchmark/benchmark.h>

// What there is in the wild: template arguments, named and unnamed arguments, several threads,
// counters that are no numbers, and a benchmark that fails. Tests import what it writes.

template <class T>
static void BM_Copy(benchmark::State& state) {
  std::vector<T> from(static_cast<std::size_t>(state.range(0)), T(1)), to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(T));
    benchmark::DoNotOptimize(to.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(2 * from.size() * sizeof(T)));
}
BENCHMARK(BM_Copy<float>)->Arg(64)->Arg(4096);
BENCHMARK(BM_Copy<double>)->ArgNames({"n"})->Arg(512)->UseRealTime();

static void BM_Counters(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::sqrt(2.0));
  state.counters["none"] = std::numeric_limits<double>::quiet_NaN();
  state.counters["endless"] = std::numeric_limits<double>::infinity();
  state.counters["half"] = 0.5;
  state.SetLabel("a \"label\", with\ttabs");
}
BENCHMARK(BM_Counters)->Unit(benchmark::kMicrosecond)->Threads(2);

static void BM_Fails(benchmark::State& state) {
  state.SkipWithError("no such device");
  for (auto _ : state) {
  }
}
BENCHMARK(BM_Fails);

BENCHMARK_MAIN();
