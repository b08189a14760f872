#include "harness/run/hardware_counters.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/clock.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/tool.hpp"
#include "harness/run/nsight_table.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::run {
namespace {

/// Nsight Compute over one execution of the case. Its own `timeout` would end the profiled program
/// alone. Only kernels in a profiler range are of the case: others fill buffers and judge outputs.
/// Clocks are left alone, as in everything that is measured.
process::Tool profiler(const Selected& selected, const record::Device& device, double limit_s) {
  return {"timeout",
          {"--kill-after=10",
           fmt::format("{:.0f}", limit_s),
           "ncu",
           "--csv",
           "--page",
           "raw",
           "--print-units",
           "base",
           "--nvtx",
           "--nvtx-include",
           "regex:.*/",
           "--clock-control",
           "none",
           "--metrics",
           counters_asked_for(),
           selected.worker->program.string(),
           "--device",
           device.id,
           "--once",
           selected.name},
          {}};
}

std::vector<record::Metric> counters_of(const Selected& selected, const record::Device& device,
                                        double limit_s) {
  const process::ToolResult result = run_tool(profiler(selected, device, limit_s));
  if (result.fine) return hardware_metrics(result.output, selected.name);
  constexpr int timed_out = 124;  // of timeout
  if (result.exit_code == timed_out)
    throw Error(ErrorKind::dependency,
                fmt::format("Nsight Compute had not ended after {:.0f} s", limit_s));
  // Its own last line of an error says more than the program's below it.
  const std::size_t own = result.output.rfind("==ERROR==");
  const std::string_view said = own == std::string::npos
                                    ? std::string_view(result.words)
                                    : std::string_view(result.output).substr(own);
  throw Error(ErrorKind::dependency, fmt::format("Nsight Compute {}: {}", result.ending,
                                                 printable(said.substr(0, said.find('\n')), 300)));
}

bool is_counter(const record::Metric& metric) { return metric.name.starts_with("hardware_"); }

}  // namespace

void require_counters(const record::Device& device) {
  if (device.kind != DeviceKind::cuda)
    throw Error(
        ErrorKind::usage, fmt::format("--counters has no effect on {}", printable(device.id)),
        "leave it out: only GPUs have hardware counters; emulated devices count everything");
  if (process::find_on_path("ncu").empty())
    throw Error(
        ErrorKind::dependency, "--counters needs Nsight Compute, and ncu is not on the PATH",
        "add its folder to the PATH (it comes with the CUDA Toolkit), or leave --counters out");
}

std::map<std::string, std::int64_t, std::less<>> without_counters(
    const std::vector<store::StoredMeasurement>& measurements) {
  std::map<std::string, std::int64_t, std::less<>> left;
  for (const store::StoredMeasurement& stored : measurements)
    if (record::has_samples(stored.measurement.outcome))
      left[stored.measurement.case_name] = stored.id;
  for (const store::StoredMeasurement& stored : measurements)
    if (std::ranges::any_of(stored.measurement.metrics, is_counter))
      left.erase(stored.measurement.case_name);
  return left;
}

std::vector<Unread> read_counters(const Plan& plan, store::Store& store,
                                  std::optional<double> limit_s,
                                  const std::function<void(const std::string&, int)>& tell) {
  const process::Clock::time_point start = process::Clock::now();
  const auto wanted =
      without_counters(store::measurements(store, plan.run.id, store::Samples::leave_out));
  std::vector<const Selected*> cases;
  for (const Selected& selected : plan.cases)
    if (wanted.contains(selected.name)) cases.push_back(&selected);

  std::vector<Unread> unread;
  for (auto left = std::ssize(cases); const Selected* selected : cases) {
    --left;
    try {
      process::Interrupt::check();
      if (limit_s && process::seconds_since(start) >= *limit_s) {
        unread.push_back({selected->name, "the run's budget was spent"});
        continue;
      }
      tell(selected->name, static_cast<int>(left));
      store::add(store, wanted.at(selected->name),
                 counters_of(*selected, plan.device, plan.profile.case_timeout_s));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::store) throw;
      unread.push_back({selected->name, error.what()});
    } catch (const process::Interrupted& interrupted) {
      unread.push_back({selected->name, interrupted.what()});
    }
  }
  return unread;
}

}  // namespace ridgeline::run
