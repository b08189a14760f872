#include "harness/measure/measure.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/failure.hpp"
#include "harness/measure/batches.hpp"
#include "harness/measure/count.hpp"
#include "harness/measure/count_metrics.hpp"
#include "harness/measure/distrusted_case.hpp"
#include "harness/measure/energy.hpp"
#include "harness/measure/judge.hpp"
#include "harness/measure/memory_use.hpp"
#include "harness/measure/sensors.hpp"
#include "harness/measure/stopwatch.hpp"
#include "harness/measure/timed_outputs.hpp"
#include "harness/record/rules.hpp"
#include "harness/stats/interval.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

bool counts(const device::Device& device) { return device.facts().kind == device::Kind::emulated; }

std::string launch_name(device::Device& device, device::Launch launch) {
  if (launch == device::Launch::single || counts(device)) return "single";
  return device.facts().kind == device::Kind::cuda ? "graph" : "loop";
}

}  // namespace

std::size_t layout_bytes(std::uint64_t layout) {
  constexpr std::uint64_t alignment = 256, places = 256;
  return layout == 0 ? 0 : static_cast<std::size_t>((1 + layout % places) * alignment);
}

struct Experiment::State {
  Setup setup;
  PrepareOptions options;
  device::Buffer<std::byte> held_back;  // moves what is allocated after it
  Workload workload;
  record::Measurement measurement;
  Sensors sensors;
  std::optional<MemoryUse> memory;
  Judge judge{setup, workload, options, measurement};
  DistrustedCase distrusted{setup, workload, options, judge, measurement};
  std::optional<Batches> batches;

  State(const Setup& given, const PrepareOptions& wanted)
      : setup(given), options(wanted), sensors(given.device) {}

  device::Device& device() { return setup.device; }
  Group& group() { return setup.group; }

  void allocate(const std::function<Workload(Setup&)>& prepare) {
    const AddWallTime timer(measurement.prepare_ns);
    if (options.layout != 0) held_back = {device(), layout_bytes(options.layout)};
    memory.emplace(setup);
    workload = prepare(setup);
    poison_all(workload, device());  // so that the pages of every output exist before timing
    if (workload.flops > 0) measurement.flops = workload.flops;
    if (workload.bytes > 0) measurement.bytes = workload.bytes;
    measurement.buffer_sets = static_cast<std::int64_t>(workload.sets.inputs);
    measurement.metrics = workload.metrics;
  }

  /// A device that has no times has said all that it can with this.
  void verify_first() {
    if (counts(device())) {
      const AddWallTime timer(measurement.verify_ns);
      return count(workload, device(), options.sources, measurement);
    }
    judge.execute({});
    if (workload.samples_memory)
      if (const auto bytes = memory->needed(workload))
        measurement.metrics.push_back({"allocated_bytes", *bytes, "B", record::Direction::lower});
    judge.compare({}, "before");
    judge.look_for_damage();
  }

  /// Of one rank: others would have to wait for each other's counters.
  void measure_energy() {
    if (options.energy_budget_ns == 0 || group().size() > 1) return;
    const std::optional<Sustained> sustained =
        execute_without_pause(setup, workload, options, stats::median(measurement.samples_ns));
    if (!sustained || sustained->energy_j <= 0) return;
    for (record::Metric& metric : sustained_metrics(*sustained, workload))
      measurement.metrics.push_back(std::move(metric));
  }

  /// What the kernels need whose times are known. Only a graph of launches tells which they are.
  void add_needs_of_kernels() {
    if (counts(device()) || options.launch != device::Launch::graph || group().size() > 1) return;
    const std::vector<device::LoadedKernel> kernels =
        device().kernels_of([&](device::Stream& stream) {
          workload.launch({0, 0}, stream);
        });
    for (record::Metric& metric : loaded_metrics(kernels))
      measurement.metrics.push_back(std::move(metric));
  }

  /// Compares what the timed executions left, unless these change their inputs. Then launches once
  /// on a poisoned output, after all other executions.
  void verify_last() {
    if (workload.repeats) verify_timed(setup, workload, *batches, judge, measurement);
    if (judge.right_so_far()) measure_energy();
    if (!judge.right_so_far()) return;
    const Turn last{workload.sets.inputs - 1, 0};
    judge.execute(last);
    judge.compare(last, "after");
    distrusted.look_after_samples();
  }
};

