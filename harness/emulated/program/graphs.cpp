#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/copies.hpp"
#include "harness/emulated/program/kernel_work.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program/streams.hpp"

// CUDA's runtime API for a program on the emulated device: graphs, and streams that are captured
// for them. A launch of a graph runs its nodes one after the other, each behind those that it comes
// after.
using ridgeline::program::KernelWork;
using ridgeline::program::Session;
using ridgeline::program::Work;

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
struct CUgraphNode_st {
  CUgraph_st* graph = nullptr;
  Work work;
  std::vector<cudaGraphNode_t> behind;  // what it comes after
  std::vector<void*> values;            // of a kernel, as it was last asked for them
  cudaGraph_t child = nullptr;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  ~CUgraph_st();
};
struct CUgraphExec_st {
  struct Step {
    std::set<cudaGraphNode_t> nodes;  // that it is known by
    Work work;
    std::vector<std::size_t> behind;  // earlier steps
    bool is_enabled = true;
    std::size_t line = 0;  // of work: of the first step that it comes behind, if it is the first
  };
  std::vector<Step> steps;  // in an order that they may come in
  unsigned long long flags = 0;
  ridgeline::program::Clock clock{};  // of its last launch, which each comes behind
};
// NOLINTEND(readability-identifier-naming)

namespace ridgeline::program {
namespace {

std::vector<std::shared_ptr<Capture>>& captures() {
  static std::vector<std::shared_ptr<Capture>> under_way;
  return under_way;
}

thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

cudaError_t refuse(cudaError_t error, const char* call, std::uint32_t pc, const char* why) {
  Session::here().host_mistake(call, pc, why);
  return Session::here().fail(error);
}

cudaGraphNode_t add(cudaGraph_t graph, std::vector<cudaGraphNode_t> behind, Work work) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->graph = graph;
  node->work = std::move(work);
  node->behind = std::move(behind);
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

/// Nodes of a graph, each behind those that it comes after, else as they were added. Fewer than
/// there are where some wait for each other.
std::vector<cudaGraphNode_t> in_order(const CUgraph_st& graph) {
  std::vector<cudaGraphNode_t> to;
  std::set<cudaGraphNode_t> done;
  for (bool goes_on = true; std::exchange(goes_on, false);)
    for (const auto& node : graph.nodes)
      if (!done.contains(node.get()) &&
          std::ranges::all_of(node->behind, [&](auto* each) { return done.contains(each); })) {
        to.push_back(node.get());
        done.insert(node.get());
        goes_on = true;
      }
  return to;
}

/// Steps of a graph behind those that are there, of which `behind` come before all of it.
bool add_steps(const CUgraph_st& graph, const std::vector<std::size_t>& behind,
               CUgraphExec_st& to) {
  const std::vector<cudaGraphNode_t> nodes = in_order(graph);
  std::map<cudaGraphNode_t, std::size_t> steps;
  for (const cudaGraphNode_t node : nodes) {
    std::vector<std::size_t> before = behind;
    for (const cudaGraphNode_t each : node->behind) before.push_back(steps.at(each));
    if (node->child != nullptr) {
      const std::size_t first = to.steps.size();
      if (!add_steps(*node->child, before, to)) return false;
      for (std::size_t i = first; i < to.steps.size(); ++i) before.push_back(i);
    }
    steps[node] = to.steps.size();
    to.steps.push_back({{node}, node->work, std::move(before)});
  }
  return nodes.size() == graph.nodes.size();
}

cudaError_t instantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags,
                        const char* call, std::uint32_t pc) {
  if (to == nullptr || graph == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  const std::lock_guard lock(together());
  auto made = std::make_unique<CUgraphExec_st>();
  made->flags = flags;
  if (!add_steps(*graph, {}, *made))
    return refuse(cudaErrorInvalidValue, call, pc, "nodes of the graph wait for each other");
  std::set<std::size_t> followed;
  for (CUgraphExec_st::Step& step : made->steps) {
    const auto tail = std::ranges::find_if(
        step.behind, [&](std::size_t each) { return followed.insert(each).second; });
    step.line =
        tail == step.behind.end() ? StreamOrder::here().add_line() : made->steps[*tail].line;
  }
  *to = made.release();
  return cudaSuccess;
}

/// Of the graph that is launched: what it comes behind, and then what comes behind it.
thread_local Clock* clock_of_launch = nullptr;

/// Runs it where it stands, or, of a graph, its nodes one by one.
cudaError_t run_now(Clock& clock, std::size_t line, const char* call, std::uint32_t pc,
                    const Work& work, bool notes = true) {
  if (!work.run) return cudaSuccess;
  StreamOrder& order = StreamOrder::here();
  if (work.type == cudaGraphNodeTypeGraph) {
    Clock* const before = std::exchange(clock_of_launch, &clock);
    const cudaError_t error = work.run();
    clock_of_launch = before;
    return error;
  }
  // It may tell another thread of the host that it runs.
  if (work.type == cudaGraphNodeTypeHost) {
    {
      const std::lock_guard lock(together());
      order.host_waits_for(clock);
    }
    return work.run();
  }
  const std::lock_guard lock(together());
  return order.run(clock, line, call, pc, work.type == cudaGraphNodeTypeKernel, notes, work.run);
}

cudaError_t launch(CUgraphExec_st& graph) {
  std::vector<Clock> clocks;
  clock_of_launch->join(graph.clock);
  Clock all = *clock_of_launch;
  for (const CUgraphExec_st::Step& step : graph.steps) {
    Clock clock = *clock_of_launch;
    for (const std::size_t each : step.behind) clock.join(clocks[each]);
    if (step.is_enabled)
      if (const cudaError_t error =
              run_now(clock, step.line, step.work.call, step.work.pc, step.work);
          error != cudaSuccess)
        return error;
    all.join(clock);
    clocks.push_back(std::move(clock));
  }
  graph.clock = *clock_of_launch = all;
  return cudaSuccess;
}

/// New work for a node, of the kind that it has.
cudaError_t set_work_of(Work& of, Work work, const char* call, std::uint32_t pc) {
  if (of.type != work.type)
    return refuse(cudaErrorInvalidValue, call, pc, "the node is of another kind");
  of = std::move(work);
  return cudaSuccess;
}
cudaError_t set_work_of(cudaGraphExec_t graph, cudaGraphNode_t node, Work work, const char* call,
                        std::uint32_t pc) {
  for (CUgraphExec_st::Step& step : graph->steps)
    if (step.nodes.contains(node)) return set_work_of(step.work, std::move(work), call, pc);
  return refuse(cudaErrorInvalidValue, call, pc,
                "the graph that is launched was made of one that does not have the node");
}

Work kernel_node(const cudaKernelNodeParams& of, const char* call, std::uint32_t pc) {
  if (of.kernelParams == nullptr && of.extra != nullptr) {
    Session::here().host_mistake(
        "unsupported", pc,
        std::string(call) + ": arguments by `extra` are not modelled; pass kernelParams");
    Session::here().end_program(1);
  }
  auto work = std::make_shared<const KernelWork>(kernel_work(of, pc));
  return {.type = cudaGraphNodeTypeKernel,
          .run = [work] { return launch(*work); },
          .pc = pc,
          .kernel = work};
}

cudaError_t add_node(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* behind,
                     std::size_t count, Work work) {
  if (to == nullptr || graph == nullptr || (behind == nullptr && count != 0))
    return Session::here().fail(cudaErrorInvalidValue);
  *to = add(graph, std::vector(behind, behind + count), std::move(work));
  return cudaSuccess;
}

/// Writes as many as there is room for, or, without room, says how many there are.
cudaError_t give(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* to, std::size_t* count) {
  if (count == nullptr) return Session::here().fail(cudaErrorInvalidValue);
  for (std::size_t i = 0; to != nullptr && i < *count; ++i)
    to[i] = i < all.size() ? all[i] : nullptr;
  *count = to == nullptr ? all.size() : std::min(*count, all.size());
  return cudaSuccess;
}

/// Whether all nodes of the graph come before one of those, or are one of them.
bool lead_to(const CUgraph_st& graph, const std::vector<cudaGraphNode_t>& last) {
  std::set<cudaGraphNode_t> reached;
  std::vector<cudaGraphNode_t> open = last;
  while (!open.empty()) {
    const cudaGraphNode_t node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), node->behind.begin(), node->behind.end());
  }
  return reached.size() == graph.nodes.size();
}

}  // namespace

