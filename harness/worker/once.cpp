#include "harness/worker/once.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/measure/workload.hpp"
#include "harness/worker/cuda/profiler_range.hpp"

namespace ridgeline::worker {

int once(const Program& program, const std::string& case_name, const std::string& device_id) {
  const std::unique_ptr<device::Device> device = program.open(device_id);
  const Case* wanted = find_case(program, case_name, device->facts().kind);
  if (wanted == nullptr) throw Error(ErrorKind::usage, fmt::format("{} does not run on {}", case_name, device_id));
  if (const device::Support support = check(*wanted, device->facts()); !support)
    throw Error(ErrorKind::dependency,
                fmt::format("{} cannot be measured on {}: {}", case_name, device_id, support.reason()));

  measure::InputPool inputs(*device, 1);
  measure::Group alone;
  measure::Setup setup{*device, inputs, alone};
  setup.seed = 1;
  setup.distribution = options_of(wanted->info.id).distribution;
  setup.cache = measure::Cache::hot;  // one set of buffers is enough
  const measure::Workload workload = wanted->prepare(setup);
  workload.poison(0);
  device->synchronize();
  {
    const ProfilerRange range(case_name);
    workload.launch(0, device->stream());
    device->synchronize();
  }
  const record::Verification found = workload.verify(0);
  fmt::print("{} on {}: {}, error {:.3g}, tolerance {:.3g}\n", case_name, device_id, found.right() ? "right" : "WRONG",
             found.error, found.tolerance);
  return found.right() ? 0 : 2;
}

}  // namespace ridgeline::worker