Experiment::Experiment(const std::function<Workload(Setup&)>& prepare, Setup setup,
                       const PrepareOptions& options) {
  setup.seed = options.seed;
  setup.distribution = options.distribution;
  setup.cache = options.cache;
  setup.layout = options.layout;
  state_ = std::make_shared<State>(setup, options);
  State& state = *state_;
  record::Measurement& measurement = state.measurement;
  const AddWallTime total(measurement.total_ns);

  measurement.outcome = record::Outcome::ok;
  measurement.cache = options.cache == Cache::hot ? "hot" : "cold";
  measurement.launch = launch_name(state.device(), options.launch);
  measurement.seed = options.seed;
  try {
    state.device().forget_persisting_lines();
    state.allocate(prepare);
    state.verify_first();
  } catch (const device::KernelMistake& mistake) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = mistake.what();
  } catch (const device::Unsupported& unsupported) {
    measurement.outcome = record::Outcome::unsupported;
    measurement.reason = unsupported.instruction;
  }
  if (measurement.outcome != record::Outcome::ok) return;

  const AddWallTime timer(measurement.warmup_ns);
  Batches& batches =
      state.batches.emplace(state.setup, state.workload, state.options, state.judge.alone_ns());
  const bool steady = options.settle_budget_ns == 0 || batches.settle();
  measurement.settled = batches.warm_up() && steady;
  for (int attempt = 0; attempt < most_restarts && batches.too_short(); ++attempt)
    batches.choose_executions();
  measurement.executions_per_sample = batches.executions();
}

record::Outcome Experiment::outcome() const { return state_->measurement.outcome; }
const std::string& Experiment::reason() const { return state_->measurement.reason; }
double Experiment::flops() const { return state_->workload.flops; }
double Experiment::bytes() const { return state_->workload.bytes; }

std::vector<double> Experiment::sample(const SampleOptions& options) {
  State& state = *state_;
  record::Measurement& measurement = state.measurement;
  if (measurement.outcome != record::Outcome::ok)
    throw Error(ErrorKind::usage, fmt::format("a case that is {} cannot be sampled",
                                              record::to_string(measurement.outcome)));
  const AddWallTime total(measurement.total_ns);
  const Stopwatch wall;
  double timed = 0, dropped = 0, longest = 0;
  int restarts = 0;
  std::vector<double> taken;
  std::vector<double>& all = measurement.samples_ns;
  std::size_t next_look = static_cast<std::size_t>(std::max(options.min_samples, 1));

  const auto enough = [&] {
    if (taken.empty()) return false;
    if (!state.judge.right_so_far()) return true;
    if (taken.size() >= static_cast<std::size_t>(std::max(options.max_samples, 1))) return true;
    if (std::max(wall.ns(), timed) + longest > options.budget_ns) return true;
    if (taken.size() < next_look) return false;
    next_look = taken.size() + 1 + taken.size() / 20;  // each look sorts all samples
    return stats::relative_half_width(all).value_or(std::numeric_limits<double>::infinity()) <=
           options.target;
  };

  state.sensors.read();
  while (!state.group().agreed(enough())) {
    state.sensors.poll();
    const double ns = state.batches->run_ns();
    timed += ns;
    longest = std::max(longest, ns);
    taken.push_back(ns / static_cast<double>(state.batches->executions()));
    all.push_back(taken.back());
    state.distrusted.look_at_sample(*state.batches, all.size(), ns);
    // Warming up met slow batches only. What was taken is no sample of what is chosen now; once
    // samples were handed out their size stays.
    if (all.size() == taken.size() && state.batches->too_short() && restarts < most_restarts) {
      ++restarts;
      state.batches->choose_executions();
      measurement.executions_per_sample = state.batches->executions();
      all.clear();
      taken.clear();
      dropped = timed;
      longest = 0;
      next_look = static_cast<std::size_t>(std::max(options.min_samples, 1));
    }
  }
  state.sensors.read();
  measurement.timed_ns += timed - dropped;
  return taken;
}

record::Measurement Experiment::finish() {
  State& state = *state_;
  record::Measurement& measurement = state.measurement;
  if (measurement.outcome == record::Outcome::ok) {
    const AddWallTime total(measurement.total_ns);
    if (measurement.samples_ns.empty())
      throw Error(ErrorKind::usage, "a case cannot be finished before it was sampled");
    state.add_needs_of_kernels();
    state.verify_last();
    measurement.telemetry = state.sensors.summary();
  }
  if (measurement.outcome == record::Outcome::ok) {
    measurement.median_ns = stats::median(measurement.samples_ns);
    measurement.relative_spread = stats::relative_half_width(measurement.samples_ns);
    if (state.workload.timed_metrics)
      for (record::Metric& metric : state.workload.timed_metrics(*measurement.median_ns))
        measurement.metrics.push_back(std::move(metric));
    measurement.reason = record::disturbance(measurement.telemetry);
    if (!measurement.reason.empty()) measurement.outcome = record::Outcome::invalid_environment;
  } else {
    measurement.samples_ns.clear();  // no verified output, no time
  }
  return measurement;
}

}  // namespace ridgeline::measure
