#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include <cuda_runtime_api.h>

#include "harness/device/facts.hpp"
#include "harness/emulated/block.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program/streams.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/residency.hpp"
#include "harness/emulated/shared_variables.hpp"

// CUDA's runtime API for a program on the emulated device: what the device says of itself and of
// kernels. There is one device.
using ridgeline::device::Facts;
using ridgeline::program::Session;
using ridgeline::program::StreamOrder;

namespace {

const Facts& facts() { return Session::here().device().facts(); }
constexpr std::size_t most_static_shared = 48 << 10, most_constants = 64 << 10;

cudaDeviceProp properties() {
  const Facts& of = facts();
  cudaDeviceProp to{};
  of.name.copy(to.name, sizeof to.name - 1);
  to.totalGlobalMem = of.memory;
  to.sharedMemPerBlock = most_static_shared;
  to.sharedMemPerBlockOptin = of.shared_per_block;
  to.sharedMemPerMultiprocessor = of.shared_per_unit;
  to.reservedSharedMemPerBlock = 1024;
  to.regsPerBlock = to.regsPerMultiprocessor = of.registers_per_unit;
  to.warpSize = 32;
  to.memPitch = 0x7FFFFFFF;
  to.maxThreadsPerBlock = of.max_threads_per_block;
  to.maxThreadsDim[0] = to.maxThreadsDim[1] = of.max_threads_per_block;
  to.maxThreadsDim[2] = 64;
  to.maxGridSize[0] = 0x7FFFFFFF;
  to.maxGridSize[1] = to.maxGridSize[2] = 65535;
  to.totalConstMem = most_constants;
  to.major = of.capability / 10;
  to.minor = of.capability % 10;
  to.textureAlignment = 512;
  to.texturePitchAlignment = 32;
  to.multiProcessorCount = of.units;
  to.canMapHostMemory = to.unifiedAddressing = to.managedMemory = 1;
  to.concurrentManagedAccess = to.cooperativeLaunch = to.concurrentKernels = 1;
  to.hostRegisterSupported = to.memoryPoolsSupported = to.streamPrioritiesSupported = 1;
  to.globalL1CacheSupported = to.localL1CacheSupported = 1;
  to.asyncEngineCount = 3;
  to.memoryBusWidth = 5120;
  to.l2CacheSize = static_cast<int>(of.l2);
  to.maxThreadsPerMultiProcessor = of.max_threads_per_unit;
  to.maxBlocksPerMultiProcessor = of.max_blocks_per_unit;
  to.clusterLaunch = of.capability >= 90 ? 1 : 0;
  to.maxTexture1D = 131072;
  to.maxTexture2D[0] = 131072;
  to.maxTexture2D[1] = 65536;
  to.maxTexture3D[0] = to.maxTexture3D[1] = to.maxTexture3D[2] = 16384;
  to.ECCEnabled = 1;
  return to;
}

int attribute(cudaDeviceAttr which, bool& known) {
  const cudaDeviceProp all = properties();
  known = true;
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return all.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return all.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimZ:
      return all.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return all.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return all.maxGridSize[1];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(all.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(all.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(all.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(all.reservedSharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(all.totalConstMem);
    case cudaDevAttrWarpSize:
      return all.warpSize;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return all.regsPerBlock;
    case cudaDevAttrMultiProcessorCount:
      return all.multiProcessorCount;
    case cudaDevAttrL2CacheSize:
      return all.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return all.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return all.maxBlocksPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor:
      return all.major;
    case cudaDevAttrComputeCapabilityMinor:
      return all.minor;
    case cudaDevAttrGlobalMemoryBusWidth:
      return all.memoryBusWidth;
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    case cudaDevAttrAsyncEngineCount:
      return all.asyncEngineCount;
    case cudaDevAttrClusterLaunch:
      return all.clusterLaunch;
    case cudaDevAttrComputeMode:
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrClockRate:  // there are no clocks
    case cudaDevAttrMemoryClockRate:
      return 0;
    default:
      known = false;
      return 0;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int device) {
  if (device != 0) return Session::here().fail(cudaErrorInvalidDevice);
  *to = properties();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr which, int device) {
  if (device != 0) return Session::here().fail(cudaErrorInvalidDevice);
  bool known = false;
  *to = attribute(which, known);
  if (!known)
    Session::here().note("cudaDeviceGetAttribute: attribute " +
                         std::to_string(static_cast<int>(which)) + " is not modelled, and is 0");
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* to) {
  *to = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* to) {
  *to = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : Session::here().fail(cudaErrorInvalidDevice);
}
cudaError_t cudaChooseDevice(int* to, const cudaDeviceProp*) {
  *to = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceReset() {
  ridgeline::program::host_has_waited();
  StreamOrder::here().host_waits_for_all();
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(ridgeline::program::together());
  if (const cudaError_t error =
          ridgeline::program::in_capture("cudaDeviceSynchronize", RIDGELINE_CALLER);
      error != cudaSuccess)
    return error;
  ridgeline::program::host_has_waited();
  StreamOrder::here().host_waits_for_all();
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* to) {
  *to = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(std::size_t* to, cudaLimit which) {
  *to = which == cudaLimitStackSize        ? 64 << 10
        : which == cudaLimitMallocHeapSize ? 8 << 20
                                           : 1 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* to, int, int) {
  *to = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return Session::here().fail(cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char* to, int size, int) {
  std::strncpy(to, "0000:00:00.0", static_cast<std::size_t>(std::max(size, 1)));
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* to) {
  *to = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* to) {
  *to = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return Session::here().fail(cudaErrorNotSupported);
}
// NOLINTBEGIN(readability-identifier-naming): CUDA declares them in a header of their own.
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
// NOLINTEND(readability-identifier-naming)

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value) {
  Session& session = Session::here();
  if (which != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > facts().shared_per_block)
    return session.fail(cudaErrorInvalidValue);
  session.dynamic_shared[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
// Banks have 4 bytes on all GPUs that there are by now.
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* to) {
  *to = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, const void* kernel) {
  static_cast<void>(kernel);
  *to = {};
  to->maxThreadsPerBlock = facts().max_threads_per_block;
  to->maxDynamicSharedSizeBytes = most_static_shared;
  to->ptxVersion = to->binaryVersion = facts().capability;
  to->numRegs = 32;
  Session::here().note(
      "cudaFuncGetAttributes: registers and local memory of a kernel are known to "
      "nvcc alone; 32 registers are said");
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* to, const void* kernel,
                                                                   int threads, std::size_t shared,
                                                                   unsigned) {
  if (threads <= 0 || threads > facts().max_threads_per_block) {
    *to = 0;
    return Session::here().fail(cudaErrorInvalidValue);
  }
  Session::here().note(
      "occupancy: registers of a kernel are known to nvcc alone, and limit nothing "
      "here");
  *to = ridgeline::emulated::blocks_that_fit(facts(), reinterpret_cast<std::uint64_t>(kernel),
                                             threads, shared);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* to, const void* kernel, int threads,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to, kernel, threads, shared, 0);
}
cudaError_t cudaOccupancyMaxActiveClusters(int* to, const void*, const cudaLaunchConfig_t*) {
  *to = std::max(1, facts().units / 8);
  return cudaSuccess;
}

}  // extern "C"
