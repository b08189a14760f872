"""`ridgeline check` takes the forms in which public programs write kernels and launches."""

from harness.cli.checked_programs import check

FORMS = r"""
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef int data;
__shared__ extern data many[];
__device__ volatile int count = 0;
constexpr int two = 2;

template <class T> __global__ void copied(const T* __restrict__ from, T* __restrict__ to) {
  to[threadIdx.x] = from[threadIdx.x];
}
template <class T> __global__ void overloaded(T* const __restrict__ to, const int by) {
  to[threadIdx.x] += by;
}
template <class T> __global__ void overloaded(T* __restrict__ to, T& __restrict__, float) {
  to[threadIdx.x] += 1;
}
template <class... T> __global__ void packed(T* __restrict__... to) {
  ((to[threadIdx.x] += 1), ...);
}
namespace named { namespace {
__global__ void scaled(const float* in, float* scaled) {
  scaled[threadIdx.x] = 2 * in[threadIdx.x];
}
} }
template <class T, int add> __global__ void plus(T* x) { x[threadIdx.x] += add; }
__global__ void turned(float* to) {
  __shared__ data many[32];
  many[threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] += many[31 - threadIdx.x];
  if (threadIdx.x == 0) count = 7;
}
__global__ void dynamic(float* to) {
  many[threadIdx.x] = 1;
  __syncthreads();
  for (int i = 0; i * many[0] < 1; ++i) to[threadIdx.x] += many[threadIdx.x];
}

__global__ void converts(int* right) {
  const __half h = __float2half(2.5f), none = __float2half(NAN);
  const __nv_bfloat16 b = __float2bfloat16(-2.5f);
  *right = __half2int_rn(h) == 2 && __half2int_ru(h) == 3 && __half2short_rd(h) == 2 &&
           __half2ull_ru(h) == 3 && __bfloat162int_rn(b) == -2 && __bfloat162ll_rd(b) == -3 &&
           __bfloat162uint_ru(b) == 0 && __half2ushort_rn(none) == 0 &&
           __half2ll_rn(none) == LLONG_MIN && __int2float_rz(16777219) == 16777218.f &&
           __int2float_ru(16777217) == 16777218.f && __ll2float_rd(-16777217) == -16777218.f &&
           __ull2double_rz(~0ull) < 18446744073709551615. && __double2float_ru(1e-60) > 0 &&
           __bfloat162float(__int2bfloat16_rz(257)) == 256 &&
           __half2float(hlog2(__float2half(8))) == 3 && __bfloat162float(hfloor(b)) == -3 &&
           __bfloat162float(__short2bfloat16_ru(257)) == 258;
}

template <class T> void go(T* x, T* y) {
  copied<<<1, 32>>>(x, y);
  copied<T><<<1, 32>>>(y, x);
  overloaded<<<1, 32>>>(y, 1);
  packed<<<1, 32>>>(x, y);
  if constexpr (sizeof(T) == 4) {
    plus<T, (two > 1 ? 4 : 5)><<<1, 32>>>(y);
  } else if constexpr (sizeof(T) == 8) {
    plus<T, (1 << 4)><<<1, 32>>>(y);
  }
}
int main() {
  float *x, *y, found[32];
  cudaMalloc(&x, sizeof found);
  cudaMalloc(&y, sizeof found);
  cudaMemset(x, 0, sizeof found);
  go(x, y);
  turned<<<1, 32>>>(y);
  dynamic<<<1, 32, 32 * sizeof(data)>>>(y);
  int *right, all_right;
  cudaMalloc(&right, sizeof *right);
  converts<<<1, 1>>>(right);
  cudaMemcpy(&all_right, right, sizeof all_right, cudaMemcpyDeviceToHost);
  named::scaled<<<1, 32>>>(y, x);
  cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
  int counted;
  cudaMemcpyFromSymbol(&counted, count, sizeof counted);
  printf("found %g, counted %d, right %d\n", found[0], counted, all_right);
}
"""


def test_kernels_and_launches_of_public_programs_are_taken(tmp_path):
    (tmp_path / "forms.cu").write_text(FORMS)
    done = check(tmp_path, "forms.cu")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "found 76, counted 7, right 1\n" in said  # 2 * (1 + 1 + 4 + 31 + 1)
    assert "nothing wrong was found in 9 launches" in said


LATER = r"""
__global__ void wait(volatile int* flag) {
  if (blockIdx.x == WAITER) while (flag[0] == 0) {}
  else flag[0] = 1;
}
int main() {
  int* flag;
  cudaMalloc(&flag, sizeof *flag);
  cudaMemset(flag, 0, sizeof *flag);
  wait<<<3, 1>>>(flag);
}
"""


def test_who_waits_for_a_later_block_is_told_that_it_has_not_begun(tmp_path):
    (tmp_path / "later.cu").write_text(LATER)
    done = check(tmp_path, "later.cu", "-D", "WAITER=0")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "deadlock in wait" in done.stdout and "until block 1 begins" in done.stdout
    done = check(tmp_path, "later.cu", "-D", "WAITER=2")
    assert done.returncode == 0, done.stdout + done.stderr


SMALL = r"""
#include <cstdio>
#include <type_traits>
enum Colour { red, green };
__global__ void exchange(int* right) {
  const unsigned all = 0xFFFFFFFFu;
  const int lane = threadIdx.x;
  const bool odd = lane % 2 != 0;
  const signed char below = (signed char)(-lane);
  const unsigned char large = (unsigned char)(200 + lane);
  const short two = (short)(-1000 * lane);
  const unsigned short high = (unsigned short)(65535 - lane);
  const Colour colour = lane < 16 ? red : green;
  static_assert(std::is_same<decltype(__shfl_sync(all, odd, 0)), int>::value, "");
  static_assert(std::is_same<decltype(__shfl_down_sync(all, two, 1)), int>::value, "");
  static_assert(std::is_same<decltype(__shfl_xor_sync(all, 1u, 1)), unsigned>::value, "");
  bool fine = __shfl_sync(all, odd, 3) == 1 && __shfl_sync(all, below, 3) == -3 &&
              __shfl_xor_sync(all, large, 1) == 200 + (lane ^ 1) &&
              __shfl_sync(all, two, 31) == -31000 && __shfl_sync(all, high, 2) == 65533 &&
              __shfl_sync(all, colour, 31) == green && __shfl(two, 2) == -2000 &&
              __match_any_sync(all, odd) == (odd ? 0xAAAAAAAAu : 0x55555555u);
  if (lane > 0) fine = fine && __shfl_up_sync(all, below, 1) == 1 - lane;
  else __shfl_up_sync(all, below, 1);
  if (__all_sync(all, fine)) *right = 1;
}
__global__ void meet(int* right) {
  __shared__ int tile[64];
  if (threadIdx.x < 64) {
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1;" ::: "memory");
    right[threadIdx.x - 64] = tile[127 - threadIdx.x];
  }
}
int main() {
  int* right;
  cudaMallocManaged(&right, 64 * sizeof *right);
  exchange<<<1, 32>>>(right);
  cudaDeviceSynchronize();
  printf("right %d\n", right[0]);
  meet<<<1, 128>>>(right);
  cudaDeviceSynchronize();
  printf("met %d\n", right[0]);
}
"""


def test_small_values_are_exchanged_as_nvcc_promotes_them_and_arrivals_meet_whole_barriers(
    tmp_path,
):
    (tmp_path / "small.cu").write_text(SMALL)
    done = check(tmp_path, "small.cu")
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "right 1\nmet 63\n" in said
