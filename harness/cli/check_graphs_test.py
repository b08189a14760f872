"""`ridgeline check` on programs that make graphs: of captured streams, and node by node."""

import pytest

from harness.cli.checked_programs import check

BEGIN = r"""
#include <cstdio>
__global__ void add(float a, const float* x, float* y) { y[threadIdx.x] += a * x[threadIdx.x]; }
__global__ void put(float* to, float value) { to[threadIdx.x] = value; }
void count(void* at) { ++*static_cast<int*>(at); }
"""
CAPTURED = (
    BEGIN
    + r"""
int main() {
  float host[32] = {1}, got[32], *x, *y, *z;
  cudaMalloc(&x, 128); cudaMalloc(&y, 128); cudaMalloc(&z, 128);
  cudaStream_t s, t; cudaEvent_t fork, join;
  cudaStreamCreate(&s); cudaStreamCreate(&t);
  cudaEventCreate(&fork); cudaEventCreate(&join);
  int calls = 0;
  float a = 2;
  cudaGraph_t graph; cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  cudaMemcpyAsync(x, host, 128, cudaMemcpyHostToDevice, s);
  cudaMemset2DAsync(y, 64, 0, 64, 2, s);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(t, fork, 0);
  add<<<1, 32, 0, s>>>(a, x, y);
  put<<<1, 32, 0, t>>>(z, 7);
  cudaLaunchHostFunc(t, count, &calls);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(t, &status);
  cudaEventRecord(join, t);
  cudaStreamWaitEvent(s, join, 0);
  add<<<1, 32, 0, s>>>(1, z, y);
  cudaMemcpyAsync(got, y, 128, cudaMemcpyDeviceToHost, s);
  a = 1000;
  if (cudaStreamEndCapture(s, &graph) != cudaSuccess) return 1;
  std::printf("%d calls, %d is active\n", calls, status == cudaStreamCaptureStatusActive);
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  std::size_t nodes, edges;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphGetEdges(graph, nullptr, nullptr, &edges);
  for (int i = 1; i <= 3; ++i) {
    host[0] = i;
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    std::printf("%g ", got[0]);
  }
  std::printf("%d calls, %zu nodes, %zu edges\n", calls, nodes, edges);
  cudaGraphExecDestroy(exec); cudaGraphDestroy(graph);
}
"""
)
# The kernels are launched by their addresses alone, and never by <<<>>>.
BY_HAND = (
    BEGIN
    + r"""
int main() {
  float *x, *y, got[32];
  cudaMalloc(&x, 128); cudaMalloc(&y, 128);
  cudaGraph_t graph; cudaGraphExec_t exec; cudaGraphNode_t set, first, last, back, called;
  cudaGraphCreate(&graph, 0);
  float value = 3, a = 10;
  int calls = 0;
  void *of_put[] = {&x, &value}, *of_add[] = {&a, &x, &y};
  cudaMemsetParams zero = {y, 0, 0, 4, 32, 1};
  cudaKernelNodeParams put_it = {(void*)put, 1, 32, 0, of_put, nullptr};
  cudaKernelNodeParams add_it = {(void*)add, 1, 32, 0, of_add, nullptr};
  cudaHostNodeParams call = {count, &calls};
  cudaGraphAddKernelNode(&last, graph, nullptr, 0, &add_it);
  cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero);
  cudaGraphAddKernelNode(&first, graph, &set, 1, &put_it);
  cudaGraphAddDependencies(graph, &first, &last, 1);
  cudaGraphAddMemcpyNode1D(&back, graph, &last, 1, got, y, 128, cudaMemcpyDeviceToHost);
  cudaGraphAddHostNode(&called, graph, &back, 1, &call);
  value = 1000;  // the graph has what it was
  cudaGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphLaunch(exec, nullptr);
  cudaDeviceSynchronize();
  std::printf("%g, ", got[5]);
  cudaKernelNodeParams is;
  cudaGraphKernelNodeGetParams(last, &is);
  std::printf("%d with %g, ", is.func == (void*)add, *(float*)is.kernelParams[0]);
  a = 20;
  cudaGraphExecKernelNodeSetParams(exec, last, &add_it);
  cudaGraphLaunch(exec, nullptr);
  cudaDeviceSynchronize();
  std::printf("%g, %d calls\n", got[5], calls);
}
"""
)


