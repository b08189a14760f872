"""`ridgeline check` on whole programs: what they may use, what is found in them, and how CI systems
are told. Few programs, since each is compiled."""

import json
import re
from xml.etree import ElementTree

from harness.cli.checked_programs import check

MANY = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "part.cuh"
namespace cg = cooperative_groups;

__constant__ float scale[2];
__device__ int launches;
#define CHECK(call) \
  do { \
    cudaError_t error = call; \
    if (error != cudaSuccess) { printf("%s\n", cudaGetErrorString(error)); exit(1); } \
  } while (0)

template <class T, int add = 3> __global__ void plus(T* x, int) { x[threadIdx.x] += add; }
__global__ void overloaded(float* x) { x[threadIdx.x] += scale[1]; }
__global__ void overloaded(int* x, int by = 2) { x[threadIdx.x] += by; }

__global__ void sums(const int* x, int* to) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int sum = cg::reduce(tile, s[blockDim.x - 1 - threadIdx.x], cg::plus<int>());
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane == 0) {
    to[threadIdx.x / warpSize] = sum;
    atomicAdd(&launches, 1);
  }
  assert(sum >= 0);
}

__global__ void phases(int* x) {
  x[blockIdx.x] = 1;
  cg::this_grid().sync();
  if (blockIdx.x == 0) x[2] = x[0] + x[1];
}

__global__ void odd_lanes(unsigned* to) {
  if (threadIdx.x % 2 == 1) to[threadIdx.x] = cg::coalesced_threads().size();
}

