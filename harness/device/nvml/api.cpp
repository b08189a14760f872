#include "harness/device/nvml/api.hpp"

#include <type_traits>

#include "harness/device/library.hpp"

namespace ridgeline::device::nvml {
namespace {

Api load() {
  Api api;
  const Library library({"libnvidia-ml.so.1"});
  Status (*const initialise)() = library.function<Status()>("nvmlInit_v2");
  if (initialise == nullptr || initialise() != 0) return api;

  const auto find = [&](auto& function, const char* name, const char* older_name = nullptr) {
    using Function = std::remove_pointer_t<std::remove_reference_t<decltype(function)>>;
    function = library.function<Function>(name);
    if (function == nullptr && older_name != nullptr) function = library.function<Function>(older_name);
  };
  find(api.system_driver_version, "nvmlSystemGetDriverVersion");
  find(api.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  find(api.pci_info, "nvmlDeviceGetPciInfo_v3");
  find(api.memory_info, "nvmlDeviceGetMemoryInfo");
  find(api.clock, "nvmlDeviceGetClockInfo");
  find(api.max_clock, "nvmlDeviceGetMaxClockInfo");
  find(api.application_clock, "nvmlDeviceGetApplicationsClock");
  find(api.power, "nvmlDeviceGetPowerUsage");
  find(api.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  find(api.temperature, "nvmlDeviceGetTemperature");
  find(api.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(api.ecc_mode, "nvmlDeviceGetEccMode");
  find(api.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find(api.mig_mode, "nvmlDeviceGetMigMode");
  find(api.persistence_mode, "nvmlDeviceGetPersistenceMode");
  find(api.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  return api;
}

}  // namespace

const Api& api() {
  static const Api loaded = load();
  return loaded;
}

}  // namespace ridgeline::device::nvml
