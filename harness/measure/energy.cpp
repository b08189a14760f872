#include "harness/measure/energy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/measure/batches.hpp"

namespace ridgeline::measure {
namespace {

// Longer than the host takes for what it does in the meantime, or the device waits for it: in runs
// of an H200, batches of 5 ms took 0.3 to 1.5 ms longer than what they executed.
constexpr double batch_ns = 25e6;
constexpr std::int64_t most_of_batch = 5'000;  // executions: bounds the size of a graph
constexpr std::size_t fewest_steps = 4;        // the first is where counting begins

/// What is known when the counter has moved.
struct Step {
  double executions, ns, energy_j;
};

}  // namespace

std::optional<Sustained> execute_without_pause(const Setup& setup, const Workload& workload,
                                               const PrepareOptions& options, double execution_ns) {
  const auto counter = [&device = setup.device] { return device.read_energy_j(); };
  if (options.launch == device::Launch::single || !counter()) return std::nullopt;
  Rotation rotation(setup.device, workload, options.launch, options.cache);
  rotation.set_executions(
      std::clamp<std::int64_t>(std::llround(batch_ns / execution_ns), 1, most_of_batch));
  rotation.prepare_all();

  const Stopwatch wall;
  device::Batch* before = &rotation.start_next();
  double executions = 0, last_j = counter().value_or(0);
  std::vector<Step> steps;
  std::vector<double> clocks_mhz;
  do {
    device::Batch& next = rotation.start_next();  // so that the device never waits for the host
    std::exchange(before, &next)->wait();
    executions += static_cast<double>(rotation.executions());
    const double now_j = counter().value_or(last_j);
    if (now_j == last_j) continue;
    steps.push_back({executions, wall.ns(), now_j});
    last_j = now_j;
    if (const auto mhz = setup.device.read_sm_clock_mhz(); mhz && steps.size() > 1)
      clocks_mhz.push_back(*mhz);
  } while (wall.ns() < options.energy_budget_ns);
  setup.device.synchronize();
  if (steps.size() < fewest_steps) return std::nullopt;
  const Step &first = steps.front(), &last = steps.back();
  Sustained sustained{last.executions - first.executions, (last.ns - first.ns) * 1e-9,
                      last.energy_j - first.energy_j, std::nullopt};
  if (!clocks_mhz.empty())
    sustained.sm_clock_mhz = std::accumulate(clocks_mhz.begin(), clocks_mhz.end(), 0.0) /
                             static_cast<double>(clocks_mhz.size());
  return sustained;
}

std::vector<record::Metric> sustained_metrics(const Sustained& sustained,
                                              const Workload& workload) {
  using record::Direction;
  const auto& [executions, seconds, energy_j, sm_clock_mhz] = sustained;
  const double each_j = energy_j / executions;
  std::vector<record::Metric> metrics{{"energy", each_j, "J", Direction::lower}};
  if (workload.flops > 0)
    metrics.push_back({"flops_per_joule", workload.flops / each_j, "FLOP/J", Direction::higher});
  if (workload.bytes > 0)
    metrics.push_back({"bytes_per_joule", workload.bytes / each_j, "B/J", Direction::higher});
  metrics.push_back({"sustained_time", seconds * 1e9 / executions, "ns", Direction::lower});
  metrics.push_back({"sustained_power", energy_j / seconds, "W", Direction::none});
  if (sm_clock_mhz)
    metrics.push_back({"sustained_sm_clock", *sm_clock_mhz, "MHz", Direction::none});
  return metrics;
}

}  // namespace ridgeline::measure
