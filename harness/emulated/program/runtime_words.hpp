#pragma once

// What nvcc adds to CUDA's runtime API for a host compiler, and what older releases had.

#include <cuda_runtime.h>

namespace ridgeline::program {

/// With what a device said of itself before CUDA 13. There are no clocks here.
struct DeviceProperties : cudaDeviceProp {
  int clockRate = 0, memoryClockRate = 0, deviceOverlap = 1, computeMode = 0,
      kernelExecTimeoutEnabled = 0, singleToDoublePrecisionPerfRatio = 2,
      cooperativeMultiDeviceLaunch = 0, maxTexture1DLinear = 1 << 28;
};

/// Of any variable, also a volatile one or one of a class with an operator & of its own.
template <class T>
const void* address_of_symbol(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}

}  // namespace ridgeline::program

inline cudaError_t cudaGetDeviceProperties(ridgeline::program::DeviceProperties* to, int device) {
  return cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(to), device);
}

#define RIDGELINE_SYMBOL \
  template <class T>     \
  [[gnu::always_inline]] inline cudaError_t
RIDGELINE_SYMBOL cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(ridgeline::program::address_of_symbol(symbol), from, bytes, offset,
                            kind);
}
RIDGELINE_SYMBOL cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                         std::size_t offset = 0,
                                         cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                         cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync(ridgeline::program::address_of_symbol(symbol), from, bytes, offset,
                                 kind, stream);
}
RIDGELINE_SYMBOL cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, ridgeline::program::address_of_symbol(symbol), bytes, offset,
                              kind);
}
RIDGELINE_SYMBOL cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                           std::size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                           cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(to, ridgeline::program::address_of_symbol(symbol), bytes, offset,
                                   kind, stream);
}
RIDGELINE_SYMBOL cudaGetSymbolAddress(void** to, const T& symbol) {
  return cudaGetSymbolAddress(to, ridgeline::program::address_of_symbol(symbol));
}
RIDGELINE_SYMBOL cudaGetSymbolSize(std::size_t* to, const T& symbol) {
  *to = sizeof symbol;
  return cudaSuccess;
}
#undef RIDGELINE_SYMBOL

template <class Result, class... Parameters>
inline cudaError_t cudaFuncSetAttribute(Result (*kernel)(Parameters...), cudaFuncAttribute which,
                                        int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), which, value);
}
template <class Result, class... Parameters>
inline cudaError_t cudaFuncSetCacheConfig(Result (*)(Parameters...), cudaFuncCache) {
  return cudaSuccess;
}
template <class Result, class... Parameters>
inline cudaError_t cudaFuncSetSharedMemConfig(Result (*)(Parameters...), cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class Result, class... Parameters>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, Result (*kernel)(Parameters...)) {
  return cudaFuncGetAttributes(to, reinterpret_cast<const void*>(kernel));
}

inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}

// Graphs, as they were called before their edges had data.
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                     std::size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* to,
                                                std::size_t* count) {
  return cudaGraphNodeGetDependencies(node, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* to,
                                                  std::size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, to, nullptr, count);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t from,
                                       cudaGraphNode_t* failed, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo told{};
  const cudaError_t error = cudaGraphExecUpdate(graph, from, &told);
  if (failed != nullptr) *failed = told.errorNode;
  if (result != nullptr) *result = told.result;
  return error;
}