Work host_work(const cudaHostNodeParams& of) {
  return {.type = cudaGraphNodeTypeHost,
          .run =
              [of] {
                host_has_waited();
                of.fn(of.userData);
                return cudaSuccess;
              },
          .host = of};
}

cudaError_t in_stream(cudaStream_t stream, const char* call, std::uint32_t pc, Work work,
                      bool host_waits) {
  std::unique_lock lock(together());
  CUstream_st& of = stream_of(stream);
  const bool is_legacy = &of == &stream_of(nullptr);
  if (is_legacy)
    for (const auto& capture : captures())
      if (std::ranges::any_of(capture->streams, [](cudaStream_t each) {
            return (each->flags & cudaStreamNonBlocking) == 0;
          })) {
        capture->is_invalid = true;
        return refuse(cudaErrorStreamCaptureImplicit, call, pc,
                      "it is on the default stream, which would wait for a stream that is "
                      "captured; name a stream, or make that one by cudaStreamNonBlocking");
      }
  if (of.capture == nullptr) {
    Clock clock = clock_of(of);
    lock.unlock();
    const cudaError_t error = run_now(clock, of.line, call, pc, work, !host_waits);
    lock.lock();
    of.clock.join(clock);
    if (host_waits) StreamOrder::here().host_waits_for(clock);
    return error;
  }
  work.call = call;
  work.pc = pc;
  if (of.capture->is_invalid) return Session::here().fail(cudaErrorStreamCaptureInvalidated);
  of.tails = {add(of.capture->graph, of.tails, std::move(work))};
  return cudaSuccess;
}

