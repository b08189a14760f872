#include "harness/worker/google_benchmark.hpp"

#include <algorithm>
#include <string_view>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/measure/measure.hpp"

namespace ridgeline::worker {
namespace {

/// The device, opened with the first case, so that listing touches none.
struct Bench {
  const Program& program;
  std::string device_id;
  measure::Group alone{};
  std::unique_ptr<device::Device> device{};
  std::unique_ptr<measure::InputPool> inputs{};
  bool wrong = false;

  void open() {
    if (!device) {
      device = program.open(device_id);
      inputs = std::make_unique<measure::InputPool>(*device, 1);
    }
    inputs->rewind();
  }
};

void count(benchmark::State& state, const record::Measurement& measured) {
  const double seconds = *measured.median_ns * 1e-9;
  if (measured.flops && *measured.flops > 0)
    state.counters["TFLOP/s"] = *measured.flops / seconds / 1e12;
  if (measured.bytes && *measured.bytes > 0)
    state.counters["GB/s"] = *measured.bytes / seconds / 1e9;
  if (measured.relative_spread) state.counters["noise%"] = 100 * *measured.relative_spread;
  state.counters["samples"] = static_cast<double>(measured.samples_ns.size());
  for (const record::Metric& metric : measured.metrics) state.counters[metric.name] = metric.value;
  if (measured.outcome != record::Outcome::ok)
    state.SetLabel(fmt::format("{}: {}", record::to_string(measured.outcome), measured.reason));
}

/// The time in seconds, or a negative one when the state has been told why there is none.
double measure_case(const Case& wanted, Bench& bench, benchmark::State& state) {
  bench.open();
  if (const device::Support support = check(wanted, bench.device->facts()); !support) {
    state.SkipWithError(support.reason().c_str());
    return -1;
  }
  measure::Experiment experiment(wanted.prepare,
                                 measure::Setup{*bench.device, *bench.inputs, bench.alone},
                                 options_of(wanted.info.id));
  if (experiment.outcome() == record::Outcome::ok) experiment.sample({});
  const record::Measurement measured = experiment.finish();
  if (!measured.median_ns) {
    bench.wrong = true;
    state.SkipWithError(fmt::format("wrong result: {}", measured.reason).c_str());
    return -1;
  }
  count(state, measured);
  return *measured.median_ns * 1e-9;
}

/// `filter`, an extended regular expression, where the end of a case's name is also the end before
/// the suffix that Google Benchmark appends to it.
std::string at_ends_of_cases(std::string_view filter) {
  std::string widened;
  std::size_t bracket = std::string_view::npos;  // where the bracket expression began that we are
                                                 // in
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const char c = filter[i];
    if (bracket != std::string_view::npos) {
      const bool first = i == bracket + 1 || (i == bracket + 2 && filter[i - 1] == '^');
      if (c == ']' && !first) bracket = std::string_view::npos;
    } else if (c == '[') {
      bracket = i;
    } else if (c == '\\' && i + 1 < filter.size()) {
      widened += c;
      widened += filter[++i];
      continue;
    } else if (c == '$') {
      widened += "(/iterations:1/manual_time)?";
    }
    widened += c;
  }
  return widened;
}

}  // namespace

int run_benchmarks(const Program& program, const std::string& device,
                   std::vector<std::string> arguments) {
  const std::vector<device::Facts> found = program.discover().devices;
  if (std::none_of(found.begin(), found.end(),
                   [&](const device::Facts& facts) { return facts.id == device; }))
    program.open(device);  // throws and says what there is, unless the id stands for several
                           // devices
  Bench bench{program, device};
  const auto kind = parse<DeviceKind>(std::string_view(device).substr(0, device.find(':')));
  const bool lists = std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument.starts_with("--benchmark_list_tests");
  });
  if (kind == DeviceKind::emulated && !lists)
    throw Error(ErrorKind::usage, fmt::format("{} has no times, and so no benchmarks", device),
                "--once CASE counts one case; `ridgeline run --device " + device +
                    "` counts many and keeps them");
  for (const Suite& suite : program.suites) {
    for (const Case& wanted : suite.cases) {
      if (wanted.info.device_kind != kind) continue;
      const auto body = [&wanted, &bench](benchmark::State& state) {
        for (auto _ : state) {
          try {
            const double seconds = measure_case(wanted, bench, state);
            if (seconds < 0) return;
            state.SetIterationTime(seconds);
          } catch (const Error& error) {
            bench.inputs.reset();  // whatever state the device is in, the next case opens it anew
            bench.device.reset();
            bench.wrong = true;
            state.SkipWithError(error.what());
            return;
          }
        }
      };
      benchmark::RegisterBenchmark(record::name(wanted.info.id).c_str(), body)
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }

  constexpr std::string_view filter = "--benchmark_filter=";
  for (std::string& argument : arguments)
    if (argument.starts_with(filter))
      argument = fmt::format("{}{}", filter,
                             at_ends_of_cases(std::string_view(argument).substr(filter.size())));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1)
    throw Error(ErrorKind::usage, fmt::format("unknown argument '{}'", argv[1]),
                "--help shows what there is");
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (ran == 0)
    throw Error(ErrorKind::usage, fmt::format("no case for {} matches the filter", device),
                "--benchmark_list_tests lists the cases");
  return bench.wrong ? 2 : 0;
}

}  // namespace ridgeline::worker
