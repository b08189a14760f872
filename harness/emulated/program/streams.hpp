#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/emulated/program/stream_order.hpp"

namespace ridgeline::program {

struct KernelWork;

/// What a program asks of a stream: it is done at once, or kept for the graph that the stream is
/// captured for, with its arguments by value.
struct Work {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> run{};    // empty: there is nothing to do
  const char* call = "node of a graph";  // and where it was, of one that is kept
  std::uint32_t pc = 0;
  // What it can be asked for, and told anew, as a node of a graph.
  std::shared_ptr<const KernelWork> kernel{};
  std::optional<cudaMemcpy3DParms> copy{};
  std::optional<cudaMemsetParams> set{};
  std::optional<cudaHostNodeParams> host{};
};

/// What cudaLaunchHostFunc() asks for.
Work host_work(const cudaHostNodeParams& of);

/// For the call of the API by the name `call`, which returns to `pc`.
/// `host_waits`: the host does so behind it.
cudaError_t in_stream(cudaStream_t stream, const char* call, std::uint32_t pc, Work work,
                      bool host_waits = false);

/// The stream is destroyed: what it has captured stays, and a capture that it began ends.
void leave_capture(cudaStream_t stream);

/// That a call may not come while a stream is captured: it waits for all work, or is on the stream
/// that is there by itself, which waits for the others. What is wrong is also told. `cudaSuccess`:
/// it may.
cudaError_t in_capture(const char* call, std::uint32_t pc);
/// Likewise of calls that CUDA calls unsafe, which a capture may allow.
cudaError_t unsafe_in_capture(const char* call, std::uint32_t pc);

/// A stream that is captured, and those that have joined by its events.
struct Capture {
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread{};
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  std::set<cudaStream_t> streams{};
  bool is_invalid = false, has_ended = false;
};

}  // namespace ridgeline::program

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
struct CUstream_st {
  int priority = 0;
  unsigned flags = 0;
  std::shared_ptr<ridgeline::program::Capture> capture{};
  std::vector<cudaGraphNode_t> tails{};  // of the capture, that its next node comes behind
  ridgeline::program::Clock clock{};     // what its next work comes behind, and the host's
  std::size_t line = ridgeline::program::StreamOrder::here().add_line();
};
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
  std::shared_ptr<ridgeline::program::Capture> capture;  // in which it was recorded last
  std::vector<cudaGraphNode_t> tails;
  ridgeline::program::Clock clock;  // of what comes before it
};
// NOLINTEND(readability-identifier-naming)

namespace ridgeline::program {

/// The stream behind a handle, also of those that are there by themselves.
CUstream_st& stream_of(cudaStream_t handle);
/// What the stream's next work comes behind: the default stream's behind that of all streams that
/// wait for it, which wait for it in turn.
Clock clock_of(CUstream_st& stream);

/// cudaEventRecord() and cudaStreamWaitEvent() where the stream, or the event's, is captured:
/// absent where neither is.
std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream);
std::optional<cudaError_t> wait_in_capture(cudaStream_t stream, cudaEvent_t event,
                                           std::uint32_t pc);

}  // namespace ridgeline::program
