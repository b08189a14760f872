// Goal: at least one million samples a second both ways, as measurements of 100 samples with one
// transaction each for writing, that is ten thousand transactions a second.

#include <benchmark/benchmark.h>

#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/series.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace {

constexpr int samples_each = 100;

/// As a real run writes them: telemetry, verification and one metric each, a few hundred cases,
/// three processes.
void add_measurements(Store& store, std::int64_t process, int first, int count) {
  constexpr int cases = 300;
  record::Measurement m =
      examples::measurement(examples::gemm_case(), std::vector<double>(samples_each, 1234.5));
  for (int i = first; i < first + count; ++i) {
    const record::Case info = examples::gemm_case("naive", 64 + i % cases);
    m.case_name = record::name(info.id);
    m.attempt = 1 + i / cases;
    add(store, process, info, m);
  }
}

void write_samples(benchmark::State& state) {
  constexpr int batch = 1000;
  TemporaryFolder folder;
  Store store = Store::create(folder / "synthetic-gpu.sqlite");
  begin(store, examples::run(), examples::device(), examples::environment());
  const std::int64_t process = add(store, examples::process());
  int written = 0;
  for ([[maybe_unused]] auto _ : state) {
    add_measurements(store, process, written, batch);
    written += batch;
  }
  state.counters["samples/s"] =
      benchmark::Counter(1.0 * written * samples_each, benchmark::Counter::kIsRate);
  state.counters["transactions/s"] = benchmark::Counter(written, benchmark::Counter::kIsRate);
}
BENCHMARK(write_samples)->UseRealTime()->Unit(benchmark::kMillisecond);

/// As a gate writes them: in each of its rounds two processes, and a pair of measurements a case.
void write_pairs(benchmark::State& state) {
  constexpr int cases = 100;
  TemporaryFolder folder;
  Store store = Store::create(folder / "synthetic-gpu.sqlite");
  const record::Gate gate = examples::gate();
  for (const std::string& side : {gate.baseline_run, gate.candidate_run})
    begin(store, examples::side(gate, side), examples::device(), examples::environment());
  begin(store, gate);
  int rounds = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::int64_t baseline = add(store, examples::process(rounds, gate.baseline_run)),
                       candidate = add(store, examples::process(rounds, gate.candidate_run));
    for (int i = 0; i < cases; ++i) {
      const record::Case info = examples::gemm_case("naive", 64 + i);
      const record::Measurement m =
          examples::measurement(info, std::vector<double>(samples_each, 1234.5));
      const std::int64_t a = add(store, baseline, info, m), b = add(store, candidate, info, m);
      record::Pair pair = examples::pair(info, rounds);
      pair.baseline_ns = pair.candidate_ns = 1234.5;
      add(store, gate.id, pair, a, b);
    }
    ++rounds;
  }
  state.counters["pairs/s"] = benchmark::Counter(1.0 * rounds * cases, benchmark::Counter::kIsRate);
}
BENCHMARK(write_pairs)->UseRealTime()->Unit(benchmark::kMillisecond);

void read_samples(benchmark::State& state) {
  constexpr int stored = 10'000;
  TemporaryFolder folder;
  {
    Store store = Store::create(folder / "synthetic-gpu.sqlite");
    begin(store, examples::run(), examples::device(), examples::environment());
    add_measurements(store, add(store, examples::process()), 0, stored);
  }
  std::int64_t read = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Store store = Store::open(folder / "synthetic-gpu.sqlite");
    for (const StoredMeasurement& m : store::measurements(store, examples::run().id, Samples::read))
      read += static_cast<std::int64_t>(m.measurement.samples_ns.size());
  }
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(read), benchmark::Counter::kIsRate);
}
BENCHMARK(read_samples)->UseRealTime()->Unit(benchmark::kMillisecond);

/// What reads 10,000 measurements without their samples, as often as it is asked.
void read_medians(benchmark::State& state, void (*read)(Connection& connection)) {
  constexpr int stored = 10'000;
  TemporaryFolder folder;
  Store store = Store::create(folder / "synthetic-gpu.sqlite");
  begin(store, examples::run(), examples::device(), examples::environment());
  add_measurements(store, add(store, examples::process()), 0, stored);
  for ([[maybe_unused]] auto _ : state) read(store);
}
BENCHMARK_CAPTURE(read_medians, of_a_table, [](Connection& file) {
  store::measurements(file, examples::run().id, Samples::leave_out);
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_medians, of_a_comparison, [](Connection& file) {
  store::timings(file, examples::run().id);
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_medians, of_nights, [](Connection& file) {
  store::series_times(file, examples::run().id, [](const SeriesTime&) {});
})->Unit(benchmark::kMillisecond);

void list_runs(benchmark::State& state) {
  constexpr int stored = 10'000;
  TemporaryFolder folder;
  Store store = Store::create(folder / "synthetic-gpu.sqlite");
  begin(store, examples::run(), examples::device(), examples::environment());
  add_measurements(store, add(store, examples::process()), 0, stored);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(store::runs(store));
}
BENCHMARK(list_runs)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgeline::store
