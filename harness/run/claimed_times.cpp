#include "harness/run/claimed_times.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "harness/base/units.hpp"

namespace ridgeline::run {
namespace {

constexpr double clocks_differ = 0.05, clocks_differ_ns = 10e6;
constexpr std::size_t dozens = 60;

}  // namespace

std::string impossible_times(std::span<const double> samples_ns, std::int64_t executions_per_sample,
                             double waited_s) {
  const double sum_ns = std::accumulate(samples_ns.begin(), samples_ns.end(), 0.0) *
                        static_cast<double>(executions_per_sample);
  const double waited_ns = waited_s * 1e9;
  if (sum_ns <= waited_ns * (1 + clocks_differ) + clocks_differ_ns) return {};
  return fmt::format(
      "the worker says that its {} took {} together, and it was waited for {}: these times cannot "
      "have been measured",
      units::plural(static_cast<std::int64_t>(samples_ns.size()), "sample"), units::time(sum_ns),
      units::time(waited_ns));
}

std::string doubtful_times(std::span<const double> samples_ns) {
  if (samples_ns.size() < dozens ||
      std::ranges::any_of(samples_ns, [&](double ns) { return ns != samples_ns.front(); }))
    return {};
  return fmt::format("all {} samples are exactly {}, which no clock says so often",
                     samples_ns.size(), units::time(samples_ns.front()));
}

bool has_scripted_times(const record::Device& device) { return device.kind == DeviceKind::fake; }

}  // namespace ridgeline::run
