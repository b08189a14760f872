"""What `ridgeline check` says beside a mistake: what to do, whose memory it is, what is atomic."""

import json
import re

from harness.cli.checked_programs import check

MISTAKES = r"""
#include <cooperative_groups.h>

// The first that happens in it is inlined, which its first instruction then belongs to.
__global__ void shift(const int* __restrict__ from /* elements, */, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = i + 1 <= n ? from[i + 1] : 0;
}
template <class... T> __global__ void packed(int by, T*... to) {
  ((to[threadIdx.x + by] = 1), ...);
}
__global__ void stored_and_counted(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (threadIdx.x != 0) atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}
__global__ void counted_and_read(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  out[threadIdx.x] = count;
}
__global__ void together(int* out) {
  cooperative_groups::this_grid().sync();
  out[threadIdx.x] = 1;
}
int main(int, char** arguments) {
  int *in, *out;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 256);
  cudaMemset(in, 0, 256);
  switch (arguments[1][0]) {
    case 'o': shift<<<1, 64>>>(in, out, 64); break;
    case 'p': packed<<<1, 64>>>(1, in, out); break;
    case 's': stored_and_counted<<<1, 64>>>(out); break;
    case 'r': counted_and_read<<<1, 64>>>(out); break;
    case 'g': together<<<1, 64>>>(out); break;
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 5 : 6;
}
"""


def of(folder, which, *options):
    (folder / "mistakes.cu").write_text(MISTAKES)
    return check(folder, "mistakes.cu", *options, "--", which)


def test_what_to_do_is_told_once_below_the_finding_and_to_programs(tmp_path):
    done = of(tmp_path, "o", "--sarif", "found.sarif", "--junit", "found.xml", "--github")
    assert done.returncode == 2, done.stdout + done.stderr
    remedy = re.search(r"\n  out of bounds \(global\) .*\n    remedy: (.*)\n", done.stdout)
    assert remedy and "if (i < n)" in remedy[1], done.stdout
    assert done.stdout.count("    remedy: ") == 1
    assert f"%0Aremedy: {remedy[1]}\n" in done.stdout
    (rule,) = json.loads((tmp_path / "found.sarif").read_text())["runs"][0]["tool"]["driver"][
        "rules"
    ]
    assert rule["help"]["text"] == remedy[1]
    assert "remedy: guard it" in (tmp_path / "found.xml").read_text()
    (finding,) = json.loads(of(tmp_path, "o", "--json").stdout)["findings"]
    assert finding["remedy"] == remedy[1]
    assert "remedy" not in finding["text"]


def test_memory_is_called_what_the_kernel_calls_it(tmp_path):
    assert ": from, argument 1: buffer 1 of" in of(tmp_path, "o").stdout
    packed = of(tmp_path, "p").stdout
    assert re.search(r": to\.\.\., argument [23]: buffer [12] of", packed), packed


def test_a_race_with_an_atomic_says_so(tmp_path):
    first = of(tmp_path, "s").stdout
    assert re.search(r"race .* in stored_and_counted .*count of .*, by an atomic", first), first
    second = of(tmp_path, "r").stdout
    assert "by a plain access, against an atomic or volatile one" in second


def test_a_grid_barrier_without_a_cooperative_launch_is_the_programs_mistake(tmp_path):
    done = of(tmp_path, "g", "--json")
    assert done.returncode == 2
    told = json.loads(done.stdout)
    (finding,) = told["findings"]
    assert told["outcome"] == "wrong_result"
    assert finding["check"] == "grid barrier without a cooperative launch"
    assert "cudaLaunchCooperativeKernel()" in finding["remedy"]


def test_the_programs_own_exit_code_is_called_so(tmp_path):
    done = of(tmp_path, "x", "--json")
    assert done.returncode == 2
    told = json.loads(done.stdout)
    assert told["program_exit_code"] == 5 and "exit_code" not in told
