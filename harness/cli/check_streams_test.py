"""`ridgeline check` on programs that use memory in a stream's order, and several streams."""

import json

import pytest

from harness.cli.checked_programs import check

POOL = r"""
#include <cstdio>
__global__ void twice(float* at) { at[threadIdx.x] *= 2; }

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long keep = ~0ull, held = 1;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  float host[32] = {0, 1}, *at = nullptr;
  cudaMallocFromPoolAsync(&at, sizeof host, pool, stream);
  cudaMemcpyAsync(at, host, sizeof host, cudaMemcpyHostToDevice, stream);
  twice<<<1, 32, 0, stream>>>(at);
  cudaMemcpyAsync(host, at, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(at, stream);
  if (LATE) twice<<<1, 32, 0, stream>>>(at);
  cudaStreamSynchronize(stream);
  cudaMemPoolTrimTo(pool, 0);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held);
  printf("%g, %llu held\n", host[1], held);
}
"""
ATTRIBUTES = r"""
int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamCopyAttributes(stream, stream);
}
__global__ void never() {}
"""


def test_memory_of_a_pool_is_freed_in_the_streams_order(tmp_path):
    program = tmp_path / "pool.cu"
    program.write_text(POOL)
    done = check(tmp_path, program, "-D", "LATE=0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2, 0 held" in done.stdout + done.stderr
    done = check(tmp_path, program, "-D", "LATE=1", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    found = json.loads(done.stdout)["findings"]
    assert [each["line"] for each in found] == [3] and "freed" in found[0]["text"], found


def test_a_part_of_the_runtime_that_is_not_modelled_is_not_called_a_library(tmp_path):
    program = tmp_path / "attributes.cu"
    program.write_text(ATTRIBUTES)
    done = check(tmp_path, program, "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["check"], found["line"]) == ("unsupported", 5), found
    assert "cudaStreamCopyAttributes: this part of CUDA's runtime" in found["text"], found


def test_host_threads_that_live_at_once_may_launch_in_turn(tmp_path):
    source = tmp_path / "threads.cu"
    source.write_text(
        "#include <condition_variable>\n#include <mutex>\n#include <thread>\n"
        "__device__ int last_first(int* s) { s[threadIdx.x] = threadIdx.x; __syncthreads();\n"
        "  return s[31 - threadIdx.x]; }\n"
        "__global__ void turned(int* to) {\n"
        "  __shared__ int s[32]; to[threadIdx.x] = last_first(s); }\n"
        "int main() {\n"
        "  int* to; cudaMallocManaged(&to, 128);\n"
        "  std::mutex lock; std::condition_variable turn; int turns = 0;\n"
        "  const auto launch = [&](int mine) {\n"
        "    for (int i = 0; i < 2; ++i) {\n"
        "      std::unique_lock held(lock);\n"
        "      turn.wait(held, [&] { return turns % 2 == mine; });\n"
        "      turned<<<1, 32>>>(to); ++turns; turn.notify_all(); } };\n"
        "  std::thread one(launch, 0), other(launch, 1);\n"
        "  one.join(); other.join(); cudaDeviceSynchronize();\n"
        "  return to[0] != 31 || to[31] != 0;\n"
        "}\n"
    )
    checked = check(tmp_path, source)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_host_threads_use_streams_of_their_own_at_once(tmp_path):
    source = tmp_path / "streams.cu"
    source.write_text(
        "#include <cstdio>\n#include <thread>\n#include <vector>\n"
        "__global__ void put(int* to, int value) { to[64 * blockIdx.x + threadIdx.x] = value; }\n"
        "int main() {\n"
        "  const auto work = [](int mine) {\n"
        "    cudaStream_t s; cudaStreamCreate(&s); cudaEvent_t event; cudaEventCreate(&event);\n"
        "    int *d, host[256]; cudaMallocAsync(&d, sizeof host, s);\n"
        "    for (int i = 0; i < 100; ++i) {\n"
        "      cudaMemsetAsync(d, 0, sizeof host, s);\n"
        "      put<<<4, 64, 0, s>>>(d, mine * i);\n"
        "      cudaMemcpyAsync(host, d, sizeof host, cudaMemcpyDeviceToHost, s);\n"
        "      cudaEventRecord(event, s); cudaStreamWaitEvent(s, event);\n"
        "      cudaStreamSynchronize(s);\n"
        '      for (const int each : host) if (each != mine * i) std::printf("differs\\n");\n'
        "    }\n"
        "    cudaFreeAsync(d, s); cudaStreamDestroy(s); };\n"
        "  std::vector<std::thread> threads;\n"
        "  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);\n"
        "  for (std::thread& each : threads) each.join();\n"
        "}\n"
    )
    checked = check(tmp_path, source)
    said = checked.stdout + checked.stderr
    assert checked.returncode == 0 and "differs" not in said, said


# One line of each program orders the reader behind the writer, or does not.
ORDER = r"""
#include <cstdio>
__global__ void write(int* to, int step) {
  to[threadIdx.x * step] = threadIdx.x; }
__global__ void read(const int* from, int* to, int step) {
  to[threadIdx.x * step] = from[threadIdx.x * step]; }
__global__ void add(int* to) {
  atomicAdd(to, 1); }
__global__ void put(unsigned char* to) {
  to[2 * threadIdx.x] = 1; }
int main() {
  cudaStream_t a, b, blocking, other;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking); cudaStreamCreate(&other);
  cudaEvent_t event; cudaEventCreate(&event);
  int *p, *q, *pinned, host[64] = {};
  cudaMalloc(&p, 256); cudaMalloc(&q, 256); cudaMallocHost(&pinned, 256);
  cudaMemset(p, 0, 256); cudaMemset(q, 0, 256);
  PROGRAM
  cudaDeviceSynchronize();
}
"""
WRITE, READ = "write<<<1, 32, 0, a>>>(p, 1);\n", "read<<<1, 32, 0, b>>>(p, q, 1);"
GRAPH = (
    "cudaGraph_t graph; cudaGraphExec_t exec;"
    " cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);"
    " cudaEventRecord(event, a); cudaStreamWaitEvent(b, event);"
    f" {WRITE} JOIN; {READ} cudaEventRecord(event, b); cudaStreamWaitEvent(a, event);"
    " cudaStreamEndCapture(a, &graph); cudaGraphInstantiate(&exec, graph, 0);"
    " cudaGraphLaunch(exec, a); cudaGraphLaunch(exec, a);"
)
IN_READ = ("read after write) in read", "launch of write")
JOIN = "cudaEventRecord(event, a); cudaStreamWaitEvent(b, event);"
TO_P = "cudaMemcpyAsync(p, pinned, 256, cudaMemcpyHostToDevice, a);\n"
FROM_P = "cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, b);"


def ordered(tmp_path, text):
    program = tmp_path / "order.cu"
    program.write_text(ORDER.replace("PROGRAM", text))
    done = check(tmp_path, program)
    said = done.stdout + done.stderr
    assert done.returncode == (2 if "race between streams" in said else 0), said
    return said


@pytest.mark.parametrize(
    "text, race, other",
    [
        (WRITE + READ, *IN_READ),
        (READ + "\n" + WRITE, "write after read) in write", "launch of read"),
        (WRITE + "write<<<1, 32, 0, b>>>(p, 2);", "write after write) in write", "launch of write"),
        (WRITE + "cudaStreamWaitEvent(b, event); cudaEventRecord(event, a);" + READ, *IN_READ),
        (WRITE + "cudaEventRecord(event, b); cudaEventSynchronize(event);" + READ, *IN_READ),
        (WRITE + "cudaStreamSynchronize(b);" + READ, *IN_READ),
        (WRITE + FROM_P, "read after write) at", "launch of write"),
        (TO_P + READ, "read after write) in read", "cudaMemcpyAsync"),
        (TO_P + FROM_P, "read after write) at", "cudaMemcpyAsync"),
        ("cudaMemsetAsync(p, 1, 256, a);\n" + READ, "read after write) in read", "cudaMemsetAsync"),
        (
            WRITE + "cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost);",
            "read after write) at",
            "launch of write",
        ),
        (WRITE + "read<<<1, 32>>>(p, q, 1);", *IN_READ),
        ("write<<<1, 32, 0, blocking>>>(p, 1); read<<<1, 32, 0, other>>>(p, q, 1);", *IN_READ),
        (GRAPH.replace("JOIN", ""), *IN_READ),
    ],
    ids=[
        "read",
        "write-read",
        "write-write",
        "event-too-early",
        "event-elsewhere",
        "wait-elsewhere",
        "download",
        "upload",
        "copies",
        "set",
        "plain-copy",
        "default-stream",
        "blocking",
        "graph",
    ],
)
def test_what_nothing_orders_between_two_streams_is_a_race(tmp_path, text, race, other):
    said = ordered(tmp_path, text)
    assert f"race between streams ({race}" in said and f"which the {other}" in said, said
    line = ORDER[: ORDER.index("PROGRAM")].count("\n") + 1
    assert f"order.cu:{line} touches, too" in said, said


@pytest.mark.parametrize(
    "text",
    [
        WRITE + JOIN + READ,
        WRITE + "cudaEventRecord(event, a); cudaEventSynchronize(event);" + READ,
        WRITE + "cudaStreamSynchronize(a);" + READ,
        WRITE + "while (cudaStreamQuery(a) != cudaSuccess) {}" + READ,
        WRITE + "cudaDeviceSynchronize();" + READ,
        WRITE + "read<<<1, 32, 0, a>>>(p, q, 1);",
        "write<<<1, 32, 0, blocking>>>(p, 1); read<<<1, 32>>>(p, q, 1);",
        "write<<<1, 32>>>(p, 1); read<<<1, 32, 0, blocking>>>(p, q, 1);",
        "write<<<1, 32, 0, blocking>>>(p, 1); cudaMemcpy(host, p, 256, cudaMemcpyDefault);",
        "write<<<1, 32, 0, a>>>(p, 2); write<<<1, 32, 0, b>>>(p + 1, 2);",
        "put<<<1, 32, 0, a>>>((unsigned char*)p); put<<<1, 32, 0, b>>>((unsigned char*)p + 1);",
        "add<<<1, 32, 0, a>>>(p); add<<<1, 32, 0, b>>>(p);",
        "read<<<1, 32, 0, a>>>(p, q, 1); read<<<1, 32, 0, b>>>(p, q + 32, 1);",
        TO_P + JOIN + FROM_P,
        GRAPH.replace("JOIN", JOIN),
        GRAPH.replace("JOIN", JOIN) + " cudaGraphLaunch(exec, b);",
    ],
    ids=[
        "event",
        "event-waited",
        "stream-waited",
        "query",
        "device-waited",
        "same-stream",
        "default-behind",
        "behind-default",
        "copy-behind",
        "interleaved",
        "bytes",
        "atomics",
        "readers",
        "copies",
        "graph",
        "graph-in-both",
    ],
)
def test_what_is_ordered_or_apart_is_no_race_between_streams(tmp_path, text):
    assert "mistake" not in ordered(tmp_path, text)


PINNED = r"""
#include <cstdio>
__global__ void put(int* to) { to[threadIdx.x] = threadIdx.x; }
int main() {
  cudaStream_t s; cudaStreamCreate(&s);
  int *d, *h; cudaMalloc(&d, 256); cudaMallocHost(&h, 256 << 10);
  put<<<1, 64, 0, s>>>(d);
  PROGRAM
  cudaStreamSynchronize(s);
  std::printf("%d\n", h[3]);
}
"""
DOWN = "cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, s);\n"
UP = "cudaMemcpyAsync(d, h, 128, cudaMemcpyHostToDevice, s);\n"


@pytest.mark.parametrize(
    "text, is_early",
    [
        (DOWN + "if (h[3] == 5) return 1;", True),
        (DOWN + "h[3] = 1;", True),
        (DOWN + "cudaFreeAsync(d, s);\nif (h[3] == 5) return 1;", True),
        (UP + "h[3] = 1;", True),
        (UP + "if (h[3] == 5) return 1;", False),
        (DOWN + "cudaStreamSynchronize(s); h[3] = 1;", False),
        (DOWN + "h[32] = 1;", False),  # on the same page
        (DOWN + "h[1 << 12] = 1;", False),
        ("cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost); h[3] = 1;", False),
    ],
    ids=[
        "read",
        "overwritten",
        "freed-in-stream",
        "source-overwritten",
        "source-read",
        "waited",
        "beside",
        "far",
        "plain-copy",
    ],
)
def test_the_host_may_not_touch_pinned_memory_that_a_copy_may_touch_still(tmp_path, text, is_early):
    program = tmp_path / "pinned.cu"
    program.write_text(PINNED.replace("PROGRAM", text))
    done = check(tmp_path, program)
    said = done.stdout + done.stderr
    assert done.returncode == (2 if is_early else 0), said
    assert ("host touches pinned memory too early at" in said) == is_early, said
    line = PINNED[: PINNED.index("PROGRAM")].count("\n") + 1 + text.count("\n")
    assert not is_early or f"pinned.cu:{line}: pinned buffer" in said, said
