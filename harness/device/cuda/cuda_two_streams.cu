#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/cuda/language.cuh"

namespace ridgeline::device::cuda {
namespace {

class Event {
 public:
  explicit Event(unsigned flags) {
    check_cuda(cudaEventCreateWithFlags(&event_, flags), "creating an event");
  }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  /// `after` goes on when what is on `before` so far has ended; both may be of a graph.
  void order(cudaStream_t before, cudaStream_t after) {
    check_cuda(cudaEventRecord(event_, before), "recording an event");
    check_cuda(cudaStreamWaitEvent(after, event_, 0), "waiting for another stream");
  }
  /// Notes the time at which `stream` comes here. In a graph that is a node of its own, which
  /// executes each time: a plain event would only be an order of nodes.
  void note(cudaStream_t stream) {
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(stream, &capturing), "asking whether a stream is captured");
    const bool in_graph = capturing == cudaStreamCaptureStatusActive;
    check_cuda(cudaEventRecordWithFlags(
                   event_, stream, in_graph ? cudaEventRecordExternal : cudaEventRecordDefault),
               "recording an event");
  }
  double ns_since(const Event& start) const {
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, start.event_, event_), "reading an elapsed time");
    return static_cast<double>(ms) * 1e6;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class CudaTwoStreams final : public TwoStreams {
 public:
  explicit CudaTwoStreams(Priority priority) {
    int least = 0, greatest = 0;  // numerically greatest is least
    check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities");
    check_cuda(cudaStreamCreateWithPriority(&beside_, cudaStreamNonBlocking,
                                            priority == Priority::high ? greatest : 0),
               "creating a stream");
  }
  CudaTwoStreams(const CudaTwoStreams&) = delete;
  ~CudaTwoStreams() override { cudaStreamDestroy(beside_); }

  void launch(Stream& stream, const Parts& parts) override {
    const auto main = static_cast<cudaStream_t>(stream.native);
    Stream beside{beside_};
    start_.note(main);
    fork_.order(main, beside_);
    parts.begin_beside(beside);
    beside_end_.note(beside_);
    parts.work(stream);
    work_end_.note(main);
    join_.order(beside_, main);
  }

  Ends ends() override { return {work_end_.ns_since(start_), beside_end_.ns_since(start_)}; }

 private:
  cudaStream_t beside_ = nullptr;
  Event fork_{cudaEventDisableTiming}, join_{cudaEventDisableTiming};
  Event start_{cudaEventDefault}, work_end_{cudaEventDefault}, beside_end_{cudaEventDefault};
};

}  // namespace

std::unique_ptr<TwoStreams> two_streams(Priority priority) {
  return std::make_unique<CudaTwoStreams>(priority);
}

}  // namespace ridgeline::device::cuda
