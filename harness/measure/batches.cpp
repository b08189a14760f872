#include "harness/measure/batches.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/base/error.hpp"
#include "harness/base/kernel_calls.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

constexpr std::int64_t most_executions = 10'000;  // of one sample: bounds the size of a graph
constexpr std::size_t least_window = 5;  // samples whose median tells whether a case is warm
constexpr std::size_t tries = 3;  // batches of a size before one is believed to be as slow as it
                                  // seems
constexpr double windows_in_budget = 20;  // a warm-up window lasts at least this part of the
                                          // warm-up budget
constexpr double settle_window_ns = 500e6;
constexpr double steady_clock = 0.01, steady_power = 0.03;  // relative changes that are none

bool agree(std::optional<double> before, std::optional<double> now, double relative) {
  if (!now) return true;
  return before && std::fabs(*now - *before) <= relative * *now;
}

}  // namespace

void poison_all(const Workload& workload, device::Device& device) {
  for (std::size_t output = 0; output < workload.sets.outputs; ++output) workload.poison(output);
  device.synchronize();
}

Rotation::Rotation(device::Device& device, const Workload& workload, device::Launch launch,
                   Cache cache)
    : device_(device), workload_(workload), launch_(launch), cache_(cache) {
  const auto [inputs, outputs] = workload.sets;
  require(inputs >= 1 && (outputs == 1 || outputs == inputs),
          "a workload has a buffer set, and one output or as many as inputs");
  require(cache == Cache::cold || outputs == 1, "what is hot writes one output");
  set_executions(std::max<std::int64_t>(workload.executions, 1));
  require(workload.executions == 0 || executions_ == workload.executions,
          "a fixed number of executions is a multiple or a divisor of the number of sets");
}

void Rotation::set_executions(std::int64_t wanted) {
  const auto [inputs, outputs] = workload_.sets;
  const auto sets = cache_ == Cache::hot ? 1 : static_cast<std::int64_t>(inputs);
  if (launch_ == device::Launch::single) {
    executions_ = 1;
  } else if (wanted >= sets) {
    executions_ = (wanted + sets - 1) / sets * sets;
  } else {
    executions_ = wanted;
    while (sets % executions_ != 0) ++executions_;
  }
  batches_.clear();
  batches_.resize(outputs == 1 ? inputs : 2 * batches_of_round());
  next_ = 0;
  ran_.clear();
}

std::size_t Rotation::batches_of_round() const {
  const auto executions = static_cast<std::size_t>(executions_);
  if (workload_.sets.outputs == 1) return 1;
  return std::max<std::size_t>(workload_.sets.inputs / executions, 1);
}

Turn Rotation::turn(std::size_t batch, std::size_t execution) const {
  const auto [inputs, outputs] = workload_.sets;
  if (cache_ == Cache::hot) return {batch % inputs, 0};
  if (outputs == 1) return {(batch + execution) % inputs, 0};
  const std::size_t set = (batch * static_cast<std::size_t>(executions_) + execution) % inputs;
  const std::size_t shift = batch / batches_of_round() % 2 * (inputs / 2);
  return {set, (set + shift) % outputs};
}

void Rotation::prepare_next() {
  std::unique_ptr<device::Batch>& batch = batches_[next_];
  if (batch) return;
  const auto launches = [this, number = next_](device::Stream& stream) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(executions_); ++i)
      workload_.launch(turn(number, i), stream);
  };
  batch = device_.record(launches, launch_);
}

double Rotation::run_ns() {
  prepare_next();
  if (cache_ == Cache::hot && workload_.sets.inputs > 1) {
    workload_.launch(turn(next_, 0), device_.stream());
    workload_.poison(0);
  }
  const std::int64_t start = kernel_clock_ns();
  double ns = batches_[next_]->run_ns();
  if (workload_.sample_ns) ns = workload_.sample_ns();
  wall_ns_ = static_cast<double>(kernel_clock_ns() - start);
  advance();
  return ns;
}

void Rotation::prepare_all() {
  const std::size_t next = next_;
  for (next_ = 0; next_ < batches_.size(); ++next_) prepare_next();
  next_ = next;
}

device::Batch& Rotation::start_next() {
  prepare_next();
  device::Batch& batch = *batches_[next_];
  batch.start();
  advance();
  return batch;
}

void Rotation::advance() {
  ran_.push_back(next_);
  if (ran_.size() > batches_.size()) ran_.pop_front();
  next_ = (next_ + 1) % batches_.size();
}

std::vector<Turn> Rotation::left() const {
  struct Written {
    std::size_t inputs = 0, when = 0;  // when: 0 for never
  };
  std::vector<Written> outputs(workload_.sets.outputs);
  std::size_t now = 0;
  for (const std::size_t batch : ran_)
    for (std::size_t i = 0; i < static_cast<std::size_t>(executions_); ++i) {
      const Turn of = turn(batch, i);
      outputs[of.output] = {of.inputs, ++now};
    }
  std::vector<Turn> left;
  for (std::size_t output = 0; output < outputs.size(); ++output)
    if (outputs[output].when > 0) left.push_back({outputs[output].inputs, output});
  std::ranges::sort(left, {}, [&](const Turn& of) { return outputs[of.output].when; });
  return left;
}

