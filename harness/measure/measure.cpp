#include "harness/measure/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/kernel_calls.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/failure.hpp"
#include "harness/device/random.hpp"
#include "harness/measure/batches.hpp"
#include "harness/measure/count.hpp"
#include "harness/measure/count_metrics.hpp"
#include "harness/measure/distrust.hpp"
#include "harness/measure/energy.hpp"
#include "harness/measure/right_output.hpp"
#include "harness/measure/sensors.hpp"
#include "harness/record/rules.hpp"
#include "harness/stats/interval.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

/// Adds the wall time of a scope to `sum`, also when the scope is left by an exception.
class AddWallTime {
 public:
  explicit AddWallTime(double& sum) : sum_(sum) {}
  AddWallTime(const AddWallTime&) = delete;
  ~AddWallTime() { sum_ += watch_.ns(); }

 private:
  double& sum_;
  Stopwatch watch_;
};

/// Of a right result before timing and whatever came after, the one to be kept, with the lesser of
/// what was compared. A NaN after is never below.
record::Verification worse(const record::Verification& before, const record::Verification& after) {
  record::Verification kept = before.error > after.error ? before : after;
  kept.checked = std::min(before.checked, after.checked);
  return kept;
}

bool counts(const device::Device& device) { return device.facts().kind == device::Kind::emulated; }

std::string launch_name(device::Device& device, device::Launch launch) {
  if (launch == device::Launch::single || counts(device)) return "single";
  return device.facts().kind == device::Kind::cuda ? "graph" : "loop";
}

