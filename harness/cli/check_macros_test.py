"""`ridgeline check -D`: a macro may have any name that the headers of Ridgeline use."""

import string

from harness.cli.checked_programs import check

# Capitals, and words that programs often have macros of. Not those of the C++ library's or CUDA's
# own headers, which such a macro breaks under nvcc, too.
WORDS = [
    *string.ascii_uppercase,
    *[
        "BLOCK",
        "BLOCKS",
        "COLS",
        "DIM",
        "EPS",
        "HEIGHT",
        "LEN",
        "MAX",
        "MIN",
        "NUM",
        "PI",
        "REAL",
        "ROWS",
        "SIZE",
        "THREADS",
        "TILE",
        "TYPE",
    ],
    *["WARP", "WIDTH", "WORD"],
    *[
        "blocks",
        "col",
        "cols",
        "dim",
        "idx",
        "lane",
        "len",
        "nthreads",
        "real",
        "row",
        "rows",
        "scalar",
        "stages",
        "threads",
        "tid",
    ],
    *["tile", "warp", "words"],
]

PROGRAM = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
__global__ void add(float* values) {
  extern __shared__ float staged[];
  staged[threadIdx.x] = values[threadIdx.x] + 1;
  __syncthreads();
  const float sum = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()),
                               staged[31 - threadIdx.x], cg::plus<float>());
  unsigned at;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(at));
  if (at == 0) atomicAdd(&values[0], D * sum);
}
int main() {
  float *values, first = 0;
  cudaMalloc(&values, 32 * sizeof(float));
  cudaMemset(values, 0, 32 * sizeof(float));
  add<<<1, 32, 128>>>(values);
  cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%g, %d, %d\n", first, NAMED, TWICE(5));
#ifdef NDEBUG
  std::puts("NDEBUG");
#endif
}
"""
KERNEL = r"""
#include "harness/device/check.hpp"
#include "harness/device/kernel.hpp"
__global__ void scaled(float* values) { values[threadIdx.x] *= D; }
void ridgeline::check(device::Device& device) {
  const std::vector<float> ones(64, 1.0f);
  const device::Buffer<float> values(device, ones);
  device::launch({.grid = dim3(1), .block = dim3(64)}, device.stream(), scaled, values.data());
  device.synchronize();
  device::expect(values.download()[63] == 128.0f, "element 63");
}
"""


def defined(*more):
    return [part for word in (*(f"{word}=128" for word in WORDS), *more) for part in ("-D", word)]


def test_macros_of_any_usual_name_leave_ridgelines_headers_alone(tmp_path):
    (tmp_path / "program.cu").write_text(PROGRAM)
    done = check(tmp_path, "program.cu", *defined("NAMED", "TWICE(n)=2 * n", "NDEBUG"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{128 * 32}, 1, 10\nNDEBUG\n")


def test_macros_of_any_usual_name_reach_a_file_without_main(tmp_path):
    (tmp_path / "kernel.cu").write_text(KERNEL)
    done = check(tmp_path, "kernel.cu", *defined())
    assert done.returncode == 0, done.stdout + done.stderr