int main(int count, char** arguments) {
  if (count != 2 || strcmp(arguments[1], "--go") != 0) return 7;
  int *x, *to;
  CHECK(cudaMalloc(&x, 64 * sizeof(int)));
  CHECK(cudaMalloc((void**)&to, 64 * sizeof(int)));
  CHECK(cudaMemset(x, 0, 64 * sizeof(int)));
  const float scales[] = {1, 0};
  CHECK(cudaMemcpyToSymbol(scale, scales, sizeof scales));
  dim3 gridDim(1), blockDim(64);
  plus<int><<<gridDim, blockDim>>>(x, 0);
  plus<int, 4> << <gridDim, 64, 0, 0 >> > (x, 0);
  overloaded<<<1, 64>>>(x, 1);
  overloaded<<<1, 64>>>(reinterpret_cast<float*>(x));
  twice(x);
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  sums<<<1, 64, 64 * sizeof(int)>>>(x, to);
  CHECK(cudaEventRecord(end));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  int found[3];
  CHECK(cudaMemcpy(found, to, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  int times;
  CHECK(cudaMemcpyFromSymbol(&times, launches, sizeof times));
  printf("sums %d %d, %d\n", found[0], found[1], times);
  void* parameters[] = {&to};
  CHECK(cudaLaunchCooperativeKernel((void*)phases, 2, 1, parameters, 0, 0));
  CHECK(cudaMemcpy(found, to, sizeof found, cudaMemcpyDeviceToHost));
  printf("phases %d\n", found[2]);
  unsigned* lanes;
  CHECK(cudaMallocManaged(&lanes, 32 * sizeof(unsigned)));
  odd_lanes<<<1, 32>>>(lanes);
  CHECK(cudaDeviceSynchronize());
  printf("lanes %u\n", lanes[31]);
  overloaded<<<1, 2000>>>(x, 1);
  const char* first = cudaGetErrorName(cudaGetLastError());
  printf("%s, then %s\n", first, cudaGetErrorName(cudaGetLastError()));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  exit(properties.clockRate);
}
"""
PART = "#pragma once\nvoid twice(int* x);\n"
OTHER = r"""
#include "part.cuh"
static __global__ void twice_of(int* x) { x[threadIdx.x] *= FACTOR; }
void twice(int* x) { twice_of<<<1, 64>>>(x); }
"""
RACE = r"""
#include <cstdio>
__global__ void shifted(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  for (int i = 0; i < 4; ++i) shifted<<<100, 64>>>(x + (i == 4));
  cudaFree(x);
  cudaFree(x);
  std::puts("::error::done");
}
"""

LIBRARIES = r"""
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cstdio>
namespace cg = cooperative_groups;

int forgets_its_value(int* to) { *to = 1; }

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ Square(int n) : side(n) {}
  __device__ int area() const override { return side * side; }
};
__device__ __noinline__ bool enclosed(float third, double root) {
  return __frcp_rd(3.0f) <= third && third <= __frcp_ru(3.0f) &&
         __frcp_rd(3.0f) < __frcp_ru(3.0f) &&
         __dsqrt_rd(2.0) < __dsqrt_ru(2.0) && __fadd_rz(-1.0f, 1e-9f) > -1.0f &&
         __fmaf_rd(1.0f, 1.0f, -1e-9f) < 1.0f && root > 1;
}
__global__ void objects(int* to) {
  Shape* shape = new Square(threadIdx.x);
  to[threadIdx.x] = shape->area() + (enclosed(1 / 3.0f, 1.4) ? 0 : 1);
  delete shape;
}

__global__ void stages(const int* from, int* to, int batches) {
  auto block = cg::this_thread_block();
  __shared__ int tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int batch = 0, next = 0; batch < batches; ++batch) {
    for (; next < batches && next < batch + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % 2], from + 64 * next, sizeof tile[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[batch % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
  to[threadIdx.x] = sum;
}

__global__ void arrivals(const int* from, int* to) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int4 copied[16];
  __shared__ int sums[2];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 16) __pipeline_memcpy_async(&copied[threadIdx.x],
      reinterpret_cast<const int4*>(from) + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  barrier.arrive_and_wait();
  int sum = reinterpret_cast<int*>(copied)[63 - threadIdx.x];
  for (int by = 16; by != 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  auto token = barrier.arrive();
  barrier.wait(std::move(token));
  to[threadIdx.x] = sums[0] + sums[1];
}

struct Owner {
  int* at;
  ~Owner() { ++ended; }
  static int ended;
};
int Owner::ended = 0;
__global__ void owned(Owner owner, float factor) {
  owner.at += threadIdx.x;
  *owner.at = int(factor * threadIdx.x);
}

int main() {
  int *from, *to, one;
  forgets_its_value(&one);
  cudaSharedMemConfig banks;
  cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
  cudaDeviceGetSharedMemConfig(&banks);
  cudaMallocManaged(&from, 256 * sizeof(int));
  cudaMallocManaged(&to, 64 * sizeof(int));
  for (int i = 0; i < 256; ++i) from[i] = 1;
  objects<<<1, 64>>>(to);
  cudaDeviceSynchronize();
  std::printf("area %d\n", to[9]);
  stages<<<1, 64>>>(from, to, 4);
  cudaDeviceSynchronize();
  std::printf("stages %d\n", to[9]);
  owned<<<1, 64>>>(Owner{to}, 2.0f);
  cudaDeviceSynchronize();
  std::printf("owner %d, ends on the host: %d\n", to[9], Owner::ended < 8);
  arrivals<<<1, 64>>>(from, to);
  cudaDeviceSynchronize();
  std::printf("arrivals %d\n", to[9]);
}
"""
UNSET = r"""
#include <cstdio>
__constant__ float taps[9];
__global__ void last(const int* from, int* to, int n) {
  int kept[8];
  for (int i = FIRST; i < n; ++i) kept[i] = from[i];
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += kept[i];
  to[threadIdx.x] = sum;
}
int main() {
  int *from, *to, found[32];
  cudaMalloc(&from, sizeof found);
  cudaMalloc(&to, sizeof found);
  cudaMemset(from, 0, sizeof found);
  last<<<1, 32>>>(from, to, 8);
  cudaMemcpy(found, to, sizeof found, cudaMemcpyDeviceToHost);
  float values[TAPS] = {};
  cudaMemcpyToSymbol(taps, values, sizeof values);
}
"""
MANAGED = r"""
#include <cstdio>
__global__ void fill(int* x, int* sum) {
  x[threadIdx.x] = threadIdx.x;
  atomicAdd(sum, 1);
}
void CUDART_CB told(void* x) { printf("told %d\n", static_cast<int*>(x)[7]); }
int main() {
  int *x, *sum, *other;
  cudaMallocManaged(&x, 4096 * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  cudaMallocManaged(&other, sizeof(int));
  *sum = *other = x[2000] = 1;
  fill<<<1, 64>>>(x, sum);
  printf("other %d %d\n", *other, x[2000]);  // no kernel has touched them
  while (*static_cast<volatile int*>(sum) < 65) {}
  cudaLaunchHostFunc(0, told, x);
  fill<<<1, 64>>>(x, sum);
  WAIT;
  printf("found %d\n", x[5]);
}
"""
# x and what lies a page behind the kernel's words are the host's own in the last loop: more single
# pages than Linux keeps apart by default.
MANAGED_LONGER = r"""
#include <cstdio>
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void move(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
int main() {
  int *x, *y, to[64];
  char* large;
  const size_t bytes = 300 << 20;
  cudaMallocManaged(&x, sizeof to);
  cudaMallocManaged(&y, sizeof to);
  cudaMallocManaged(&large, bytes);
  fill<<<1, 64>>>(x);
  WAIT(cudaMemcpy2D(to, sizeof to, x, sizeof to, sizeof to, 1, cudaMemcpyDefault));
  move<<<1, 64>>>(x, y);
  printf("found %d\n", x[5]);
  cudaDeviceSynchronize();
  fill<<<1, 64>>>(reinterpret_cast<int*>(large));
  for (size_t i = 4096; i < bytes; i += 8192) large[i] = 1;
  cudaDeviceSynchronize();
  printf("all %d\n", large[4096]);
}
"""
ARRAYS = r"""
#include <cstdint>
#include <cstdio>
int main() {
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array, none;
  static float h[64];
  cudaMallocArray(&array, &floats, 64, 4);
  const cudaMemcpyKind in = cudaMemcpyHostToDevice;
  cudaMemcpy3DParms of = {};
  of.srcPtr = make_cudaPitchedPtr(h, 256, 64, 1);
  of.dstArray = array;
  of.dstPos = make_cudaPos(SIZE_MAX / 4 + 1, 0, 0);
  of.extent = make_cudaExtent(64, 1, 1);
  of.kind = in;
  printf("%d %d %d %d %d\n", cudaMallocArray(&none, &floats, SIZE_MAX / 4 + 2, 4),
         cudaMalloc3DArray(&none, &floats, make_cudaExtent(1ull << 40, 1ull << 40, 1ull << 40)),
         cudaMemcpy2DToArray(array, 8, 0, h, 256, SIZE_MAX - 3, 1, in),
         cudaMemcpy2DToArray(array, 0, SIZE_MAX, h, 256, 256, 2, in), cudaMemcpy3D(&of));
  of.dstPos = make_cudaPos(0, 0, 1);
  void* pitched;
  size_t pitch;
  printf("%d %d %d %d\n", cudaMemcpy3D(&of), cudaMemcpyToArray(array, 0, 3, h, 512, in),
         cudaMallocPitch(&pitched, &pitch, SIZE_MAX, 1),
         cudaMallocPitch(&pitched, &pitch, 512, SIZE_MAX / 512 + 1));
  int* words;
  cudaMalloc(&words, 256);
  printf("%d %d\n", cudaMemcpy(words + 2, h, SIZE_MAX, in), cudaFreeArray(array));
  printf("%d %d\n", cudaFreeArray(array), cudaMemcpyToArray(array, 0, 0, h, 256, in));
}
"""


def test_a_program_of_two_files_runs_as_it_is(tmp_path):
    (tmp_path / "headers").mkdir()
    (tmp_path / "main.cu").write_text("#include <cassert>\n" + MANY)
    (tmp_path / "other.cu").write_text(OTHER)
    (tmp_path / "headers" / "part.cuh").write_text(PART)
    done = check(tmp_path, "main.cu", "other.cu", "-I", "headers", "-D", "FACTOR=2", "--", "--go")
    said = done.stdout + done.stderr
    assert "sums 512 512, 2\n" in said, said  # 32 lanes of (3 + 4 + 1) * 2
    assert "phases 2\n" in said
    assert "lanes 16\n" in said
    assert "cudaErrorInvalidConfiguration, then cudaSuccess\n" in said
    assert "block of a wrong size in overloaded" in said
    assert "times of events are how long the emulation took" in said
    assert done.returncode == 2  # for the block of 2000 threads


HOST = r"""
#include <cstdio>
#include <cuda_runtime.h>
#ifdef __CUDACC__
#error "a host's compiler does not say so"
#endif
unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
int __popc(unsigned x) { return x == 0 ? 0 : int(x & 1) + __popc(x >> 1); }
void add(int* sum, int by);
int main() {
  int* sum;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  add(sum, umin(3, 4) + __popc(7));
  int got;
  cudaMemcpy(&got, sum, sizeof(int), cudaMemcpyDeviceToHost);
  printf("sum %d\n", got);
  cudaFree(sum);
}
"""
KERNELS = r"""
#include <cuda_runtime.h>
__global__ void add_kernel(int* sum, unsigned by) { atomicAdd(sum, int(umin(by, 100))); }
void add(int* sum, int by) { add_kernel<<<2, 1>>>(sum, by); }
"""


def test_a_host_file_knows_no_device_functions(tmp_path):
    (tmp_path / "main.cpp").write_text(HOST)
    (tmp_path / "add.cu").write_text(KERNELS)
    done = check(tmp_path, "main.cpp", "add.cu")
    assert (done.returncode, "sum 12\n" in done.stdout) == (0, True), done.stdout + done.stderr


def test_kernels_may_be_in_a_file_that_is_not_called_cu(tmp_path):
    (tmp_path / "main.cu").write_text(
        HOST.replace("#ifdef", "#ifndef").split("unsigned umin")[0]
        + """
void add(int* sum, int by);
__managed__ int sum;
int main() { add(&sum, 3); cudaDeviceSynchronize(); printf("sum %d\\n", sum); }
"""
    )
    (tmp_path / "add.cpp").write_text(KERNELS)
    done = check(tmp_path, "main.cu", "add.cpp")
    assert (done.returncode, "sum 6\n" in done.stdout) == (0, True), done.stdout + done.stderr


def test_mistakes_have_their_lines_in_every_format(tmp_path):
    (tmp_path / "race.cu").write_text(RACE)
    formats = ["--junit", "j.xml", "--sarif", "s.json", "--github"]
    done = check(tmp_path, "race.cu", "--json", *formats)
    assert done.returncode == 2, done.stderr
    text, annotations = done.stdout.split("\n::error", 1)
    written = json.loads(text)
    race, *others, freed = written["findings"]
    assert race["check"].startswith("race") and race["kernel"] == "shifted"
    assert race["file"].endswith("race.cu") and race["line"] in (5, 6)
    assert freed["check"] == "cudaFree" and freed["line"] == 14
    assert written["outcome"] == "wrong_result" and written["launches"] == 4
    assert re.match(r" file=race\.cu,line=[56],title=race", annotations)
    (case,) = ElementTree.parse(tmp_path / "j.xml").getroot().iter("testcase")
    assert case.get("name") == "race.cu" and "shifted" in case.find("failure").text
    results = json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "race.cu"
    assert place["region"]["startLine"] == race["line"]
    assert "::error::done" not in done.stdout  # the program's own words steer nothing
    done = check(tmp_path, "race.cu", "--limit", "1K", "--device", "emulated:sm_80/3/7")
    assert re.search(r"stopped at the limit of 1000 accesses, in launch 1, shifted", done.stdout)


def test_what_cudas_libraries_offer_is_known(tmp_path):
    (tmp_path / "libraries.cu").write_text(LIBRARIES)
    done = check(tmp_path, "libraries.cu")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    for line in (
        "area 81",
        "stages 4",
        "owner 18, ends on the host: 1",
        "arrivals 64",
        "nothing wrong was found in 4 launches",
    ):
        assert line in said, said


def test_the_host_waits_before_it_reads_managed_memory(tmp_path):
    (tmp_path / "managed.cu").write_text(MANAGED)
    done = check(tmp_path, "managed.cu", "-D", "WAIT=cudaDeviceSynchronize()")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "other 1 1\ntold 7\nfound 5\n" in done.stdout, done.stdout
    done = check(tmp_path, "managed.cu", "-D", "WAIT=", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert found["check"] == "host touches managed memory too early"
    assert found["line"] == 20 and "managed buffer 1" in found["text"], found


def test_what_the_host_may_do_to_managed_memory_depends_on_all_launches(tmp_path):
    (tmp_path / "managed.cu").write_text(MANAGED_LONGER)
    done = check(tmp_path, "managed.cu", "-D", "WAIT(copy)=copy")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "found 5\nall 1\n" in done.stdout, done.stdout
    done = check(tmp_path, "managed.cu", "-D", "WAIT(copy)=", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["findings"]  # of the launch before the last one
    assert found["check"] == "host touches managed memory too early" and found["line"] == 15


def test_arrays_have_bounds_and_an_end(tmp_path):
    (tmp_path / "arrays.cu").write_text(ARRAYS)
    said = check(tmp_path, "arrays.cu").stdout
    assert said.startswith("2 2 1 1 1\n1 1 2 2\n1 0\n1 1\n"), said
    done = check(tmp_path, "arrays.cu", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    written = json.loads(done.stdout)
    assert sorted(found["check"] for found in written["findings"]) == [
        "cudaFreeArray",
        "cudaMemcpy",
        "cudaMemcpy2DToArray",
        "cudaMemcpy2DToArray",
        "cudaMemcpy3D",
        "cudaMemcpy3D",
        "cudaMemcpyToArray",
        "cudaMemcpyToArray",
    ], written["findings"]


def test_results_that_depend_on_unset_variables_are_found(tmp_path):
    (tmp_path / "unset.cu").write_text(UNSET)
    done = check(tmp_path, "unset.cu", "-D", "FIRST=1", "-D", "TAPS=9", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert found["check"] == "uninitialised (local)" and "kept at" in found["text"]
    done = check(tmp_path, "unset.cu", "-D", "FIRST=1", "-D", "TAPS=9")
    assert done.returncode == 2 and "nothing wrong" not in done.stdout, done.stdout
    assert "emulated:sm_90: 1 mistake, found by a second run" in done.stdout, done.stdout
    assert found["text"] in done.stdout
    done = check(tmp_path, "unset.cu", "-D", "FIRST=0", "-D", "TAPS=10", "--json")
    (found,) = json.loads(done.stdout)["findings"]  # the constant alone
    assert found["check"] == "cudaMemcpyToSymbol" and "taps of 36 bytes" in found["text"]


UNROLLED = r"""

template <int n> __device__ __forceinline__ int sum(const int* of, int from) {
  if constexpr (n == 0) return 0;
  else return of[from + n] + sum<n - 1>(of, from);  // line 5, once for each n
}
__global__ void sums(int* a, int* b, int* to) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  a[threadIdx.x] = threadIdx.x;
  b[threadIdx.x] = threadIdx.x;
  to[threadIdx.x] = sum<6>(tile, threadIdx.x / 2) + sum<6>(a, threadIdx.x / 2);
  to[threadIdx.x] += sum<6>(b, threadIdx.x / 2);
}
int main() {
  int *a, *b, *to;
  for (int** each : {&a, &b, &to}) cudaMalloc(each, 64 * sizeof(int));
  for (int i = 0; i < 2; ++i) sums<<<1, 64>>>(a, b, to);
  cudaDeviceSynchronize();
}
"""


def test_an_unrolled_loop_makes_one_mistake_per_variable(tmp_path):
    (tmp_path / "unrolled.cu").write_text(UNROLLED)
    done = check(tmp_path, "unrolled.cu", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    found = json.loads(done.stdout)["findings"]
    assert {each["line"] for each in found} == {5}, found
    assert len(found) == 3, found  # of tile, a and b
    assert [each["accesses"] for each in found] == [6, 6, 6], found
    assert all("by 6 accesses of this line" in each["text"] for each in found), found
    assert "3 mistakes in 2 launches" in check(tmp_path, "unrolled.cu").stdout


FOLDED = r"""
#include <initializer_list>
__global__ void fold(int* a, int n) {
  a[threadIdx.x % n] = threadIdx.x;  // line 4
}
__global__ void clear(int* a) { a[threadIdx.x] = 0; }
int main() {
  int* a;
  cudaMalloc(&a, 128 * sizeof(int));
  clear<<<1, 128>>>(a);
  for (int n : {128, 124, 128, 96}) fold<<<1, 128>>>(a, n);
  cudaDeviceSynchronize();
}
"""


def test_a_mistake_names_the_launches_that_make_it(tmp_path):
    (tmp_path / "folded.cu").write_text(FOLDED)
    done = check(tmp_path, "folded.cu", "--json")
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["line"], found["count"], found["launches"]) == (4, 36, 2), found
    assert found["worst_launch"] == 5, found
    assert found["text"].endswith(
        "; in 2 of 4 launches of this kernel, most often in launch 5 of the program, "
        "fold<<<1, 128>>> (32 of 36 times)"
    ), found
    (tmp_path / "one.cu").write_text(FOLDED.replace("128, 124, 128, 96", "128, 124, 128"))
    done = check(tmp_path, "one.cu")
    assert (
        "; in 1 of 3 launches of this kernel: launch 3 of the program, fold<<<1, 128>>>\n"
        in done.stdout
    ), done.stdout


STRIDES = r"""
__global__ void copy(const float* from, float* to, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i * stride];  // line 4
}
int main() {
  float *from, *to;
  cudaMalloc(&from, 8192 * sizeof(float));
  cudaMalloc(&to, 1024 * sizeof(float));
  cudaMemset(from, 0, 8192 * sizeof(float));
  copy<<<8, 128>>>(from, to, 1024, 1);
  copy<<<4, 128>>>(from, to, 512, STRIDE);
  copy<<<1, 128>>>(from, to, 1, 1);
  cudaDeviceSynchronize();
}
"""


def test_launches_of_a_kernel_that_differ_in_their_accesses_are_told_apart(tmp_path):
    (tmp_path / "strides.cu").write_text(STRIDES)
    done = check(tmp_path, "strides.cu", "-D", "STRIDE=8")
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout.split("launches of one kernel differ:\n")[1]
    assert re.sub(r"at \S*strides", "at strides", told) == (
        "copy at strides.cu:4, global load 4 B: 32.00 sectors a request in launch 2, <<<4, 128>>>, "
        "the most of 3 launches; 4.00 in launch 1, <<<8, 128>>>\n"
    )
    done = check(tmp_path, "strides.cu", "-D", "STRIDE=8", "--json")
    (varying,) = json.loads(done.stdout)["varying_accesses"]
    assert (varying["line"], varying["access"]) == (4, "global load"), varying
    assert varying["most"] == {"launch": 2, "sizes": "<<<4, 128>>>", "per_request": 32}
    done = check(tmp_path, "strides.cu", "-D", "STRIDE=1")
    assert "differ" not in done.stdout


def test_a_variable_is_not_taken_for_the_type_that_its_name_stands_for(tmp_path):
    (tmp_path / "letters.cu").write_text(
        "__constant__ char c[16];\nint main() {\n  char from[32] = {};\n"
        "  cudaMemcpyToSymbol(c, from, 32);\n}\n"
    )
    done = check(tmp_path, "letters.cu")
    assert re.search(r"letters\.cu:4: .*no 32 bytes: c of 16 bytes", done.stdout), done.stdout


LOOPS_WITH_BARRIERS = r"""
__global__ void fewer(int* x) {
  for (int i = 0; i < threadIdx.x; ++i) __syncthreads();
  x[threadIdx.x] = 1;
}
__global__ void tail(int* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    x[i] = i;
    __syncthreads();  // line 9
  }
#ifdef METS_BEHIND
  __syncthreads();  // line 12
#endif
}
__global__ void leaves(int* x) {
  for (int i = 0;; ++i) {
    if (i == threadIdx.x % 4) break;
    __syncthreads();  // line 18
  }
  x[threadIdx.x] = __shfl_sync(~0u, x[threadIdx.x], 0);  // line 20
}
int main() {
  int* x;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  fewer<<<1, 64>>>(x);
  for (int i = 0; i < 3; ++i) tail<<<1, 64>>>(x, 100);
#ifdef LEAVES
  leaves<<<1, 64>>>(x);
#endif
  cudaDeviceSynchronize();
}
"""


def test_a_barrier_in_a_loop_names_once_who_waits_and_who_is_elsewhere(tmp_path):
    source = tmp_path / "loops.cu"
    source.write_text(LOOPS_WITH_BARRIERS)

    def told(*arguments):
        done = check(tmp_path, "loops.cu", *arguments)
        said = [line.strip() for line in done.stdout.splitlines() if "loops.cu:" in line]
        return done.returncode, [re.sub(r"at \S*loops\.cu", "at loops.cu", line) for line in said]

    notes = [
        "note: barrier after threads have ended in fewer at loops.cu:3: thread 1 of block 0: 1 of "
        "64 threads have, and are not waited for: threads 1 to 63 are here, thread 0 has ended "
        "(63 times)",
        "note: barrier after threads have ended in tail at loops.cu:9: thread 0 of block 0: 28 of "
        "64 threads have, and are not waited for: threads 0 to 35 are here, threads 36 to 63 have "
        "ended",
    ]
    assert told() == (0, notes)
    assert told("-D", "METS_BEHIND") == (
        2,
        [
            "divergent barrier in tail at loops.cu:9: thread 0 of block 0, with thread 63: threads "
            "of the block wait at different __syncthreads(): threads 0 to 35 are here, threads 36 "
            "to 63 at loops.cu:12",
            notes[0],
        ],
    )
    code, (first, second, *_) = told("-D", "LEAVES")
    assert code == 2
    assert first.startswith("deadlock in leaves at loops.cu:20: thread 0 of block 0: a warp's")
    assert second == (
        "deadlock in leaves at loops.cu:18: thread 1 of block 0: waits for threads of its block: "
        "of 64, 48 have come, 0 have ended, 16 wait elsewhere (threads 0, 4, 8 and 13 others) (48 "
        "threads)"
    )


def test_what_is_not_modelled_is_named_with_its_line(tmp_path):
    program = tmp_path / "other.cu"
    program.write_text(
        '__global__ void k() {\n  asm volatile("wgmma.fence.sync.aligned;");\n}\n'
        "int main() { k<<<1, 1>>>(); }\n"
    )
    done = check(tmp_path, program)
    assert done.returncode == 64
    assert re.search(r"other\.cu:2: inline PTX: wgmma\.fence", done.stderr), done.stderr
    program.write_text("__global__ void k() {\n  no_such_thing();\n}\nint main() {}\n")
    done = check(tmp_path, program, "--junit", "j.xml")
    assert done.returncode == 64
    assert re.search(r"other\.cu:2: .no_such_thing. was not declared", done.stderr), done.stderr
    assert len(done.stderr.splitlines()) < 6
    assert "cannot be compiled" in (tmp_path / "j.xml").read_text()
    (tmp_path / "cub").mkdir()
    (tmp_path / "cub" / "cub.cuh").write_text("#pragma once\nno_such_type of_a_library;\n")
    program.write_text('#include "cub/cub.cuh"\nint main() {}\n')
    done = check(tmp_path, program)
    assert done.returncode == 64
    assert re.search(r"other\.cu:1 includes \S*cub/cub\.cuh, which does not", done.stderr), (
        done.stderr
    )
    assert len(done.stderr.splitlines()) == 2, done.stderr
    program.write_text(
        "#include <cstdio>\n\n#include <thrust/sort.h>\n__global__ void k() {}\n"
        "int main() { k<<<1, 1>>>(); }\n"
    )
    done = check(tmp_path, program)
    assert done.returncode == 64
    assert "other.cu:3 includes thrust/sort.h, which does not compile there" in done.stderr
    assert len(done.stderr.splitlines()) == 2, done.stderr
    inside = tmp_path / "cub" / "own.cu"
    inside.write_text('const char* at = "/cub/";\nint main() { no_such_thing(); }\n')
    done = check(tmp_path, inside)
    assert done.returncode == 64 and "CUB" not in done.stderr, done.stderr
    program.write_text("__global__ void k() {}\n")
    done = check(tmp_path, program)
    assert done.returncode == 64 and "nothing runs the kernels" in done.stderr
    program.write_text(
        "__global__ void inner() {}\n__global__ void outer() {\n  inner<<<1, 1>>>();\n}\n"
        "int main() { outer<<<1, 1>>>(); }\n"
    )
    done = check(tmp_path, program)
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(r"in outer at \S*other\.cu:3: .*a launch by a kernel", done.stdout), (
        done.stdout
    )


def test_a_folder_with_the_name_of_a_library_may_be_the_users(tmp_path):
    for name in "cute", "cutlass", "thrust", "cub":
        header = tmp_path / name / "mine.cuh"
        header.parent.mkdir()
        header.write_text("#pragma once\n\nno_such_type mine;\n")
        (tmp_path / "program.cu").write_text(f'#include "{name}/mine.cuh"\nint main() {{}}\n')
        done = check(tmp_path, "program.cu")
        assert done.returncode == 64
        assert f"/{name}/mine.cuh:3: " in done.stderr, done.stderr
        assert "which does not compile there" not in done.stderr


def test_a_copy_of_a_library_is_known_in_a_folder_of_the_users(tmp_path):
    library = tmp_path / "others" / "cutlass"
    for name in "include/cutlass/cutlass.h", "tools/util/include/cutlass/util/print.h":
        header = library / name
        header.parent.mkdir(parents=True)
        header.write_text("#pragma once\nno_such_type of_a_library;\n")
        (tmp_path / "program.cu").write_text(f'#include "{header.name}"\nint main() {{}}\n')
        done = check(tmp_path, "program.cu", "-I", header.parent)
        assert done.returncode == 64
        assert re.search(r"program\.cu:1 includes \S*" + header.name, done.stderr), done.stderr
        assert "no_such_type" not in done.stderr


def test_limits_are_numbers(tmp_path):
    done = check(tmp_path, "x.cu", "--limit", "many")
    assert done.returncode == 64 and "K, M or G" in done.stderr
