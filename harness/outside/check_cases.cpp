#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/check.hpp"
#include "harness/outside/workload.hpp"
#include "harness/record/case.hpp"

// What `ridgeline check` calls of files that define cases and no check of their own. The library's
// member is only linked where nothing else defines it.
namespace ridgeline {

void check(device::Device& device) {
  outside::Suite suite;
  outside::cases(suite);
  const worker::Suite listed = outside::to_worker(suite, "check", true);
  if (listed.cases.empty())
    throw Error(ErrorKind::usage, "no case is for GPUs, which alone are emulated",
                "set .device = Kind::cuda in a case");
  measure::Group alone;
  for (const worker::Case& one : listed.cases) {
    measure::InputPool none(device, 1);
    measure::Setup setup{device, none, alone};
    setup.seed = 1;
    const measure::Workload workload = one.prepare(setup);
    workload.poison(0);
    workload.launch({}, device.stream());
    device.synchronize();
    const record::Verification found = workload.verify({});
    device::expect(found.right(),
                   fmt::format("{}: {}", record::name(one.info.id), workload.distrust->finding()));
  }
}

}  // namespace ridgeline
