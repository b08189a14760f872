// Goals: `ridgeline compare` over two stores of 100,000 measurements each in less than a second,
// `ridgeline merge` of 100 folders in less than ten. Both as a user calls them, output included.
// Setting up takes half a minute.

#include <cstdio>
#include <stdexcept>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "harness/cli/main.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace {

namespace examples = store::examples;

/// Runs `ridgeline words...` with its standard output thrown away.
void ridgeline(std::vector<std::string> words) {
  words.insert(words.begin(), "ridgeline");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  std::fflush(stdout);
  const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  const int code = cli::main(static_cast<int>(arguments.size()), arguments.data());
  std::fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  close(nowhere);
  if (code != 0)
    throw std::runtime_error(fmt::format("ridgeline {} ended with {}", words.at(1), code));
}

/// A finished run of `cases` cases in each of `processes` processes, 30 samples a measurement.
void add_run(store::Store& store, const std::string& model, const std::string& id, int cases,
             int processes) {
  record::Device device = examples::device();
  device.model = model;
  store::begin(store, examples::run(id), device, examples::environment());
  store::add(store, id, {"dram.copy", 1e12, "B/s", "measured"});
  for (int replicate = 0; replicate < processes; ++replicate) {
    const std::int64_t process = store::add(store, examples::process(replicate, id));
    for (int i = 0; i < cases; ++i) {
      const record::Case info = examples::gemm_case("naive", 64 + i);
      store::add(
          store, process, info,
          examples::measurement(info, std::vector<double>(30, 1000.0 + i + 0.1 * (replicate % 7))));
    }
  }
  store::finish(store, id, record::RunStatus::finished, "2026-11-20T13:00:00Z");
}

constexpr int measurements = 100'000;

/// Two stores whose measurements are all of one run (range 0) or of a hundred, of which the latest
/// are compared.
void compare_stores(benchmark::State& state) {
  const auto runs = static_cast<int>(state.range(0));
  constexpr int cases = 500;
  store::TemporaryFolder folder;
  for (const std::string model : {"synthetic-a", "synthetic-b"}) {
    store::Store store = store::Store::create(folder / (model + ".sqlite"));
    for (int run = 0; run < runs; ++run)
      add_run(store, model, fmt::format("run-{}-{:03}", model, run), cases,
              measurements / cases / runs);
  }
  for ([[maybe_unused]] auto _ : state)
    ridgeline({"compare", "synthetic-a", "synthetic-b", "--results", folder.path().string()});
}
BENCHMARK(compare_stores)
    ->ArgName("runs")
    ->Arg(1)
    ->Arg(40)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(5);

/// Folders with a run of 110 cases in 3 processes each, as the profile quick measures them, into an
/// empty folder; and once more, when all is known.
void merge_folders(benchmark::State& state) {
  constexpr int folders = 100;
  const bool known = state.range(0) != 0;
  store::TemporaryFolder folder;
  std::vector<std::string> words{"merge", "--quiet"};
  for (int i = 0; i < folders; ++i) {
    words.push_back((folder / fmt::format("runner-{}", i)).string());
    store::Store store =
        store::Store::create(std::filesystem::path(words.back()) / "synthetic-a.sqlite");
    add_run(store, "synthetic-a", fmt::format("run-{:03}", i), 110, 3);
  }
  words.insert(words.end(), {"--results", (folder / "all").string()});
  if (known) ridgeline(words);
  for ([[maybe_unused]] auto _ : state) ridgeline(words);
}
BENCHMARK(merge_folders)
    ->ArgName("known")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

}  // namespace
}  // namespace ridgeline::cli