def test_a_captured_graph_does_each_time_what_its_streams_were_asked_for(tmp_path):
    program = tmp_path / "captured.cu"
    program.write_text(CAPTURED)
    done = check(tmp_path, program)
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert "0 calls, 1 is active\n9 11 13 3 calls, 7 nodes, 7 edges" in said, said


def test_a_graph_is_made_node_by_node_of_kernels_that_were_never_launched(tmp_path):
    program = tmp_path / "by_hand.cu"
    program.write_text(BY_HAND)
    done = check(tmp_path, program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "30, 1 with 10, 60, 2 calls" in done.stdout + done.stderr, done.stdout + done.stderr


def test_streams_that_are_destroyed_during_a_capture_leave_it(tmp_path):
    program = tmp_path / "destroyed.cu"
    program.write_text(
        BEGIN
        + """
int main() {
  float* x; cudaMalloc(&x, 128);
  cudaEvent_t event; cudaEventCreate(&event);
  cudaGraph_t graph; cudaGraphExec_t exec;
  cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(event, s); cudaStreamWaitEvent(t, event);
  put<<<1, 32, 0, t>>>(x, 7);
  cudaEventRecord(event, t); cudaStreamWaitEvent(s, event);
  cudaStreamDestroy(t);
  if (cudaStreamEndCapture(s, &graph) != cudaSuccess) return 1;
  cudaGraphInstantiate(&exec, graph, 0);
  if (cudaGraphLaunch(exec, s) != cudaSuccess) return 2;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  put<<<1, 32, 0, s>>>(x, 8);
  cudaStreamDestroy(s);
  float got; cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost);
  return got != 7;
}
"""
    )
    done = check(tmp_path, program)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "call, error, ended",
    [
        ("cudaDeviceSynchronize()", 900, 901),
        ("cudaStreamSynchronize(s)", 900, 901),
        ("cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost)", 900, 901),
        ("(put<<<1, 32>>>(x, 1), cudaGetLastError())", 906, 901),
        ("cudaMalloc(&more, 4)", 900, 901),
        ("(cudaEventRecord(e, s), cudaEventSynchronize(e))", 907, 0),
        ("(cudaEventRecord(e, t), cudaStreamWaitEvent(s, e))", 905, 901),
        ("cudaEventRecord(e, s); cudaStreamWaitEvent(t, e); put<<<1, 1, 0, t>>>(x, 1)", 0, 904),
    ],
    ids=["device", "stream", "copy", "default", "allocation", "event", "isolated", "unjoined"],
)
def test_what_a_capture_forbids_fails_as_cuda_says(tmp_path, call, error, ended):
    program = tmp_path / "forbidden.cu"
    program.write_text(
        BEGIN + "int main() {\n"
        "  float *x, *more, host[1]; cudaMalloc(&x, 128); cudaEvent_t e; cudaEventCreate(&e);\n"
        "  cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t); cudaGraph_t graph;\n"
        "  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n"
        "  put<<<1, 32, 0, s>>>(x, 1);\n"
        f"  int error = 0; error = {call};\n"
        '  std::printf("%d and %d\\n", error, cudaStreamEndCapture(s, &graph));\n'
        "}\n"
    )
    done = check(tmp_path, program)
    assert done.returncode == 2, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert f"{error} and {ended}\n" in said and ": 1 mistake in" in said, said
    assert f"forbidden.cu:{12 if ended == 904 else 11}: " in said, said