void leave_capture(cudaStream_t stream) {
  const std::shared_ptr<Capture> capture = std::exchange(stream->capture, nullptr);
  if (capture == nullptr) return;
  capture->streams.erase(stream);
  if (capture->origin != stream) return;
  for (const cudaStream_t each : capture->streams) {
    each->capture = nullptr;
    each->tails.clear();
  }
  capture->has_ended = true;
  std::erase(captures(), capture);
  delete capture->graph;
}

cudaError_t in_capture(const char* call, std::uint32_t pc) {
  const std::lock_guard lock(together());
  if (captures().empty()) return cudaSuccess;
  for (const auto& capture : captures()) capture->is_invalid = true;
  return refuse(cudaErrorStreamCaptureUnsupported, call, pc,
                "a stream is captured, whose work has not begun and cannot be waited for; call it "
                "behind cudaStreamEndCapture()");
}

cudaError_t unsafe_in_capture(const char* call, std::uint32_t pc) {
  const std::lock_guard lock(together());
  if (mode_of_thread == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& capture : captures()) {
    if (capture->mode == cudaStreamCaptureModeRelaxed ||
        (capture->mode == cudaStreamCaptureModeThreadLocal &&
         capture->thread != std::this_thread::get_id()))
      continue;
    capture->is_invalid = true;
    return refuse(cudaErrorStreamCaptureUnsupported, call, pc,
                  "a stream is captured, which does not allow it; call it before, or begin the "
                  "capture with cudaStreamCaptureModeRelaxed");
  }
  return cudaSuccess;
}

std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream) {
  const CUstream_st& of = stream_of(stream);
  if (of.capture == nullptr) return std::nullopt;
  event->capture = of.capture;
  event->tails = of.tails;
  return cudaSuccess;
}

std::optional<cudaError_t> wait_in_capture(cudaStream_t stream, cudaEvent_t event,
                                           std::uint32_t pc) {
  CUstream_st& of = stream_of(stream);
  const char* const call = "cudaStreamWaitEvent";
  const bool is_captured = event->capture != nullptr && !event->capture->has_ended;
  if (!is_captured && of.capture == nullptr) return std::nullopt;
  if (!is_captured) {
    if (!event->recorded) return cudaSuccess;
    of.capture->is_invalid = true;
    return refuse(cudaErrorStreamCaptureIsolation, call, pc,
                  "the stream is captured, and the event was recorded in one that is not: a graph "
                  "cannot wait for it");
  }
  if (of.capture != nullptr && of.capture != event->capture) {
    of.capture->is_invalid = event->capture->is_invalid = true;
    return refuse(cudaErrorStreamCaptureMerge, call, pc,
                  "the stream and the event's belong to two captures");
  }
  if (&of == &stream_of(nullptr))
    return refuse(cudaErrorStreamCaptureImplicit, call, pc,
                  "the default stream cannot join a capture");
  if (of.capture == nullptr) {
    of.capture = event->capture;
    of.capture->streams.insert(&of);
    of.tails.clear();
  }
  for (const cudaGraphNode_t node : event->tails)
    if (std::ranges::find(of.tails, node) == of.tails.end()) of.tails.push_back(node);
  return cudaSuccess;
}

