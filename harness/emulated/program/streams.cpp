#include "harness/emulated/program/streams.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>

#include <cuda_runtime_api.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"

// CUDA's runtime API for a program on the emulated device: streams, events, errors. Launches run
// at once and in the program's order, so that there is nothing to wait for.

using Moment = std::chrono::steady_clock;

namespace ridgeline::program {
namespace {

/// That a program has made, or, of each thread, used.
std::set<cudaStream_t>& all_streams() {
  static std::set<cudaStream_t> all;
  return all;
}

}  // namespace

CUstream_st& stream_of(cudaStream_t handle) {
  static CUstream_st legacy, per_thread;
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy;
  if (handle == cudaStreamPerThread) all_streams().insert(&per_thread);
  return handle == cudaStreamPerThread ? per_thread : *handle;
}

Clock clock_of(CUstream_st& stream) {
  Clock clock = stream.clock;
  clock.join(StreamOrder::here().of_host());
  CUstream_st& legacy = stream_of(nullptr);
  if (&stream == &legacy) {
    for (const cudaStream_t each : all_streams())
      if ((each->flags & cudaStreamNonBlocking) == 0) clock.join(each->clock);
  } else if ((stream.flags & cudaStreamNonBlocking) == 0) {
    clock.join(legacy.clock);
  }
  return clock;
}

}  // namespace ridgeline::program

using ridgeline::program::all_streams;
using ridgeline::program::clock_of;
using ridgeline::program::host_has_waited;
using ridgeline::program::host_work;
using ridgeline::program::in_capture;
using ridgeline::program::in_stream;
using ridgeline::program::leave_capture;
using ridgeline::program::record_in_capture;
using ridgeline::program::Session;
using ridgeline::program::stream_of;
using ridgeline::program::StreamOrder;
using ridgeline::program::together;
using ridgeline::program::wait_in_capture;

namespace {

/// A call by which the host waits for a stream.
cudaError_t wait_for(cudaStream_t stream, const char* call, std::uint32_t pc) {
  const std::lock_guard lock(together());
  if (stream_of(stream).capture != nullptr) return in_capture(call, pc);
  host_has_waited();
  StreamOrder::here().host_waits_for(clock_of(stream_of(stream)));
  return cudaSuccess;
}
cudaError_t wait_for(cudaEvent_t event, const char* call, std::uint32_t pc) {
  const std::lock_guard lock(together());
  if (event != nullptr && event->capture != nullptr && !event->capture->has_ended) {
    Session::here().host_mistake(call, pc,
                                 "the event was recorded in a stream that is captured: nothing has "
                                 "begun that could be waited for");
    return Session::here().fail(cudaErrorCapturedEvent);
  }
  host_has_waited();
  if (event != nullptr) StreamOrder::here().host_waits_for(event->clock);
  return cudaSuccess;
}

cudaError_t make(cudaStream_t* to, unsigned flags, int priority) {
  if (to == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  const std::lock_guard lock(together());
  StreamOrder::here().begin_judging();
  *to = new CUstream_st{priority, flags};
  all_streams().insert(*to);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* to) { return make(to, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned flags) {
  return make(to, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned flags, int priority) {
  return make(to, flags, priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return Session::here().fail(cudaErrorInvalidResourceHandle);
  const std::lock_guard lock(together());
  leave_capture(stream);
  if ((stream->flags & cudaStreamNonBlocking) == 0)
    stream_of(nullptr).clock.join(stream->clock);  // which waits for it still
  all_streams().erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_for(stream, "cudaStreamSynchronize", RIDGELINE_CALLER);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return wait_for(stream, "cudaStreamQuery", RIDGELINE_CALLER);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event == nullptr) return Session::here().fail(cudaErrorInvalidResourceHandle);
  const std::lock_guard lock(together());
  if (const auto captured = wait_in_capture(stream, event, RIDGELINE_CALLER)) return *captured;
  stream_of(stream).clock.join(event->clock);
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* to) {
  *to = stream_of(stream).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* to) {
  *to = stream_of(stream).flags;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void* data,
                                  unsigned) {
  if (stream_of(stream).capture != nullptr)
    return in_capture("cudaStreamAddCallback", RIDGELINE_CALLER);
  return in_stream(stream, "cudaStreamAddCallback", RIDGELINE_CALLER,
                   {.type = cudaGraphNodeTypeHost, .run = [=] {
                      host_has_waited();
                      call(stream, cudaSuccess, data);
                      return cudaSuccess;
                    }});
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* data) {
  return in_stream(stream, "cudaLaunchHostFunc", RIDGELINE_CALLER, host_work({call, data}));
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
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr) return Session::here().fail(cudaErrorInvalidResourceHandle);
  const std::lock_guard lock(together());
  if (const auto captured = record_in_capture(event, stream)) return *captured;
  *event = {Moment::now(), true, nullptr, {}, clock_of(stream_of(stream))};
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return wait_for(event, "cudaEventSynchronize", RIDGELINE_CALLER);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return wait_for(event, "cudaEventQuery", RIDGELINE_CALLER);
}
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
    case cudaErrorIllegalState:
      return "cudaErrorIllegalState";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureMerge:
      return "cudaErrorStreamCaptureMerge";
    case cudaErrorStreamCaptureUnmatched:
      return "cudaErrorStreamCaptureUnmatched";
    case cudaErrorStreamCaptureUnjoined:
      return "cudaErrorStreamCaptureUnjoined";
    case cudaErrorStreamCaptureIsolation:
      return "cudaErrorStreamCaptureIsolation";
    case cudaErrorStreamCaptureImplicit:
      return "cudaErrorStreamCaptureImplicit";
    case cudaErrorCapturedEvent:
      return "cudaErrorCapturedEvent";
    case cudaErrorGraphExecUpdateFailure:
      return "cudaErrorGraphExecUpdateFailure";
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
    case cudaErrorIllegalState:
      return "the operation cannot be performed in the present state";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureMerge:
      return "operation would result in a merge of separate capture sequences";
    case cudaErrorStreamCaptureUnmatched:
      return "capture was not ended in the same stream as it began";
    case cudaErrorStreamCaptureUnjoined:
      return "capturing stream has unjoined work";
    case cudaErrorStreamCaptureIsolation:
      return "dependency created on uncaptured work in another stream";
    case cudaErrorStreamCaptureImplicit:
      return "operation would make the legacy stream depend on a capturing blocking stream";
    case cudaErrorCapturedEvent:
      return "operation not permitted on an event last recorded in a capturing stream";
    case cudaErrorGraphExecUpdateFailure:
      return "the graph update was not performed because it included changes which violated "
             "constraints specific to instantiated graph update";
    case cudaErrorUnknown:
      return "unknown error";
    default:
      return "unrecognized error code";
  }
}

}  // extern "C"
