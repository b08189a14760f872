#include "harness/worker/once.hpp"

#include <cstdint>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/measure/measure.hpp"
#include "harness/measure/workload.hpp"
#include "harness/worker/cuda/profiler_range.hpp"

namespace ridgeline::worker {
namespace {

double per(std::uint64_t count, std::uint64_t requests) {
  return requests == 0 ? 0 : static_cast<double>(count) / static_cast<double>(requests);
}

/// What one execution asks of memory, a line for each access in the source.
int count_once(const Case& wanted, measure::Setup& setup, const std::string& case_name,
               const std::string& device_id) {
  measure::Experiment experiment(wanted.prepare, setup, options_of(wanted.info.id));
  const record::Measurement counted = experiment.finish();
  if (counted.outcome == record::Outcome::unsupported)
    throw Error(ErrorKind::dependency, fmt::format("{} cannot be counted on {}: {}", case_name,
                                                   device_id, counted.reason));
  const bool right = counted.outcome == record::Outcome::counted;
  fmt::print("{} on {}: {}\n", case_name, device_id,
             right ? "right, counted" : "WRONG: " + counted.reason);
  for (const record::Site& site : counted.sites) {
    fmt::print("{}:{}: {}, {} requests, {:.4g} lanes", site.file, site.line, site.access,
               site.requests, per(site.lanes, site.requests));
    if (site.sectors != 0) fmt::print(", {:.4g} sectors", per(site.sectors, site.requests));
    if (site.wavefronts != 0)
      fmt::print(", {:.4g} wavefronts", per(site.wavefronts, site.requests));
    fmt::print(" per request\n");
  }
  return right ? 0 : 2;
}

}  // namespace

int once(const Program& program, const std::string& case_name, const std::string& device_id) {
  const std::unique_ptr<device::Device> device = program.open(device_id);
  const Case* wanted = find_case(program, case_name, device->facts().kind);
  if (wanted == nullptr)
    throw Error(ErrorKind::usage, fmt::format("{} does not run on {}", case_name, device_id));
  if (const device::Support support = check(*wanted, device->facts()); !support)
    throw Error(ErrorKind::dependency, fmt::format("{} cannot be measured on {}: {}", case_name,
                                                   device_id, support.reason()));

  measure::InputPool inputs(*device, 1);
  measure::Group alone;
  measure::Setup setup{*device, inputs, alone};
  if (device->facts().kind == device::Kind::emulated)
    return count_once(*wanted, setup, case_name, device_id);
  setup.seed = 1;
  setup.distribution = options_of(wanted->info.id).distribution;
  setup.cache = measure::Cache::hot;  // one set of buffers is enough
  const measure::Workload workload = wanted->prepare(setup);
  // What libraries choose at the first launch of a problem, they choose before the range: kernels
  // that they try are none of the case's.
  if (device->facts().kind != device::Kind::cpu) workload.launch({}, device->stream());
  workload.poison(0);
  device->synchronize();
  {
    const ProfilerRange range(case_name);
    workload.launch({}, device->stream());
    device->synchronize();
  }
  const record::Verification found = workload.verify({});
  fmt::print("{} on {}: {}, error {:.3g}, tolerance {:.3g}\n", case_name, device_id,
             found.right() ? "right" : "WRONG", found.error, found.tolerance);
  return found.right() ? 0 : 2;
}

}  // namespace ridgeline::worker