// As turn() has it: with many outputs, each has its turn with two sets of inputs.
Turn Rotation::other(const Turn& left) const {
  const auto [inputs, outputs] = workload_.sets;
  if (outputs == 1) return {(left.inputs + 1) % inputs, left.output};
  if (left.inputs != left.output) return {left.output, left.output};
  return {(left.output + inputs - inputs / 2) % inputs, left.output};
}

std::vector<std::size_t> Rotation::overwriting(std::vector<Turn> open) const {
  std::vector<std::size_t> batches;
  for (std::size_t i = 0; i < batches_.size() && !open.empty(); ++i) {
    const std::size_t batch = (next_ + i) % batches_.size();
    std::vector<std::optional<std::size_t>> inputs_of(workload_.sets.outputs);
    for (std::size_t execution = 0; execution < static_cast<std::size_t>(executions_);
         ++execution) {
      const Turn of = turn(batch, execution);
      inputs_of[of.output] = of.inputs;
    }
    const auto is_new = [&](const Turn& of) {
      return inputs_of[of.output] && *inputs_of[of.output] != of.inputs;
    };
    if (std::erase_if(open, is_new) > 0) batches.push_back(batch);
  }
  if (batches.empty()) batches.push_back(next_);
  return batches;
}

double Batches::run_ns() {
  rotation_.prepare_next();
  setup_.group.barrier();
  const double ns = setup_.group.max(rotation_.run_ns());
  if (recent_ns_.size() == least_window) recent_ns_.erase(recent_ns_.begin());
  recent_ns_.push_back(ns);
  return ns;
}

bool Batches::too_short() const {
  if (workload_.executions > 0) return false;
  return stats::median(recent_ns_) < floor_ns() / 2 && rotation_.executions() < most_executions;
}

void Batches::choose_executions() {
  const bool fixed = workload_.executions > 0;
  std::int64_t wanted = fixed ? workload_.executions : rotation_.executions();
  double fastest = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    rotation_.set_executions(wanted);
    recent_ns_.clear();
    const auto executions = rotation_.executions();
    const double credible = 2 * alone_ns_ * static_cast<double>(executions);
    fastest = run_ns();
    for (double spent = fastest;
         recent_ns_.size() < tries && (spent < options_.warmup_budget_ns || fastest > credible);) {
      const double ns = run_ns();
      spent += ns;
      fastest = std::min(fastest, ns);
    }
    if (fixed || fastest >= 0.9 * floor_ns() || executions >= most_executions) break;
    const double each = std::max(fastest / static_cast<double>(executions), 1.0);
    wanted = std::max(static_cast<std::int64_t>(std::ceil(floor_ns() / each)), executions + 1);
    wanted = std::min(wanted, most_executions);
  }
  poison_all(workload_, setup_.device);
  rotation_.forget();
  if (fastest <= options_.warmup_budget_ns / windows_in_budget) run_ns();
}

bool Batches::settle() {
  const Stopwatch wall;
  device::Reading before = setup_.device.read_sensors();
  const bool senses = before.sm_clock_mhz && before.power_w;
  if (!setup_.group.agreed(senses)) return true;
  choose_executions();
  for (;;) {
    const Stopwatch window;
    while (setup_.group.agreed(window.ns() < settle_window_ns)) run_ns();
    const device::Reading now = setup_.device.read_sensors();
    const bool steady = now.sm_clock_mhz && now.power_w &&
                        agree(before.sm_clock_mhz, now.sm_clock_mhz, steady_clock) &&
                        agree(before.power_w, now.power_w, steady_power);
    if (setup_.group.agreed(steady)) return true;
    if (setup_.group.agreed(wall.ns() + settle_window_ns > options_.settle_budget_ns)) return false;
    before = now;
  }
}

bool Batches::warm_up() {
  const Stopwatch wall;
  const double budget = options_.warmup_budget_ns;
  choose_executions();
  double timed = 0, previous = 0;
  std::optional<double> clock;  // of a GPU: a CPU has one a core, and they differ by the moment
  for (;;) {
    std::vector<double> window;
    double window_ns = 0;
    while (window.size() < least_window || window_ns < budget / windows_in_budget) {
      if (!setup_.group.agreed(std::max(wall.ns(), timed) + stats::median(recent_ns_) <= budget))
        return false;
      window.push_back(run_ns());
      window_ns += window.back();
      timed += window.back();
      if (too_short()) {  // chosen by runs that were slow by accident
        choose_executions();
        window.clear();
        window_ns = previous = 0;
      }
    }
    const double median = stats::median(window);
    std::optional<double> clock_now;
    if (setup_.device.facts().kind == device::Kind::cuda)
      clock_now = setup_.device.read_sensors().sm_clock_mhz;
    const bool steady = std::fabs(median - previous) <= options_.steady * median &&
                        agree(clock, clock_now, steady_clock);
    if (setup_.group.agreed(steady)) return true;
    previous = median;
    clock = clock_now;
  }
}

}  // namespace ridgeline::measure
