#include "kernels/cuda/cudnn_attention.hpp"

#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include <cuda_runtime_api.h>
#include <cudnn_frontend.h>

#include "harness/base/error.hpp"
#include "harness/device/library.hpp"

// cuDNN's front end (header-only) builds the graphs. Of CUDA's runtime it would open the shared
// library, which need not be there; two settings keep it from that: the architecture is told, and
// CUDA graphs do not hold plans.

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // the front end looks its functions up here
}

namespace ridgeline::kernels::cudnn {
namespace {

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

// The first version whose plans need no arrays written by the front end through CUDA's runtime.
constexpr std::size_t oldest = 91600;
constexpr std::int64_t slack = 64 << 10;  // for what a plan needs whatever its shape

enum Uid : std::int64_t {
  q_uid = 1,
  k_uid,
  v_uid,
  o_uid,
  stats_uid,
  do_uid,
  dq_uid,
  dk_uid,
  dv_uid
};

/// Why cuDNN cannot be called; empty when it can.
const std::string& missing() {
  static const std::string reason = [] {
    static const device::Library library{"libcudnn.so.9"};
    if (!library.loaded()) return library.reason();
    const auto version = library.function<std::size_t()>("cudnnGetVersion");
    if (version == nullptr) return std::string("libcudnn.so.9 lacks cudnnGetVersion");
    if (version() < oldest)
      return "libcudnn.so.9 is " + fe::detail::convert_version_to_str(version()) + ", and " +
             fe::detail::convert_version_to_str(oldest) + " or newer is needed";
    fe::cudnn_dlhandle = library.native();
    return std::string();
  }();
  return reason;
}

std::string describe(const Shape& shape) {
  return "batch=" + std::to_string(shape.batch) + ", heads=" + std::to_string(shape.heads) +
         ", kv_heads=" + std::to_string(shape.kv_heads) +
         ", queries=" + std::to_string(shape.queries) + ", keys=" + std::to_string(shape.keys) +
         ", dim=" + std::to_string(shape.dim) + (shape.causal ? ", causal, " : ", full, ") +
         std::string(to_string(shape.dtype));
}

[[noreturn]] void fail(const char* action, const Shape& shape, const std::string& reason) {
  throw Error(ErrorKind::dependency,
              "cuDNN: " + std::string(action) + " for " + describe(shape) + " failed: " + reason);
}
void check(fe::error_t status, const char* action, const Shape& shape) {
  if (!status.is_good()) fail(action, shape, status.get_message());
}
void check(cudnnStatus_t status, const char* action, const Shape& shape) {
  if (status != CUDNN_STATUS_SUCCESS)
    fail(action, shape, "status " + std::to_string(static_cast<int>(status)));
}

cudnnHandle_t handle(const Shape& shape) {
  static cudnnHandle_t handle = nullptr;
  if (handle == nullptr) check(fe::detail::create_handle(&handle), "opening the library", shape);
  return handle;
}

int capability() {
  int device = 0, major = 0, minor = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  return 10 * major + minor;
}

/// A graph whose arrays are those of a shape; its plan lives as long as the process.
class Graph {
 public:
  explicit Graph(const Shape& shape) : shape_(shape) {
    const fe::DataType_t type =
        shape.dtype == DType::bf16 ? fe::DataType_t::BFLOAT16 : fe::DataType_t::HALF;
    graph_.set_io_data_type(type)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT)
        .set_sm_version(capability())
        .set_cuda_graph_retention(fe::CudaGraphRetention_t::NONE);
  }

  fe::graph::Graph& operator*() { return graph_; }
  float scale() const { return 1.0f / std::sqrt(static_cast<float>(shape_.dim)); }

  Tensor like_q(Uid uid) {
    return graph_.tensor(row_major(uid, shape_.heads, shape_.queries, shape_.dim));
  }
  Tensor like_k(Uid uid) {
    return graph_.tensor(row_major(uid, shape_.kv_heads, shape_.keys, shape_.dim));
  }
  Tensor stats() {
    return graph_.tensor(
        row_major(stats_uid, shape_.heads, shape_.queries, 1).set_data_type(fe::DataType_t::FLOAT));
  }
  void write_like_q(const Tensor& tensor, Uid uid) {
    write(tensor, row_major(uid, shape_.heads, shape_.queries, shape_.dim));
  }
  void write_like_k(const Tensor& tensor, Uid uid) {
    write(tensor, row_major(uid, shape_.kv_heads, shape_.keys, shape_.dim));
  }
  void write_stats(const Tensor& tensor) {
    write(tensor, row_major(stats_uid, shape_.heads, shape_.queries, 1));
    tensor->set_data_type(fe::DataType_t::FLOAT);
  }

  void build(std::size_t allowed) {
    check(graph_.build(handle(shape_), {fe::HeurMode_t::A}), "making a plan", shape_);
    const std::int64_t needed = graph_.get_workspace_size();
    if (needed > static_cast<std::int64_t>(allowed))
      fail("making a plan", shape_,
           "it needs a workspace of " + std::to_string(needed) + " bytes, not " +
               std::to_string(allowed));
  }
  void execute(std::unordered_map<std::int64_t, void*> arrays, void* workspace,
               device::Stream& stream) {
    check(fe::detail::set_stream(handle(shape_), static_cast<cudaStream_t>(stream.native)),
          "choosing the stream", shape_);
    check(graph_.execute(handle(shape_), arrays, workspace), "executing", shape_);
  }

