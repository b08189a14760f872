#include "harness/measure/distrust.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "harness/base/kernel_calls.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

// A time below this is mostly that of a clock, a launch or a thread that wakes up.
constexpr double least_ns = 10e3;
// An honest kernel is not twice as fast on inputs only because it has seen them: all else is alike.
// But predictors of branches learn what a short kernel does to inputs that come again, which one
// other element does not make them forget.
constexpr double of_seen = 2;
// What takes longer has more branches than a predictor learns.
constexpr double most_predicted_ns = 100e3;
// Nor are several executions in a row nearly as fast as one, however cold that was.
constexpr double of_many = 1.5;
// Of as many, the least time of what should be slow counts, and the median of what should be fast:
// accidents of a machine add to many times, and a loop may have a fast state that it is seldom in,
// but what remembers is fast each time. What honest times show is believed earlier.
constexpr int most_pairs = 20, least_pairs = 3;

/// What an execution took by the clock that cases are timed with, and on a CPU of the processors,
/// which other programs add nothing to.
struct Times {
  double ns = std::numeric_limits<double>::infinity(), processor_ns = ns;
};

Times least(const Times& a, const Times& b) {
  return {std::min(a.ns, b.ns), std::min(a.processor_ns, b.processor_ns)};
}

Times middle(const std::vector<Times>& all) {
  std::vector<double> ns, processor_ns;
  for (const Times& each : all) {
    ns.push_back(each.ns);
    processor_ns.push_back(each.processor_ns);
  }
  return {stats::median(ns), stats::median(processor_ns)};
}

/// Least times of what should be slow, and all of what should be fast.
struct Found {
  Times fresh, altered;
  std::vector<Times> again, in_a_row;
  int many = 0;  // executions in a row

  bool may_be_predicted() const { return fresh.ns < most_predicted_ns; }
  Times unseen() const { return may_be_predicted() ? least(fresh, altered) : fresh; }
  bool forgets() const {
    const Times seen = middle(again);
    return unseen().ns <= of_seen * seen.ns || unseen().processor_ns <= of_seen * seen.processor_ns;
  }
  bool repeats() const {
    const Times row = middle(in_a_row);
    return unseen().ns * of_many <= row.ns || unseen().processor_ns * of_many <= row.processor_ns;
  }
};

/// On a GPU by its own clock: to wait for one takes longer than many kernels.
Times timed(const Workload& workload, Turn turn, int times, device::Device& device,
            device::Launch launch) {
  const bool one_by_one = launch == device::Launch::single;
  const auto launches = [&](device::Stream& stream) {
    for (int i = 0; i < (one_by_one ? 1 : times); ++i) workload.launch(turn, stream);
  };
  if (device.facts().kind == device::Kind::cuda) {
    const std::unique_ptr<device::Batch> batch = device.record(launches, launch);
    double ns = batch->run_ns();
    for (int i = 1; one_by_one && i < times; ++i) ns += batch->run_ns();
    return {ns, ns};
  }
  const std::int64_t processor = kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  const std::int64_t start = kernel_clock_ns();
  for (int i = 0; i < times; ++i) workload.launch(turn, device.stream());
  device.synchronize();
  const std::int64_t end = kernel_clock_ns();
  return {static_cast<double>(end - start),
          static_cast<double>(kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - processor)};
}

}  // namespace

Moments::Moments() : next_(1 + kernel_random() % 6) {}

bool Moments::come(std::size_t samples) {
  if (left_ == 0 || samples < next_) return false;
  --left_;
  next_ = samples + 1 + kernel_random() % (4 * samples + 2);
  return true;
}

bool Looks::Budget::allows(std::int64_t now_ns, bool first) {
  if (first) began_ns = last_ns = now_ns;
  longest_ns = std::max(longest_ns, now_ns - last_ns);
  last_ns = now_ns;
  return now_ns - began_ns + longest_ns < most_ns;
}

bool Looks::more() {
  const bool first = taken_ == 0;
  const bool in_time = processor_.allows(kernel_clock_ns(CLOCK_PROCESS_CPUTIME_ID), first),
             soon = wall_.allows(kernel_clock_ns(), first);
  return in_time && soon && taken_++ < most;
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
  // The first set was executed, whatever else was. The second time, all that can be seen without
  // reading whole inputs is as it was the first time; the third time, all but one element is.
  for (int again = 0; again < 3; ++again) {
    if (again < 2)
      workload.distrust->renew(0, kernel_random());
    else
      workload.distrust->alter(0);
    workload.poison(0);
    workload.launch({0, 0}, device.stream());
    device.synchronize();
    if (!is_right({0, 0})) return {};
  }
  Found found;
  for (int pair = 0; pair < most_pairs; ++pair) {
    const Turn turn{kernel_random() % workload.sets.inputs,
                    kernel_random() % workload.sets.outputs};
    // Threads that sleep are woken before, and the inputs are written anew each time, so that
    // caches hold the same of them.
    const auto execute = [&](std::uint64_t seed, bool altered, int times) {
      workload.launch({(turn.inputs + 1) % workload.sets.inputs, turn.output}, device.stream());
      workload.distrust->renew(turn.inputs, seed);
      if (altered) workload.distrust->alter(turn.inputs);
      workload.poison(turn.output);
      return timed(workload, turn, times, device, launch);
    };
    const std::uint64_t seed = kernel_random();
    const Times fresh = execute(seed, false, 1);
    found.fresh = least(found.fresh, fresh);
    found.again.push_back(execute(seed, false, 1));
    if (found.may_be_predicted()) {
      const Times altered = execute(seed, true, 1);
      found.altered = least(found.altered, altered);
      // What knows inputs again by some of their elements is fast, and wrong.
      if (fresh.ns > of_seen * altered.ns && !is_right(turn)) return {};
    }
    const bool is_long = found.fresh.ns > 20e6;
    found.many = is_long ? 3 : 8;
    found.in_a_row.push_back(execute(kernel_random(), false, found.many));
    const bool honest = found.forgets() && found.repeats();
    if (found.fresh.ns < least_ns || (honest && (is_long || pair + 1 >= least_pairs))) return {};
  }
  if (!found.forgets())
    return fmt::format(
        "it remembers outputs: on inputs that it has not seen an execution takes {}, on the same "
        "ones again {}",
        units::time(found.unseen().ns), units::time(middle(found.again).ns));
  if (!found.repeats())
    return fmt::format(
        "it leaves executions out: one takes {}, and {} in a row on the same inputs take {}",
        units::time(found.unseen().ns), found.many, units::time(middle(found.in_a_row).ns));
  return {};
}

}  // namespace ridgeline::measure