namespace {

cudaError_t no_such() { return Session::here().fail(cudaErrorInvalidValue); }

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const std::lock_guard lock(together());
  CUstream_st& of = stream_of(stream);
  if (&of == &stream_of(nullptr))
    return refuse(cudaErrorStreamCaptureUnsupported, "cudaStreamBeginCapture", RIDGELINE_CALLER,
                  "the default stream cannot be captured; make one by cudaStreamCreate()");
  if (of.capture != nullptr)
    return refuse(cudaErrorIllegalState, "cudaStreamBeginCapture", RIDGELINE_CALLER,
                  "the stream is captured already");
  static unsigned long long made = 0;
  of.capture = std::make_shared<Capture>();
  *of.capture = {.origin = &of,
                 .mode = mode,
                 .thread = std::this_thread::get_id(),
                 .id = ++made,
                 .graph = new CUgraph_st,
                 .streams = {&of}};
  of.tails.clear();
  captures().push_back(of.capture);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) {
  const std::lock_guard lock(together());
  const char* const call = "cudaStreamEndCapture";
  CUstream_st& of = stream_of(stream);
  if (to != nullptr) *to = nullptr;
  if (of.capture == nullptr)
    return refuse(cudaErrorIllegalState, call, RIDGELINE_CALLER, "the stream is not captured");
  const std::shared_ptr<Capture> capture = of.capture;
  if (capture->origin != &of) {
    capture->is_invalid = true;
    return refuse(cudaErrorStreamCaptureUnmatched, call, RIDGELINE_CALLER,
                  "the capture was begun in another stream, which has to end it");
  }
  const bool is_joined = lead_to(*capture->graph, of.tails);
  for (const cudaStream_t each : capture->streams) {
    each->capture = nullptr;
    each->tails.clear();
  }
  capture->has_ended = true;
  std::erase(captures(), capture);
  if (!capture->is_invalid && is_joined && to != nullptr) {
    *to = capture->graph;
    return cudaSuccess;
  }
  delete capture->graph;
  if (capture->is_invalid)  // what has made it so is told already
    return Session::here().fail(cudaErrorStreamCaptureInvalidated);
  return is_joined ? no_such()
                   : refuse(cudaErrorStreamCaptureUnjoined, call, RIDGELINE_CALLER,
                            "a stream that has joined the capture has work that this one does not "
                            "wait for: record an event there, and wait for it here by "
                            "cudaStreamWaitEvent()");
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* to) {
  const auto& capture = stream_of(stream).capture;
  *to = capture == nullptr    ? cudaStreamCaptureStatusNone
        : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                              : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** behind,
                                     const cudaGraphEdgeData** edges, std::size_t* count) {
  const CUstream_st& of = stream_of(stream);
  cudaStreamIsCapturing(stream, status);
  if (of.capture == nullptr) return cudaSuccess;
  if (id != nullptr) *id = of.capture->id;
  if (graph != nullptr) *graph = of.capture->graph;
  if (behind != nullptr) *behind = of.tails.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = of.tails.size();
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, mode_of_thread);
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* to, unsigned) {
  *to = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t* to, cudaGraph_t graph) {
  if (to == nullptr || graph == nullptr) return no_such();
  *to = new CUgraph_st;
  std::map<cudaGraphNode_t, cudaGraphNode_t> made;
  for (const auto& node : graph->nodes) {
    made[node.get()] = add(*to, {}, node->work);
    if (node->child != nullptr) cudaGraphClone(&made[node.get()]->child, node->child);
  }
  for (const auto& node : graph->nodes)
    for (const cudaGraphNode_t each : node->behind)
      made[node.get()]->behind.push_back(made.at(each));
  return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* to, cudaGraph_t graph,
                                  const cudaGraphNode_t* behind, std::size_t count) {
  return add_node(to, graph, behind, count, {});
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* to, cudaGraph_t graph,
                                   const cudaGraphNode_t* behind, std::size_t count,
                                   const cudaKernelNodeParams* of) {
  return add_node(to, graph, behind, count,
                  kernel_node(*of, "cudaGraphAddKernelNode", RIDGELINE_CALLER));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* to, cudaGraph_t graph,
                                   const cudaGraphNode_t* behind, std::size_t count,
                                   const cudaMemcpy3DParms* of) {
  return add_node(to, graph, behind, count,
                  copy_work(*of, "cudaGraphAddMemcpyNode", RIDGELINE_CALLER));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* to, cudaGraph_t graph,
                                     const cudaGraphNode_t* behind, std::size_t count, void* target,
                                     const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  return add_node(
      to, graph, behind, count,
      linear_copy(target, source, bytes, kind, "cudaGraphAddMemcpyNode1D", RIDGELINE_CALLER));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* to, cudaGraph_t graph,
                                   const cudaGraphNode_t* behind, std::size_t count,
                                   const cudaMemsetParams* of) {
  return add_node(to, graph, behind, count,
                  set_work(*of, "cudaGraphAddMemsetNode", RIDGELINE_CALLER));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* to, cudaGraph_t graph,
                                 const cudaGraphNode_t* behind, std::size_t count,
                                 const cudaHostNodeParams* of) {
  return add_node(to, graph, behind, count, host_work(*of));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* to, cudaGraph_t graph,
                                       const cudaGraphNode_t* behind, std::size_t count,
                                       cudaGraph_t child) {
  const cudaError_t error = add_node(to, graph, behind, count, {.type = cudaGraphNodeTypeGraph});
  return error != cudaSuccess ? error : cudaGraphClone(&(*to)->child, child);
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* to) {
  *to = node->child;
  return cudaSuccess;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i]->behind.push_back(from[i]);
  return cudaSuccess;
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::erase(to[i]->behind, from[i]);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  for (const auto& each : node->graph->nodes) std::erase(each->behind, node);
  delete node->child;
  std::erase_if(node->graph->nodes, [&](const auto& each) { return each.get() == node; });
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* to, std::size_t* count) {
  return give(in_order(*graph), to, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* to, std::size_t* count) {
  std::vector<cudaGraphNode_t> all = in_order(*graph);
  std::erase_if(all, [](cudaGraphNode_t each) { return !each->behind.empty(); });
  return give(all, to, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count) {
  std::vector<cudaGraphNode_t> first, last;
  for (const cudaGraphNode_t node : in_order(*graph))
    for (const cudaGraphNode_t each : node->behind) {
      first.push_back(each);
      last.push_back(node);
    }
  std::size_t room = *count;
  for (std::size_t i = 0; data != nullptr && i < std::min(room, first.size()); ++i) data[i] = {};
  give(first, from, &room);
  return give(last, to, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* to,
                                         cudaGraphEdgeData* data, std::size_t* count) {
  for (std::size_t i = 0; data != nullptr && i < std::min(*count, node->behind.size()); ++i)
    data[i] = {};
  return give(node->behind, to, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* to,
                                           cudaGraphEdgeData* data, std::size_t* count) {
  std::vector<cudaGraphNode_t> all = in_order(*node->graph);
  std::erase_if(all, [&](cudaGraphNode_t each) {
    return std::ranges::find(each->behind, node) == each->behind.end();
  });
  for (std::size_t i = 0; data != nullptr && i < std::min(*count, all.size()); ++i) data[i] = {};
  return give(all, to, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* to) {
  *to = node->work.type;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* to) {
  if (node->work.kernel == nullptr) return no_such();
  const KernelWork& of = *node->work.kernel;
  node->values.clear();
  for (const auto& each : of.each)
    node->values.push_back(const_cast<std::byte*>(each.data()));  // as CUDA gives them
  *to = {reinterpret_cast<void*>(of.kernel),
         of.config.grid,
         of.config.block,
         static_cast<unsigned>(of.config.shared_bytes),
         node->values.data(),
         nullptr};
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* of) {
  const char* const call = "cudaGraphKernelNodeSetParams";
  return set_work_of(node->work, kernel_node(*of, call, RIDGELINE_CALLER), call, RIDGELINE_CALLER);
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* to) {
  if (!node->work.copy) return no_such();
  *to = *node->work.copy;
  return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* of) {
  const char* const call = "cudaGraphMemcpyNodeSetParams";
  return set_work_of(node->work, copy_work(*of, call, RIDGELINE_CALLER), call, RIDGELINE_CALLER);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  const char* const call = "cudaGraphMemcpyNodeSetParams1D";
  return set_work_of(node->work, linear_copy(to, from, bytes, kind, call, RIDGELINE_CALLER), call,
                     RIDGELINE_CALLER);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* to) {
  if (!node->work.set) return no_such();
  *to = *node->work.set;
  return cudaSuccess;
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* of) {
  const char* const call = "cudaGraphMemsetNodeSetParams";
  return set_work_of(node->work, set_work(*of, call, RIDGELINE_CALLER), call, RIDGELINE_CALLER);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* to) {
  if (!node->work.host) return no_such();
  *to = *node->work.host;
  return cudaSuccess;
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* of) {
  return set_work_of(node->work, host_work(*of), "cudaGraphHostNodeSetParams", RIDGELINE_CALLER);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long flags) {
  return instantiate(to, graph, flags, "cudaGraphInstantiate", RIDGELINE_CALLER);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* to, cudaGraph_t graph,
                                          unsigned long long flags) {
  return instantiate(to, graph, flags, "cudaGraphInstantiateWithFlags", RIDGELINE_CALLER);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* to, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* of) {
  of->errNode_out = nullptr;
  const cudaError_t error =
      instantiate(to, graph, of->flags, "cudaGraphInstantiateWithParams", RIDGELINE_CALLER);
  of->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return error;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graph, unsigned long long* to) {
  *to = graph->flags;
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* of) {
  const char* const call = "cudaGraphExecKernelNodeSetParams";
  return set_work_of(graph, node, kernel_node(*of, call, RIDGELINE_CALLER), call, RIDGELINE_CALLER);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* of) {
  const char* const call = "cudaGraphExecMemcpyNodeSetParams";
  return set_work_of(graph, node, copy_work(*of, call, RIDGELINE_CALLER), call, RIDGELINE_CALLER);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node,
                                               void* to, const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  const char* const call = "cudaGraphExecMemcpyNodeSetParams1D";
  return set_work_of(graph, node, linear_copy(to, from, bytes, kind, call, RIDGELINE_CALLER), call,
                     RIDGELINE_CALLER);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                             const cudaMemsetParams* of) {
  const char* const call = "cudaGraphExecMemsetNodeSetParams";
  return set_work_of(graph, node, set_work(*of, call, RIDGELINE_CALLER), call, RIDGELINE_CALLER);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                           const cudaHostNodeParams* of) {
  return set_work_of(graph, node, host_work(*of), "cudaGraphExecHostNodeSetParams",
                     RIDGELINE_CALLER);
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned enabled) {
  for (CUgraphExec_st::Step& step : graph->steps)
    if (step.nodes.contains(node)) {
      step.is_enabled = enabled != 0;
      return cudaSuccess;
    }
  return no_such();
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned* to) {
  for (const CUgraphExec_st::Step& step : graph->steps)
    if (step.nodes.contains(node)) {
      *to = step.is_enabled ? 1 : 0;
      return cudaSuccess;
    }
  return no_such();
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t graph, cudaGraph_t from,
                                cudaGraphExecUpdateResultInfo* result) {
  CUgraphExec_st made;
  const bool is_alike =
      add_steps(*from, {}, made) &&
      std::ranges::equal(made.steps, graph->steps, [](const auto& a, const auto& b) {
        return a.work.type == b.work.type && a.behind == b.behind;
      });
  if (result != nullptr)
    *result = {is_alike ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged,
               nullptr, nullptr};
  if (!is_alike) return Session::here().fail(cudaErrorGraphExecUpdateFailure);
  for (std::size_t i = 0; i < made.steps.size(); ++i) {
    graph->steps[i].work = std::move(made.steps[i].work);
    graph->steps[i].nodes.merge(made.steps[i].nodes);
  }
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  if (graph == nullptr) return no_such();
  if (stream_of(stream).capture != nullptr) {
    // Of a graph in a graph, the first one's nodes as they are now.
    const auto kept = std::make_shared<CUgraphExec_st>(*graph);
    return in_stream(stream, "cudaGraphLaunch", RIDGELINE_CALLER,
                     {.type = cudaGraphNodeTypeGraph, .run = [kept] { return launch(*kept); }});
  }
  return in_stream(stream, "cudaGraphLaunch", RIDGELINE_CALLER,
                   {.type = cudaGraphNodeTypeGraph, .run = [=] { return launch(*graph); }});
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}

}  // extern "C"

}  // namespace ridgeline::program

CUgraph_st::~CUgraph_st() {
  for (const auto& node : nodes) delete node->child;
}