 private:
  fe::graph::Tensor_attributes row_major(Uid uid, std::int64_t heads, std::int64_t rows,
                                         std::int64_t columns) const {
    return fe::graph::Tensor_attributes()
        .set_uid(uid)
        .set_dim({shape_.batch, heads, rows, columns})
        .set_stride({heads * rows * columns, rows * columns, columns, 1});
  }
  static void write(const Tensor& tensor, const fe::graph::Tensor_attributes& as) {
    tensor->set_output(true)
        .set_uid(as.get_uid())
        .set_dim(as.get_dim())
        .set_stride(as.get_stride());
  }

  Shape shape_;
  fe::graph::Graph graph_;
};

std::unique_ptr<Graph> make_forward(const Shape& shape, bool stats) {
  auto graph = std::make_unique<Graph>(shape);
  auto options = fe::graph::SDPA_attributes()
                     .set_name("forward")
                     .set_attn_scale(graph->scale())
                     .set_generate_stats(stats);
  if (shape.causal)
    options.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT)
        .set_diagonal_band_right_bound(0);
  const auto [o, sums] =
      (**graph).sdpa(graph->like_q(q_uid), graph->like_k(k_uid), graph->like_k(v_uid), options);
  graph->write_like_q(o, o_uid);
  if (stats) graph->write_stats(sums);
  graph->build(workspace_bytes(shape));
  return graph;
}

std::unique_ptr<Graph> make_backward(const Shape& shape) {
  auto graph = std::make_unique<Graph>(shape);
  auto options =
      fe::graph::SDPA_backward_attributes().set_name("backward").set_attn_scale(graph->scale());
  if (shape.causal)
    options.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT)
        .set_diagonal_band_right_bound(0);
  const auto [dq, dk, dv] =
      (**graph).sdpa_backward(graph->like_q(q_uid), graph->like_k(k_uid), graph->like_k(v_uid),
                              graph->like_q(o_uid), graph->like_q(do_uid), graph->stats(), options);
  graph->write_like_q(dq, dq_uid);
  graph->write_like_k(dk, dk_uid);
  graph->write_like_k(dv, dv_uid);
  graph->build(gradient_workspace_bytes(shape));
  return graph;
}

/// The graph for `key`, made by `make` once a process. What the front end throws is no Error.
template <class Key, class Make>
Graph& kept(std::map<Key, std::unique_ptr<Graph>>& graphs, const Key& key, const Shape& shape,
            Make make) {
  if (!missing().empty()) fail("opening the library", shape, missing());
  auto& graph = graphs[key];
  try {
    if (graph == nullptr) graph = make();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail("making a plan", shape, error.what());
  }
  return *graph;
}

void* writable(const void* array) { return const_cast<void*>(array); }  // the front end's type

std::int64_t rows(const Shape& shape) { return shape.batch * shape.heads * shape.queries; }

}  // namespace

device::Support support(DType dtype, const device::Facts& facts) {
  if (dtype != DType::bf16 && dtype != DType::f16)
    return device::Support::unsupported("cuDNN's attention is for bf16 and f16 only");
  if (facts.capability < 80)
    return device::Support::unsupported("cuDNN's attention needs compute capability 8.0");
  if (!missing().empty()) return device::Support::unavailable(missing());
  return device::Support::yes();
}

// One query is computed by as many blocks as a GPU has room for, each with its share of the keys.
// They leave outputs in f32 and two numbers a row; there were 256 on 132 SMs.
std::size_t workspace_bytes(const Shape& shape) {
  constexpr std::int64_t blocks = 512;
  const std::int64_t group = shape.heads / shape.kv_heads,
                     shares = blocks * group * (shape.dim + 2) * 4;
  return static_cast<std::size_t>((shape.queries == 1 ? shares : 0) + slack);
}

// dQ is summed in f32, with a number for each row; and gradients of shared heads are written for
// each head of Q before they are added.
std::size_t gradient_workspace_bytes(const Shape& shape) {
  const std::int64_t sums = rows(shape) * (shape.dim + 1) * 4,
                     shared = shape.batch * shape.heads * shape.keys * shape.dim * 2 * 2;
  return static_cast<std::size_t>(sums + (shape.heads != shape.kv_heads ? shared : 0) + slack);
}

void forward(const Shape& shape, const Forward& arrays, device::Stream& stream) {
  static std::map<std::pair<Shape, bool>, std::unique_ptr<Graph>> graphs;
  const bool stats = arrays.stats != nullptr;
  Graph& graph = kept(graphs, {shape, stats}, shape, [&] { return make_forward(shape, stats); });
  std::unordered_map<std::int64_t, void*> pointers{{q_uid, writable(arrays.q)},
                                                   {k_uid, writable(arrays.k)},
                                                   {v_uid, writable(arrays.v)},
                                                   {o_uid, arrays.o}};
  if (stats) pointers.emplace(stats_uid, arrays.stats);
  graph.execute(std::move(pointers), arrays.workspace, stream);
}

void backward(const Shape& shape, const Backward& arrays, device::Stream& stream) {
  static std::map<Shape, std::unique_ptr<Graph>> graphs;
  Graph& graph = kept(graphs, shape, shape, [&] { return make_backward(shape); });
  graph.execute({{q_uid, writable(arrays.q)},
                 {k_uid, writable(arrays.k)},
                 {v_uid, writable(arrays.v)},
                 {o_uid, writable(arrays.o)},
                 {do_uid, writable(arrays.d_o)},
                 {stats_uid, writable(arrays.stats)},
                 {dq_uid, arrays.dq},
                 {dk_uid, arrays.dk},
                 {dv_uid, arrays.dv}},
                arrays.workspace, stream);
}

}  // namespace ridgeline::kernels::cudnn
