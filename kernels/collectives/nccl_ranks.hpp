#pragma once

#include <cstddef>
#include <memory>

#include "kernels/collectives/collectives.hpp"

// What NCCL is asked for, apart from where the library comes from. The declarations follow NVIDIA's
// "NCCL User Guide", API.
namespace ridgeline::collectives::nccl {

using Status = int;  // ncclResult_t
inline constexpr Status success = 0, in_progress = 7;
using Native = void*;  // ncclComm_t
struct UniqueId {
  char bytes[128];
};
/// ncclConfig_t as of NCCL 2.14, which later libraries know by its size and version.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;
};

struct Functions {
  Status (*unique_id)(UniqueId*) = nullptr;
  Status (*init_rank)(Native*, int, UniqueId, int, Config*) = nullptr;
  Status (*async_error)(Native, Status*) = nullptr;
  Status (*abort)(Native) = nullptr;
  Status (*all_reduce)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*all_gather)(const void*, void*, std::size_t, int, Native, void*) = nullptr;
  Status (*broadcast)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*reduce_scatter)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*reduce)(const void*, void*, std::size_t, int, int, int, Native, void*) = nullptr;
  Status (*send)(const void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*receive)(void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*group_start)() = nullptr;
  Status (*group_end)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  const char* (*last_error)(Native) = nullptr;
};

/// Connects the ranks without ever blocking inside NCCL: what takes its time is asked about until
/// it is done or has failed. A failure aborts the communicator, which ends what runs on the GPU,
/// and is thrown, then and by every later use. A choice is told by NCCL_ALGO and NCCL_PROTO in the
/// environment, which NCCL reads at this time only. Keeps a reference.
std::unique_ptr<Communicator> connect(const Functions& functions, const Member& member);

}  // namespace ridgeline::collectives::nccl
