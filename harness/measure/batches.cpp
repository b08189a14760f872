#include "harness/measure/batches.hpp"

#include <algorithm>
#include <cmath>

#include "harness/stats/median.hpp"

namespace ridgeline::measure {
namespace {

constexpr std::int64_t most_executions = 10'000;  // of one sample: bounds the size of a graph
constexpr std::size_t least_window = 5;  // samples whose median tells whether a case is warm
constexpr std::size_t tries = 3;  // batches of a size before one is believed to be as slow as it
                                  // seems
constexpr double windows_in_budget = 20;  // a warm-up window lasts at least this part of the
                                          // warm-up budget

}  // namespace

void poison_all(const Workload& workload, device::Device& device) {
  for (std::size_t set = 0; set < workload.sets; ++set) workload.poison(set);
  device.synchronize();
}

Rotation::Rotation(device::Device& device, const Workload& workload, device::Launch launch)
    : device_(device), workload_(workload), launch_(launch) {
  set_executions(1);
}

void Rotation::set_executions(std::int64_t wanted) {
  const auto sets = static_cast<std::int64_t>(workload_.sets);
  if (launch_ == device::Launch::single) {
    executions_ = 1;
  } else if (wanted >= sets) {
    executions_ = (wanted + sets - 1) / sets * sets;
  } else {
    executions_ = wanted;
    while (sets % executions_ != 0) ++executions_;
  }
  batches_.clear();
  batches_.resize(static_cast<std::size_t>(executions_ >= sets ? 1 : sets / executions_));
  next_ = 0;
}

void Rotation::prepare_next() {
  std::unique_ptr<device::Batch>& batch = batches_[next_];
  if (batch) return;
  const std::size_t first = next_ * static_cast<std::size_t>(executions_);
  const auto launches = [this, first](device::Stream& stream) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(executions_); ++i)
      workload_.launch((first + i) % workload_.sets, stream);
  };
  batch = device_.record(launches, launch_);
}

double Rotation::run_ns() {
  prepare_next();
  const double ns = batches_[next_]->run_ns();
  last_set_ = ((next_ + 1) * static_cast<std::size_t>(executions_) - 1) % workload_.sets;
  next_ = (next_ + 1) % batches_.size();
  return ns;
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
  return stats::median(recent_ns_) < floor_ns() / 2 && rotation_.executions() < most_executions;
}

void Batches::choose_executions() {
  std::int64_t wanted = rotation_.executions();
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
    if (fastest >= 0.9 * floor_ns() || executions >= most_executions) break;
    const double each = std::max(fastest / static_cast<double>(executions), 1.0);
    wanted = std::max(static_cast<std::int64_t>(std::ceil(floor_ns() / each)), executions + 1);
    wanted = std::min(wanted, most_executions);
  }
  poison_all(workload_, setup_.device);
  if (fastest <= options_.warmup_budget_ns / windows_in_budget) run_ns();
}

void Batches::warm_up() {
  const Stopwatch wall;
  const double budget = options_.warmup_budget_ns;
  choose_executions();
  double timed = 0, previous = 0;
  for (;;) {
    std::vector<double> window;
    double window_ns = 0;
    while (window.size() < least_window || window_ns < budget / windows_in_budget) {
      if (!setup_.group.agreed(std::max(wall.ns(), timed) + stats::median(recent_ns_) <= budget))
        return;
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
    if (std::fabs(median - previous) <= options_.steady * median) return;
    previous = median;
  }
}

}  // namespace ridgeline::measure
