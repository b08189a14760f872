#include "harness/measure/distrust.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/core.h>

#include "harness/base/kernel_calls.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

// A time below this is mostly that of a clock, a launch or a thread that wakes up.
constexpr double least_ns = 10e3;
// An honest kernel is not twice as fast on inputs only because it has seen them: all else is alike.
constexpr double of_seen = 2;
// Nor are several executions in a row nearly as fast as one, however cold that was.
constexpr double of_many = 1.5;
constexpr int pairs = 5;  // each of which must show it, so that no accident of the machine does

/// On a GPU by its own clock: to wait for one takes longer than many kernels.
double timed_ns(const Workload& workload, Turn turn, int times, device::Device& device,
                device::Launch launch) {
  const bool one_by_one = launch == device::Launch::single;
  const auto launches = [&](device::Stream& stream) {
    for (int i = 0; i < (one_by_one ? 1 : times); ++i) workload.launch(turn, stream);
  };
  if (device.facts().kind == device::Kind::cuda) {
    const std::unique_ptr<device::Batch> batch = device.record(launches, launch);
    double ns = batch->run_ns();
    for (int i = 1; one_by_one && i < times; ++i) ns += batch->run_ns();
    return ns;
  }
  const std::int64_t start = kernel_clock_ns();
  for (int i = 0; i < times; ++i) workload.launch(turn, device.stream());
  device.synchronize();
  return static_cast<double>(kernel_clock_ns() - start);
}

}  // namespace

Moments::Moments() : next_(1 + kernel_random() % 6) {}

bool Moments::come(std::size_t samples) {
  if (left_ == 0 || samples < next_) return false;
  --left_;
  next_ = samples + 1 + kernel_random() % (4 * samples + 2);
  return true;
}

void Clocks::add(double told_ns, double wall_ns) {
  if (wall_ns > 0) shares_.push_back(told_ns / wall_ns);
}

std::string Clocks::invented(bool on_gpu) const {
  if (shares_.empty()) return {};
  const double share = stats::median(shares_), least = on_gpu ? 0.05 : 0.5;
  if (share >= least && share <= 1.5) return {};
  return fmt::format(
      "the times are not those of this machine: a sample takes {} as long by the operating "
      "system's clock as by the one that it was timed with",
      share > 0 ? fmt::format("{:.3g} times", 1 / share) : "endlessly");
}

std::string remembered(const Workload& workload, device::Device& device, device::Launch launch,
                       const std::function<bool(Turn)>& is_right) {
  double most_seen = 0, most_many = 0;
  double least_unseen = std::numeric_limits<double>::infinity();
  bool keeps = true, skips = true;  // so far
  int many = 0;
  for (int pair = 0; pair < pairs && (keeps || skips); ++pair) {
    const std::uint64_t bits = kernel_random();
    // The first set was executed, whatever else was.
    const Turn turn{pair == 0 ? 0 : bits % workload.sets.inputs,
                    (bits >> 32) % workload.sets.outputs};
    // Threads that sleep are woken before, and the inputs are written anew each time, so that
    // caches hold the same of them.
    const auto execute_ns = [&](std::uint64_t seed, int times) {
      workload.launch({(turn.inputs + 1) % workload.sets.inputs, turn.output}, device.stream());
      workload.distrust->renew(turn.inputs, seed);
      workload.poison(turn.output);
      return timed_ns(workload, turn, times, device, launch);
    };
    const std::uint64_t seed = kernel_random();
    const double unseen = execute_ns(seed, 1);
    if (!is_right(turn)) return {};
    const double seen = execute_ns(seed, 1);
    if (!is_right(turn)) return {};
    many = unseen < 20e6 ? 8 : 3;
    const double in_a_row = execute_ns(kernel_random(), many);
    least_unseen = std::min(least_unseen, unseen);
    most_seen = std::max(most_seen, seen);
    most_many = std::max(most_many, in_a_row);
    keeps = keeps && least_unseen > std::max(of_seen * most_seen, least_ns);
    skips = skips && least_unseen > std::max(most_many / of_many, least_ns);
  }
  if (keeps)
    return fmt::format(
        "it remembers outputs: on inputs that it has not seen an execution takes {}, on the same "
        "ones again {}",
        units::time(least_unseen), units::time(most_seen));
  if (skips)
    return fmt::format(
        "it leaves executions out: one takes {}, and {} in a row on the same inputs take {}",
        units::time(least_unseen), many, units::time(most_many));
  return {};
}

}  // namespace ridgeline::measure
