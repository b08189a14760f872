"""`ridgeline check` on programs that use memory in a stream's order, and several streams."""

import json

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
