#pragma once

#include <string>

/// The part of NVML that is used, declared by hand after NVIDIA's "NVML API Reference Guide", so
/// that its header is not needed.
namespace ridgeline::device::nvml {

using Handle = void*;  // nvmlDevice_t
using Status = int;    // nvmlReturn_t, 0 is success

enum ClockType : int { sm_clock = 1, memory_clock = 2 };
enum EccError : int { corrected = 0, uncorrected = 1 };
enum EccCounter : int { since_reload = 0, lifetime = 1 };

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device;
  unsigned device_and_vendor;  // device id in the upper half
  unsigned subsystem;
  char bus_id[32];
};

struct Memory {
  unsigned long long total, free, used;
};

// NVML_FI_DEV_NVLINK_GET_SPEED and NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON: of each active link, in
// one direction, in 1e6 B/s. A driver that knows the first no longer answers the second for an
// H200.
inline constexpr unsigned nvlink_speed_fields[] = {164, 90};
enum ValueType : int { unsigned_int = 1, unsigned_long_long = 3 };  // of nvmlValueType_t

struct FieldValue {  // nvmlFieldValue_t
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency_us = 0;
  int value_type = 0;
  Status status = 0;
  union {
    double real;
    unsigned number;
    unsigned long long long_number;
  } value = {};
};

struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

/// The library's function of that name, of whatever type it is declared with; null where this
/// driver's version lacks it, or there is no library.
class Function {
 public:
  explicit Function(const char* name, const char* older_name = nullptr);
  template <class Signature>
  operator Signature*() const {
    return reinterpret_cast<Signature*>(at_);
  }

 private:
  void (*at_)() = nullptr;
};

struct Api {
  Status (*system_driver_version)(char*, unsigned) = Function("nvmlSystemGetDriverVersion");
  Status (*handle_by_uuid)(const char*, Handle*) = Function("nvmlDeviceGetHandleByUUID");
  Status (*pci_info)(Handle, PciInfo*) = Function("nvmlDeviceGetPciInfo_v3");
  Status (*memory_info)(Handle, Memory*) = Function("nvmlDeviceGetMemoryInfo");
  Status (*clock)(Handle, int, unsigned*) = Function("nvmlDeviceGetClockInfo");
  Status (*max_clock)(Handle, int, unsigned*) = Function("nvmlDeviceGetMaxClockInfo");
  Status (*application_clock)(Handle, int, unsigned*) = Function("nvmlDeviceGetApplicationsClock");
  Status (*default_application_clock)(Handle, int, unsigned*) =
      Function("nvmlDeviceGetDefaultApplicationsClock");
  Status (*default_power_limit)(Handle, unsigned*) =
      Function("nvmlDeviceGetPowerManagementDefaultLimit");                  // mW
  Status (*power)(Handle, unsigned*) = Function("nvmlDeviceGetPowerUsage");  // mW
  Status (*energy)(Handle, unsigned long long*) =
      Function("nvmlDeviceGetTotalEnergyConsumption");  // mJ since the driver was loaded
  Status (*power_limit)(Handle, unsigned*) = Function("nvmlDeviceGetEnforcedPowerLimit");  // mW
  Status (*temperature)(Handle, int, unsigned*) = Function("nvmlDeviceGetTemperature");
  Status (*throttle_reasons)(Handle, unsigned long long*) = Function(
      "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
  Status (*pcie_generation)(Handle, unsigned*) = Function("nvmlDeviceGetMaxPcieLinkGeneration");
  Status (*pcie_lanes)(Handle, unsigned*) = Function("nvmlDeviceGetMaxPcieLinkWidth");
  Status (*pcie_generation_now)(Handle,
                                unsigned*) = Function("nvmlDeviceGetCurrPcieLinkGeneration");
  Status (*pcie_lanes_now)(Handle, unsigned*) = Function("nvmlDeviceGetCurrPcieLinkWidth");
  Status (*nvlink_state)(Handle, unsigned link,
                         int* is_active) = Function("nvmlDeviceGetNvLinkState");
  Status (*nvlink_remote)(Handle, unsigned link,
                          PciInfo*) = Function("nvmlDeviceGetNvLinkRemotePciInfo_v2");
  Status (*field_values)(Handle, int count, FieldValue*) = Function("nvmlDeviceGetFieldValues");
  Status (*ecc_mode)(Handle, unsigned*, unsigned*) = Function("nvmlDeviceGetEccMode");
  Status (*ecc_errors)(Handle, int, int,
                       unsigned long long*) = Function("nvmlDeviceGetTotalEccErrors");
  Status (*mig_mode)(Handle, unsigned*, unsigned*) = Function("nvmlDeviceGetMigMode");
  Status (*persistence_mode)(Handle, unsigned*) = Function("nvmlDeviceGetPersistenceMode");
  Status (*compute_processes)(Handle, unsigned*,
                              Process*) = Function("nvmlDeviceGetComputeRunningProcesses_v3");
};

/// The library, opened and initialised at the first call.
const Api& api();

}  // namespace ridgeline::device::nvml
