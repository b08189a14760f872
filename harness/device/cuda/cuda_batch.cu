#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/cuda/language.cuh"
#include "harness/device/cuda/waiting.cuh"

namespace ridgeline::device::cuda {
namespace {

// Keeps the GPU busy while the host enqueues what is to be timed: otherwise the events would also
// time the host. About 30 us at 2 GHz, longer than it takes to enqueue an event and a graph; the
// measured table in docs/measurement.md shows the effect.
constexpr long long spin_cycles = 60000;

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "creating an event"); }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(Stream& stream) {
    check_cuda(cudaEventRecord(event_, static_cast<cudaStream_t>(stream.native)),
               "recording an event");
  }
  cudaEvent_t native() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class TimedBatch : public Batch {
 public:
  explicit TimedBatch(Stream& stream) : stream_(stream) {}

  double run_ns() final {
    launch({}, stream_, spin, spin_cycles);
    start_.record(stream_);
    enqueue(stream_);
    stop_.record(stream_);
    wait();
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, start_.native(), stop_.native()),
               "reading an elapsed time");
    return static_cast<double>(ms) * 1e6;
  }

  void start() final {
    enqueue(stream_);
    stop_.record(stream_);
  }
  void wait() final {
    wait_for([this] { return cudaEventQuery(stop_.native()); },
             [this] { return cudaEventSynchronize(stop_.native()); },
             "executing a batch of launches");
  }

 private:
  virtual void enqueue(Stream& stream) = 0;
  Stream& stream_;
  Event start_, stop_;
};

class SingleBatch final : public TimedBatch {
 public:
  SingleBatch(std::function<void(Stream&)> launches, Stream& stream)
      : TimedBatch(stream), launches_(std::move(launches)) {}

 private:
  void enqueue(Stream& stream) override { launches_(stream); }
  std::function<void(Stream&)> launches_;
};

class GraphBatch final : public TimedBatch {
 public:
  GraphBatch(cudaGraph_t graph, Stream& stream) : TimedBatch(stream) {
    check_cuda(cudaGraphInstantiate(&executable_, graph, 0), "instantiating a graph of launches");
    const auto native = static_cast<cudaStream_t>(stream.native);
    const cudaError_t uploaded = cudaGraphUpload(executable_, native);
    const cudaError_t done = uploaded == cudaSuccess ? cudaStreamSynchronize(native) : uploaded;
    if (done != cudaSuccess) cudaGraphExecDestroy(executable_);
    check_cuda(done, "uploading a graph of launches");
  }
  ~GraphBatch() override { cudaGraphExecDestroy(executable_); }

 private:
  void enqueue(Stream& stream) override {
    check_cuda(cudaGraphLaunch(executable_, static_cast<cudaStream_t>(stream.native)),
               "launching a graph");
  }
  cudaGraphExec_t executable_ = nullptr;
};

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

Graph end_capture(Stream& stream, cudaError_t& status) {
  cudaGraph_t graph = nullptr;
  status = cudaStreamEndCapture(static_cast<cudaStream_t>(stream.native), &graph);
  return Graph(graph);
}

Graph capture(const std::function<void(Stream&)>& launches, Stream& stream) {
  check_cuda(cudaStreamBeginCapture(static_cast<cudaStream_t>(stream.native),
                                    cudaStreamCaptureModeThreadLocal),
             "beginning to capture launches");
  cudaError_t status = cudaSuccess;
  try {
    launches(stream);
  } catch (...) {
    end_capture(stream, status);  // the stream is usable again
    cudaGetLastError();
    throw;
  }
  Graph graph = end_capture(stream, status);
  check_cuda(status, "capturing launches into a graph");
  return graph;
}

}  // namespace

std::unique_ptr<Batch> record_graph(const std::function<void(Stream&)>& launches, Stream& stream) {
  return std::make_unique<GraphBatch>(capture(launches, stream).get(), stream);
}

std::vector<LoadedKernel> kernels_of(const std::function<void(Stream&)>& launches, Stream& stream) {
  const Graph graph = capture(launches, stream);
  std::size_t count = 0;
  check_cuda(cudaGraphGetNodes(graph.get(), nullptr, &count), "counting a graph's nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check_cuda(cudaGraphGetNodes(graph.get(), nodes.data(), &count), "listing a graph's nodes");
  std::vector<LoadedKernel> kernels;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check_cuda(cudaGraphNodeGetType(node, &type), "asking for the kind of a graph's node");
    if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset ||
        type == cudaGraphNodeTypeEmpty)
      continue;
    if (type != cudaGraphNodeTypeKernel) return {};  // it may hold kernels
    cudaKernelNodeParams kernel{};
    cudaFuncAttributes needs{};
    if (cudaGraphKernelNodeGetParams(node, &kernel) != cudaSuccess ||
        cudaFuncGetAttributes(&needs, kernel.func) != cudaSuccess) {
      cudaGetLastError();  // a kernel of a library that is loaded without the runtime
      return {};
    }
    kernels.push_back({needs.numRegs, needs.localSizeBytes, needs.sharedSizeBytes});
  }
  return kernels;
}

std::unique_ptr<Batch> record_single(std::function<void(Stream&)> launches, Stream& stream) {
  return std::make_unique<SingleBatch>(std::move(launches), stream);
}

}  // namespace ridgeline::device::cuda
