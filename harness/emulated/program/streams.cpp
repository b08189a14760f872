#include <chrono>
#include <cstddef>
#include <utility>

#include <cuda_runtime_api.h>

#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"

// CUDA's runtime API for a program on the emulated device: streams, events, errors. Launches run
// at once and in the program's order, so that there is nothing to wait for.

using ridgeline::program::host_has_waited;
using ridgeline::program::Session;
using Clock = std::chrono::steady_clock;

struct CUstream_st {
  int priority = 0;
  unsigned flags = 0;
};
struct CUevent_st {
  Clock::time_point at;
  bool recorded = false;
};

static cudaError_t waited() {
  host_has_waited();
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* to) {
  *to = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned flags) {
  *to = new CUstream_st{0, flags};
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned flags, int priority) {
  *to = new CUstream_st{priority, flags};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return waited(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return waited(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* to) {
  *to = stream == nullptr ? 0 : stream->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* to) {
  *to = stream == nullptr ? 0 : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void* data,
                                  unsigned) {
  host_has_waited();
  call(stream, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t call, void* data) {
  host_has_waited();
  call(data);
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID,
                                   const cudaLaunchAttributeValue*) {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* to) {
  *to = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned) {
  *to = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return Session::here().fail(cudaErrorInvalidResourceHandle);
  *event = {Clock::now(), true};
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return waited(); }
cudaError_t cudaEventQuery(cudaEvent_t) { return waited(); }
cudaError_t cudaEventElapsedTime(float* to, cudaEvent_t first, cudaEvent_t last) {
  if (first == nullptr || last == nullptr || !first->recorded || !last->recorded)
    return Session::here().fail(cudaErrorInvalidResourceHandle);
  Session::here().note("times of events are how long the emulation took, and say nothing of a GPU");
  *to = std::chrono::duration<float, std::milli>(last->at - first->at).count();
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return std::exchange(Session::here().last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return Session::here().last_error; }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorNotSupported:
      return "cudaErrorNotSupported";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorPeerAccessUnsupported:
      return "cudaErrorPeerAccessUnsupported";
    case cudaErrorUnknown:
      return "cudaErrorUnknown";
    default:
      return "unrecognized error code";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorNotSupported:
      return "operation not supported";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorPeerAccessUnsupported:
      return "peer access is not supported between these two devices";
    case cudaErrorUnknown:
      return "unknown error";
    default:
      return "unrecognized error code";
  }
}

}  // extern "C"