std::string difference(const record::Verification& verification, const char* when) {
  if (std::isnan(verification.error))
    return fmt::format("{} timing the output was not written, or holds values that are not numbers",
                       when);
  return fmt::format(
      "{} timing the output differed from the oracle's: error {:.3g}, tolerance {:.3g}", when,
      verification.error, verification.tolerance);
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
  std::optional<Batches> batches;
  Moments moments;  // of these and of the next, what is distrusted makes use
  Clocks clocks;
  double alone_ns = 0;                       // wall time of the execution that was verified
  std::optional<std::uint64_t> used_before;  // bytes of the device's memory, before the case
  std::size_t pool_before = 0;               // bytes of the pool, likewise
  std::size_t kept_before = 0;               // bytes that the device's keeper holds, likewise

  std::size_t kept() { return device().keeper() ? device().keeper()->bytes() : 0; }

  State(const Setup& given, const PrepareOptions& wanted)
      : setup(given), options(wanted), sensors(given.device) {}

  device::Device& device() { return setup.device; }
  Group& group() { return setup.group; }

  /// What the first execution has needed: memory that is in use and was not before, also what a
  /// library or the driver took, with views of the pool for what the pool has grown by, and without
  /// what is there to rotate over. Nothing may have been compared since: that takes memory, too.
  void sample_memory() {
    const std::optional<std::uint64_t> used = device().memory_in_use();
    if (!workload.samples_memory || !used || !used_before) return;
    const double grown = static_cast<double>(*used) - static_cast<double>(*used_before),
                 pool =
                     static_cast<double>(setup.inputs.bytes()) - static_cast<double>(pool_before),
                 given_back = static_cast<double>(kept_before) - static_cast<double>(kept()),
                 views = static_cast<double>(setup.inputs.taken_bytes()),
                 needed = grown + given_back - pool + views - workload.spare_bytes;
    if (needed < 0) return;  // another program has freed memory meanwhile: nothing is known
    measurement.metrics.push_back({"allocated_bytes", needed, "B", record::Direction::lower});
  }

  void allocate(const std::function<Workload(Setup&)>& prepare) {
    const AddWallTime timer(measurement.prepare_ns);
    if (options.layout != 0) held_back = {device(), layout_bytes(options.layout)};
    used_before = device().memory_in_use();
    pool_before = setup.inputs.bytes();
    kept_before = kept();
    workload = prepare(setup);
    poison_all(workload, device());  // so that the pages of every output exist before timing
    if (workload.flops > 0) measurement.flops = workload.flops;
    if (workload.bytes > 0) measurement.bytes = workload.bytes;
    measurement.buffer_sets = static_cast<std::int64_t>(workload.sets.inputs);
    measurement.metrics = workload.metrics;
  }

  /// A device that has no times has said all that it can with this.
  void verify_first() {
    if (!counts(device())) {
      execute({});
      sample_memory();
      compare({}, "before");
      return look_for_damage();
    }
    const AddWallTime timer(measurement.verify_ns);
    count(workload, device(), options.sources, measurement);
  }

  /// Compares an output, as it is, with what the oracle makes of its inputs. A rank that is wrong
  /// makes every rank wrong.
  void compare(Turn turn, const char* when) {
    const AddWallTime timer(measurement.verify_ns);
    record::Verification found = judge(turn);
    if (group().size() > 1 && group().max(found.right() ? 0.0 : 1.0) > 0 && found.right())
      found.error = std::numeric_limits<double>::infinity();
    if (!found.right() && measurement.outcome == record::Outcome::ok) {
      measurement.outcome = record::Outcome::wrong_result;
      measurement.reason = difference(found, when);
      if (workload.what_is_wrong) measurement.reason += ": " + workload.what_is_wrong(turn);
      if (workload.distrust)
        if (const std::string more = workload.distrust->finding(); !more.empty())
          measurement.reason += "; " + more;
    }
    measurement.verification =
        measurement.verification ? worse(*measurement.verification, found) : found;
  }

  /// The first output of a process goes before the oracle in any case.
  record::Verification judge(Turn turn) {
    std::optional<RightOutput> known = known_output(turn);
    if (known && measurement.verification)
      if (const auto found = known->found()) return *found;
    const record::Verification found = workload.verify(turn);
    if (known) known->keep(found);
    return found;
  }

  /// None where outputs are not known again.
  std::optional<RightOutput> known_output(Turn turn) {
    // The oracle reads a sample of a longer one, which takes less time than to read all of it.
    constexpr std::size_t most_bytes = std::size_t{32} << 20;
    const bool on_cpu = device().facts().kind == device::Kind::cpu;
    if (options.kept == nullptr || !on_cpu || !workload.bits || !workload.inputs_key)
      return std::nullopt;
    const std::span<const std::byte> bits = workload.bits(turn.output);
    if (bits.size() > most_bytes) return std::nullopt;
    return RightOutput(
        *options.kept,
        fmt::format("{} {} {} {}", options.case_name, setup.seed,
                    static_cast<int>(setup.distribution), workload.inputs_key(turn.inputs)),
        bits);
  }

  /// Launches once on a poisoned output.
  void execute(Turn turn) {
    const AddWallTime timer(measurement.verify_ns);
    workload.poison(turn.output);
    device().synchronize();
    const Stopwatch wall;
    workload.launch(turn, device().stream());
    device().synchronize();
    alone_ns = group().max(wall.ns());
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

  /// Whatever is found of a kernel that is distrusted: its times are none.
  void convict(const std::string& finding) {
    if (finding.empty() || !right_so_far()) return;
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason = finding;
  }

  void look_for_damage() {
    const AddWallTime timer(measurement.verify_ns);
    if (workload.distrust && right_so_far()) convict(workload.distrust->damage());
  }

  /// A sample of what is distrusted was just taken: now and then compares the newest output, and
  /// one more.
  void look_at_sample(double told_ns) {
    if (!workload.distrust) return;
    clocks.add(told_ns, batches->wall_ns());
    if (moments.come(measurement.samples_ns.size()))
      compare_all(to_compare(batches->left(), [](const Turn& of) { return of.inputs; }), "while");
  }

  /// Compares an output that is left by one execution, which follows others in a row that have
  /// written something else there. How many is drawn: to who counts, any may be the one.
  /// Where there are no other inputs, it finds a poisoned output instead.
  void look_behind_others() {
    constexpr std::uint64_t most_before = 8;
    const Sets& sets = workload.sets;
    const std::uint64_t before = sets.inputs > 1 ? kernel_random() % most_before : 0;
    const Turn last{kernel_random() % sets.inputs, kernel_random() % sets.outputs};
    {
      const AddWallTime timer(measurement.verify_ns);
      workload.poison(last.output);
      device().synchronize();
      for (std::uint64_t i = 0; i < before; ++i) {
        const std::size_t other = last.inputs + 1 + kernel_random() % (sets.inputs - 1);
        workload.launch({other % sets.inputs, last.output}, device().stream());
      }
      workload.launch(last, device().stream());
      device().synchronize();
    }
    compare(last, "after");
  }

  void look_at_distrusted() {
    if (!workload.distrust) return;
    look_for_damage();
    convict(clocks.invented(device().facts().kind == device::Kind::cuda));
    for (Looks looks; right_so_far() && looks.more();) look_behind_others();
    if (!right_so_far()) return;
    convict(remembered(workload, device(), options.launch, [&](Turn turn) {
      compare(turn, "on inputs that were new after");
      return right_so_far();
    }));
  }

  bool right_so_far() const { return measurement.outcome == record::Outcome::ok; }

  /// Compares what the timed executions left. Writes that again, each output from other inputs, and
  /// compares again. Where executions change their inputs, neither is known. Then launches once on
  /// a poisoned output, after all other executions.
  void verify_last() {
    if (workload.repeats) verify_timed();
    if (right_so_far()) measure_energy();
    if (!right_so_far()) return;
    const Turn last{workload.sets.inputs - 1, 0};
    execute(last);
    compare(last, "after");
    look_at_distrusted();
  }

  void verify_timed() {
    compare_all(to_compare(batches->left(), [](const Turn& of) { return of.inputs; }), "while");
    if (!right_so_far()) return;
    const std::vector<Turn> rewritten =
        to_compare(batches->left(), [&](const Turn& of) { return batches->other(of).inputs; });
    {
      const AddWallTime timer(measurement.verify_ns);
      batches->overwrite(rewritten);
    }
    compare_all(now_in(rewritten), "after");
  }

  void compare_all(const std::vector<Turn>& turns, const char* when) {
    for (const Turn& each : turns)
      if (right_so_far()) compare(each, when);
  }

  /// All outputs where comparing is cheap. A CPU would spend more time on that, and on writing them
  /// again, than on timing: it compares two. The seed prefers some sets of inputs, of those that
  /// `inputs_of` says, however many samples there are: processes that have the same inputs then
  /// mostly need the same from the oracle.
  template <class InputsOf>
  std::vector<Turn> to_compare(std::vector<Turn> left, InputsOf inputs_of) const {
    if (workload.distrust) return unforeseen(left);
    if (compares_all() || left.size() <= 2) return left;
    std::ranges::sort(left, {}, [&](const Turn& of) {
      return std::pair(device::random_bits(setup.seed, inputs_of(of)), of.output);
    });
    return {left[0], left[1]};
  }
  /// The newest output, before it can be written late, and one that nobody can foresee.
  static std::vector<Turn> unforeseen(const std::vector<Turn>& left) {
    if (left.size() < 2) return left;
    return {left.back(), left[kernel_random() % (left.size() - 1)]};
  }
  bool compares_all() const { return setup.device.facts().kind != device::Kind::cpu; }

  /// What these outputs hold by now; where comparing is cheap, whatever was written with them.
  std::vector<Turn> now_in(const std::vector<Turn>& outputs) const {
    std::vector<Turn> left = batches->left();
    if (!compares_all())
      std::erase_if(left, [&](const Turn& of) {
        return std::ranges::find(outputs, of.output, &Turn::output) == outputs.end();
      });
    return left;
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
      state.batches.emplace(state.setup, state.workload, state.options, state.alone_ns);
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
    if (!state.right_so_far()) return true;
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
    state.look_at_sample(ns);
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
