#pragma once

#include <string>

/// The part of NVML that is used, declared by hand after NVIDIA's "NVML API Reference Guide", so that its header is not
/// needed.
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

struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

/// Functions of the library; null where this driver's version lacks one.
struct Api {
  Status (*system_driver_version)(char*, unsigned) = nullptr;
  Status (*handle_by_uuid)(const char*, Handle*) = nullptr;
  Status (*pci_info)(Handle, PciInfo*) = nullptr;
  Status (*memory_info)(Handle, Memory*) = nullptr;
  Status (*clock)(Handle, int, unsigned*) = nullptr;
  Status (*max_clock)(Handle, int, unsigned*) = nullptr;
  Status (*application_clock)(Handle, int, unsigned*) = nullptr;
  Status (*power)(Handle, unsigned*) = nullptr;        // mW
  Status (*power_limit)(Handle, unsigned*) = nullptr;  // mW, enforced
  Status (*temperature)(Handle, int, unsigned*) = nullptr;
  Status (*throttle_reasons)(Handle, unsigned long long*) = nullptr;
  Status (*ecc_mode)(Handle, unsigned*, unsigned*) = nullptr;
  Status (*ecc_errors)(Handle, int, int, unsigned long long*) = nullptr;
  Status (*mig_mode)(Handle, unsigned*, unsigned*) = nullptr;
  Status (*persistence_mode)(Handle, unsigned*) = nullptr;
  Status (*compute_processes)(Handle, unsigned*, Process*) = nullptr;
};

/// The library, opened and initialised at the first call; all null when there is none.
const Api& api();

}  // namespace ridgeline::device::nvml
