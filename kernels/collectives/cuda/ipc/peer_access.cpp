#include "kernels/collectives/cuda/ipc/peer_access.hpp"

#include <cstring>
#include <string>

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::collectives::on_cuda {
namespace {

void check(cudaError_t status, const char* action) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const std::string failure = fmt::format("{} failed: {}", action, cudaGetErrorString(status));
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(failure);
  throw Error(ErrorKind::dependency, failure,
              "processes need CUDA's IPC: on one host, with the same /dev and IPC namespace");
}

std::string device_name() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current GPU");
  char name[32] = {};
  check(cudaDeviceGetPCIBusId(name, sizeof name, device), "asking where a GPU is on the bus");
  return name;
}

std::byte* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocating memory for other GPUs to reach");
  check(cudaMemset(memory, 0, bytes), "setting bytes on a GPU");
  check(cudaDeviceSynchronize(), "waiting for a GPU");
  return static_cast<std::byte*>(memory);
}

MemoryHandle show(std::byte* memory) {
  static_assert(sizeof(MemoryHandle) == sizeof(cudaIpcMemHandle_t));
  cudaIpcMemHandle_t native;
  check(cudaIpcGetMemHandle(&native, memory), "making a handle of a GPU's memory");
  MemoryHandle handle;
  std::memcpy(&handle, &native, sizeof handle);
  return handle;
}

std::byte* reach(const MemoryHandle& handle) {
  cudaIpcMemHandle_t native;
  std::memcpy(&native, &handle, sizeof native);
  void* memory = nullptr;
  check(cudaIpcOpenMemHandle(&memory, native, cudaIpcMemLazyEnablePeerAccess),
        "opening another process's handle of a GPU's memory");
  return static_cast<std::byte*>(memory);
}

}  // namespace

device::Support peer_support(const device::Support& rung, const Problem& problem,
                             const device::Facts& facts) {
  if (facts.kind != device::Kind::cuda)
    return device::Support::unsupported("communicates between GPUs");
  if (!rung) return rung;
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) gpus = 0;
  if (problem.ranks > gpus)
    return device::Support::unsupported(
        fmt::format("{} ranks need as many GPUs, and there are {}", problem.ranks, gpus));
  for (int from = 0; from < problem.ranks; ++from)
    for (int to = 0; to < problem.ranks; ++to) {
      int reaches = from == to ? 1 : 0;
      if (from != to && cudaDeviceCanAccessPeer(&reaches, from, to) != cudaSuccess) reaches = 0;
      if (reaches == 0)
        return device::Support::unsupported(
            fmt::format("GPU {} does not reach the memory of GPU {}", from, to));
    }
  return device::Support::yes();
}

const PeerMemory& ipc_memory() {
  static constexpr PeerMemory memory{
      device_name, allocate, [](std::byte* at) noexcept { cudaFree(at); },
      show,        reach,    [](std::byte* at) noexcept { cudaIpcCloseMemHandle(at); }};
  return memory;
}

}  // namespace ridgeline::collectives::on_cuda
