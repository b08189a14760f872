"""What compile_kernels refuses in sources of kernels, and what it leaves alone, with the real
compiler."""

import json
import re
import subprocess

import pytest

from harness.run.scripted_runs import BUILD, ROOT

KIT = BUILD.parent / "lib" / "ridgeline" / "check.json"

if not KIT.exists():
    pytest.skip("this build has no emulated device", allow_module_level=True)

# Each line that ends with a comment is refused with these words; no other line is.
WRONG = """\
#include <new>
#include "harness/device/kernel.hpp"
struct Three { float a, b, c; };
__device__ __attribute__((noinline)) Three three(float x) { return {x, x, x}; }
__device__ __attribute__((noinline)) float2 two(float x) { return {x, x}; }
__device__ __attribute__((noinline)) float first(Three of) { return of.a; }
__device__ __attribute__((noinline)) void helper(float* to, const float* from) {
  memcpy(to, from, 64);  // memcpy of memory of the device cannot be counted
}
struct Filler {
  float* to;
  __device__ __attribute__((noinline)) explicit Filler(float* at) : to(at) {
    std::memset(to, 0, 4 * threadIdx.x);  // memset of memory of the device cannot be counted
  }
};
__global__ void copies(float* to, const float* from, int n) {
  memcpy(to + threadIdx.x, from, 4);  // memcpy of memory of the device cannot be counted
  std::memmove(to, from, n);  // memmove of memory of the device cannot be counted
  __builtin_memset(to, 0, 4096);  // memset of memory of the device cannot be counted
  helper(to, from);
}
__global__ void shared(float* to) {
  __shared__ float tile[64];
  memcpy(tile, to, sizeof tile);  // memcpy of memory of the device cannot be counted
  float mine[64];
  memcpy(mine, tile, sizeof mine);  // memcpy of memory of the device cannot be counted
  to[0] = mine[threadIdx.x];
}
__global__ void chosen(float* to, int n) {
  float mine[8] = {}, *either = n > 3 ? to : mine;
  memset(either, 0, 4 * n);  // memset of memory of the device cannot be counted
  to[1] = mine[n];
}
__global__ void constructs(float* to) { Filler filler(to); }
__global__ void results(Three* to, float2* pair, float x) {
  *to = three(x);  // what a function returns is stored to memory without being counted
  *pair = two(x);  // what a function returns is stored to memory without being counted
  new(to + 1) Three(three(x));  // what a function returns is stored to memory without being counted
}
__global__ void arguments(const Three* from, float* to) {
  to[0] = first(from[3]);  // memory is passed to a function by value without being counted
}
__global__ void halves(__half2* to, const __nv_bfloat162* from, __half* half,
                       __nv_bfloat16* bfloat) {
  to->x = *half;  // a member of a pair of 16-bit numbers in memory
  *bfloat = from[threadIdx.x].y;  // a member of a pair of 16-bit numbers in memory
  __shared__ __half2 tile[32];
  tile[threadIdx.x] = *to;
  half[1] = tile[0].y;  // a member of a pair of 16-bit numbers in memory
}
extern __shared__ float outside[];
__global__ void dynamic(float* to) {
  extern __shared__ double inside[];
  to[0] = outside[1];  // dynamic shared memory is named by extern __shared__
  to[1] = inside[1];  // dynamic shared memory is named by extern __shared__
}
"""

RIGHT = """\
#include <vector>
#include "harness/device/kernel.hpp"
struct Big { float v[12]; };
struct Three { float a, b, c; };
struct Own { __half x, y; };
__device__ __attribute__((noinline)) Three three(float x) { return {x, x, x}; }
__device__ __attribute__((noinline)) float first(Three of) { return of.a; }
__global__ void kernel(Big* to, const Big* from, Three* threes, __half2* pairs, __half* half,
                       Own* own, int n) {
  to[threadIdx.x] = from[threadIdx.x];
  to[40] = {};
  float mine[16], other[16] = {};
  memcpy(mine, other, sizeof mine);
  memset(mine + 3, 0, 4 * n);
  memcpy(&mine[n], &other[n], 8);
  unsigned bits;
  const float value = from->v[3];
  memcpy(&bits, &value, 4);
  to[1].v[0] = mine[n] + bits;
  const Three made = three(mine[3]);
  threes[0] = made;
  const Three read = threes[1];
  to[1].v[1] = first(read);
  __half2 pair = pairs[threadIdx.x];
  pair.x = pair.y;
  pairs[threadIdx.x] = __hadd2(pair, pair);
  pairs[3] = __floats2half2_rn(1, 2);
  half[1] = half[2];
  half[3] = __float2half(mine[4]);
  own->x = own->y;
}
__device__ Three inlined(float x) { return {x, x, x}; }
__device__ float second(Three of) { return of.b; }
__global__ void inlines(Three* to, float* sum) {
  *to = inlined(*sum);
  *sum = second(to[1]);
}
std::vector<float> on_the_host(const std::vector<float>& values, float* to, Three* threes,
                               __half2* pairs) {
  memcpy(to, values.data(), 64);
  memset(to, 0, values.size());
  *threes = three(1);
  pairs->x = pairs->y;
  return values;
}
"""


def compiled(tmp_path, source):
    kit = json.loads(KIT.read_text())
    file = tmp_path / "kernels.cu"
    file.write_text(source)
    made = tmp_path / "kernels.o"
    headers = [word for folder in kit["cuda_headers"] for word in ("-isystem", folder)]
    command = [
        *kit["launcher"],
        kit["compiler"],
        *kit["flags"],
        *headers,
        "-w",
        "-x",
        "c++",
        "-c",
        file,
        "-o",
        made,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert made.exists() == (done.returncode == 0), done.stderr
    assert not list(tmp_path.glob("*.dump*"))
    return done


def test_every_access_that_cannot_be_counted_is_an_error_in_its_line(tmp_path):
    done = compiled(tmp_path, WRONG)
    assert done.returncode == 1
    expected = {}
    for number, line in enumerate(WRONG.splitlines(), 1):
        if "  // " in line:
            expected[number] = line.split("  // ")[1]
    found = {
        int(n): text for n, text in re.findall(r"kernels\.cu:(\d+):\d+: error: (.*)", done.stderr)
    }
    assert found.keys() == expected.keys(), done.stderr
    for number, words in expected.items():
        assert words in found[number]


def test_each_error_says_where_it_is_and_what_to_do(tmp_path):
    stderr = compiled(tmp_path, WRONG).stderr
    assert stderr.count("error: ") == stderr.count("\n  in ") == stderr.count("\n  hint: ")
    assert "hint: name it by RIDGELINE_DYNAMIC_SHARED(type, name) in the kernel" in stderr
    assert "hint: copy the pair into a variable" in stderr
    assert "in Filler::Filler" in stderr


def test_what_is_told_or_of_the_host_is_left_alone(tmp_path):
    done = compiled(tmp_path, RIGHT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_what_the_compiler_refuses_has_its_own_words_and_exit_code(tmp_path):
    done = compiled(tmp_path, "int x = y;\n")
    assert done.returncode == 1
    assert "'y' was not declared" in done.stderr.replace("\u2018", "'").replace("\u2019", "'")


def test_a_compiler_without_dumps_is_refused(tmp_path):
    kit = json.loads(KIT.read_text())
    made = tmp_path / "kernels.o"
    done = subprocess.run(
        [*kit["launcher"], "true", "-c", "-o", made], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "true has not dumped what it made: g++ is needed" in done.stderr
