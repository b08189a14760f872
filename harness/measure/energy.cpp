#include "harness/measure/energy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/measure/batches.hpp"

namespace ridgeline::measure {
namespace {

constexpr double batch_ns = 5e6;  // short against a step of the counter
constexpr int fewest_steps = 4;   // the first is where counting begins

}  // namespace

std::optional<double> energy_of_execution(const Setup& setup, const Workload& workload,
                                          const PrepareOptions& options, double execution_ns) {
  const auto counter = [&device = setup.device] { return device.read_energy_j(); };
  if (options.launch == device::Launch::single || !counter()) return std::nullopt;
  Rotation rotation(setup.device, workload, options.launch, options.cache);
  rotation.set_executions(
      std::clamp<std::int64_t>(std::llround(batch_ns / execution_ns), 1, 10'000));
  rotation.prepare_all();

  const Stopwatch wall;
  device::Batch* before = &rotation.start_next();
  double executions = 0, last_j = counter().value_or(0);
  struct Step {
    double executions, energy_j;
  };
  std::vector<Step> steps;
  do {
    device::Batch& next = rotation.start_next();  // so that the device never waits for the host
    std::exchange(before, &next)->wait();
    executions += static_cast<double>(rotation.executions());
    const double now_j = counter().value_or(last_j);
    if (now_j != last_j) steps.push_back({executions, now_j});
    last_j = now_j;
  } while (wall.ns() < options.energy_budget_ns);
  setup.device.synchronize();
  if (steps.size() < fewest_steps) return std::nullopt;
  return (steps.back().energy_j - steps.front().energy_j) /
         (steps.back().executions - steps.front().executions);
}

std::vector<record::Metric> energy_metrics(double energy_j, const Workload& workload) {
  std::vector<record::Metric> metrics{{"energy", energy_j, "J", record::Direction::lower}};
  if (workload.flops > 0)
    metrics.push_back(
        {"flops_per_joule", workload.flops / energy_j, "FLOP/J", record::Direction::higher});
  if (workload.bytes > 0)
    metrics.push_back(
        {"bytes_per_joule", workload.bytes / energy_j, "B/J", record::Direction::higher});
  return metrics;
}

}  // namespace ridgeline::measure
