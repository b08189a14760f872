#include "harness/emulated/language.hpp"
#include "harness/emulated/tensor_cores.hpp"
#include "harness/emulated/test/kernels.hpp"

namespace ridgeline::emulated::test {
namespace {

constexpr unsigned whole_warp = 0xFFFFFFFFu;

__global__ void copy_strided_kernel(const float* from, float* to, int n, int stride) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * stride;
  if (i < n) to[i] = from[i];
}

__global__ void copy_wide_kernel(const float4* from, float4* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

template <int padding, bool barrier>
__global__ void __launch_bounds__(256) transpose_kernel(const float* from, float* to, int n) {
  __shared__ float tile[32][32 + padding];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * 32, row = static_cast<int>(blockIdx.y) * 32;
  for (int j = y; j < 32; j += 8) tile[j][x] = from[(row + j) * n + column + x];
  if (barrier) __syncthreads();
  for (int j = y; j < 32; j += 8) to[(column + j) * n + row + x] = tile[x][j];
}

__global__ void multiply_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[16][16];
  __shared__ float b_tile[16][16];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * 16 + y,
            column = static_cast<int>(blockIdx.x) * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    a_tile[y][x] = a[row * n + k + x];
    b_tile[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void add_up_kernel(const float* from, float* to, int n) {
  __shared__ float of_warps[32];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x) * threads + thread; i < n;
       i += static_cast<int>(gridDim.x) * threads)
    sum += from[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(whole_warp, sum, step);
  if (thread % 32 == 0) of_warps[thread / 32] = sum;
  __syncthreads();
  if (thread >= 32) return;
  sum = thread < threads / 32 ? of_warps[thread] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  if (thread == 0) atomicAdd(to, sum);
}

__device__ [[gnu::noinline]] float far_load(const float* from);

template <bool call>
__global__ void ragged_kernel(const float* from, float* to) {
  const int lane = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int outer = 0; outer < 8; ++outer) {
    const int rounds = (lane + outer * 5) % 32 + 1;
    for (int i = 0; i < rounds; ++i)
      sum += call ? far_load(from + i * 32 + lane) : from[i * 32 + lane];
    sum += from[1024 + outer * 32 + lane];
  }
  to[lane] = sum;
}

// Behind the kernel: its pc is larger than that of everything in the loop.
__device__ float far_load(const float* from) { return *from; }

template <bool barrier>
__global__ void exchange_kernel(const int* from, int* to) {
  __shared__ int held[128];
  const unsigned thread = threadIdx.x;
  held[thread] = from[thread];
  if (barrier) __syncwarp();
  to[thread] = held[thread ^ 1];
}

__global__ void combine_kernel(int limit, int* to) {
  const int thread = static_cast<int>(threadIdx.x);
  const int any = __syncthreads_or(thread < limit), all = __syncthreads_and(thread < limit);
  to[3 * thread] = any;
  to[3 * thread + 1] = all;
  to[3 * thread + 2] = __syncthreads_count(thread < limit);
}

__global__ void note_order_kernel(unsigned* come, unsigned* to) {
  to[atomicAdd(come, 1u)] = blockIdx.x;
}

__global__ void count_kernel(unsigned* to) { atomicAdd(to, 1u); }

/// As copies of 16 bytes, or of words that lie 4 apart in global memory.
template <bool words>
__global__ void copy_async_kernel(const float* from, float* to) {
  __shared__ float held[128];
  const int lane = static_cast<int>(threadIdx.x);
  if constexpr (words) {
    for (int part = 0; part < 4; ++part)
      emulated::copy_async_4(held + 32 * part + lane, from + 4 * lane + part, lane < 16);
  } else {
    emulated::copy_async(held + 4 * lane, from + 4 * lane, lane < 16);
  }
  emulated::copy_commit();
  emulated::copy_wait(0);
  __syncwarp();
  to[lane] = held[lane];
  to[lane + 96] = held[lane + 96];
}

__global__ void multiply_tile_kernel(const unsigned short* a, const unsigned short* b, float* d) {
  __shared__ unsigned short held[16 * 16 + 16 * 16];
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < 256; i += 32) held[i] = a[i];
  for (int i = lane; i < 256; i += 32)
    held[256 + i] = i < 128 ? b[i] : static_cast<unsigned short>(0);
  __syncwarp();
  const Matrices left = emulated::load_matrices(held + lane % 16 * 16 + lane / 16 * 8, 4, false);
  const Matrices right = emulated::load_matrices(
      held + 256 + lane % 8 * 16 + lane / 8 % 2 * 8 + lane / 16 * 128, 4, false);
  const Sums sums = emulated::multiply(Factor::bf16, {}, left, right.parts[0], right.parts[1]);
  for (int part = 0; part < 4; ++part)
    d[(lane / 4 + part / 2 * 8) * 8 + lane % 4 * 2 + part % 2] = sums.parts[part];
}

__global__ void multiply_tiles_kernel(const unsigned short* a, const unsigned short* b, float* d,
                                      int rounds) {
  __shared__ unsigned short held[16 * 16 + 16 * 16];
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < 512; i += 32) held[i] = i < 256 ? a[i] : b[i - 256];
  __syncwarp();
  Sums sums{};
  for (int i = 0; i < rounds; ++i) {
    const Matrices left = emulated::load_matrices(held + lane % 16 * 16 + lane / 16 * 8, 4, false);
    const Matrices right = emulated::load_matrices(
        held + 256 + lane % 8 * 16 + lane / 8 % 2 * 8 + lane / 16 * 128, 4, false);
    sums = emulated::multiply(Factor::bf16, sums, left, right.parts[0], right.parts[1]);
    sums = emulated::multiply(Factor::bf16, sums, left, right.parts[2], right.parts[3]);
  }
  for (int part = 0; part < 4; ++part)
    d[(blockIdx.x * 4 + static_cast<unsigned>(part)) * 32 + threadIdx.x] = sums.parts[part];
}

__global__ void mistake_kernel(Mistake mistake, const float* from, float* to, const float* host) {
  __shared__ float few[100];
  RIDGELINE_DYNAMIC_SHARED(float, dynamic);
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  switch (mistake) {
    case Mistake::reads_behind_the_end:
      to[thread] = from[thread + 1];
      break;
    case Mistake::reads_before_the_start:
      to[thread] = from[thread - 1];
      break;
    case Mistake::reads_unwritten_shared:
      if (thread < 100) to[thread] = few[thread];
      break;
    case Mistake::reads_unwritten_global:
      to[thread] = to[thread] + 1;
      break;
    case Mistake::misaligned:
      if (thread == 5)
        reinterpret_cast<float4*>(to)[0] = reinterpret_cast<const float4*>(from + 1)[0];
      break;
    case Mistake::writes_behind_shared:
      few[thread] = 1;
      break;
    case Mistake::writes_behind_dynamic:
      dynamic[thread] = 1;
      break;
    case Mistake::divergent_barrier:
      if (thread < 64) {
        few[thread] = 1;
        __syncthreads();
      } else {
        few[thread - 64] = 1;
        __syncthreads();
      }
      break;
    case Mistake::half_ends_before_a_barrier:
      if (thread < 64) return;
      __syncthreads();
      break;
    case Mistake::lane_is_missing:
      if (thread < 20) to[thread] = static_cast<float>(__shfl_sync(whole_warp, thread, 0));
      break;
    case Mistake::caller_is_not_in_mask:
      if (thread == 3) to[thread] = static_cast<float>(__shfl_sync(1u, thread, 0));
      break;
    case Mistake::lane_is_in_another_collective:
      if (thread == 3)
        __syncwarp();
      else if (thread < 32)
        to[thread] = static_cast<float>(__shfl_sync(whole_warp, thread, 0));
      break;
    case Mistake::two_blocks_write_one_word:
      to[thread] = static_cast<float>(block);
      break;
    case Mistake::a_block_reads_what_another_writes:
      if (block == 0) to[thread] = 1;
      if (block == 1 && thread == 7 && to[thread] > 2) few[0] = 1;
      break;
    case Mistake::reads_host_memory:
      to[thread] = *host;
      break;
    case Mistake::reads_before_the_copy_has_come:
      if (thread < 16) emulated::copy_async(few + 4 * thread, from + 4 * thread, true);
      emulated::copy_commit();
      __syncthreads();
      if (thread < 64) to[thread] = few[thread];
      emulated::copy_wait(0);
      break;
    case Mistake::waits_for_too_few_copies:
      if (thread < 16) emulated::copy_async(few + 4 * thread, from + 4 * thread, true);
      emulated::copy_commit();
      emulated::copy_wait(1);
      __syncthreads();
      if (thread < 64) to[thread] = few[thread];
      emulated::copy_wait(0);
      break;
    case Mistake::never_waits_for_a_copy:
      if (thread == 9) emulated::copy_async(few, from, true);
      break;
  }
}

__global__ void fill_shared_kernel(float* to) {
  RIDGELINE_DYNAMIC_SHARED(float, dynamic);
  __shared__ float held[100];
  dynamic[threadIdx.x] = 1;
  if (threadIdx.x < 100) held[threadIdx.x] = 2;
  to[threadIdx.x] = dynamic[threadIdx.x] + (threadIdx.x < 100 ? held[threadIdx.x] : 0);
}

__global__ void wait_for_each_other_kernel(float* to) {
  const unsigned thread = threadIdx.x;
  if (thread < 32) __syncthreads();
  if (thread < 64 && thread >= 48) to[thread] = __shfl_sync(0xFFFFFFFFu, 1.0f, 0);
  if (thread < 48 && thread >= 32) to[thread] = __shfl_sync(0x0000FFFFu, 1.0f, 0);
  if (thread < 48 && thread >= 32) __syncthreads();
}

}  // namespace

void copy_strided(device::Stream& stream, const float* from, float* to, int n, int stride) {
  device::launch({.grid = dim3(device::blocks_for(n / stride, 256)), .block = dim3(256)}, stream,
                 copy_strided_kernel, from, to, n, stride);
}

void copy_wide(device::Stream& stream, const float* from, float* to, int n) {
  device::launch({.grid = dim3(device::blocks_for(n, 1024)), .block = dim3(256)}, stream,
                 copy_wide_kernel, reinterpret_cast<const float4*>(from),
                 reinterpret_cast<float4*>(to));
}

void transpose(device::Stream& stream, const float* from, float* to, int n, Transpose how) {
  const auto kernel = how == Transpose::plain    ? transpose_kernel<0, true>
                      : how == Transpose::padded ? transpose_kernel<1, true>
                                                 : transpose_kernel<1, false>;
  const unsigned tiles = static_cast<unsigned>(n) / 32;
  device::launch({.grid = dim3(tiles, tiles), .block = dim3(32, 8)}, stream, kernel, from, to, n);
}

void multiply(device::Stream& stream, const float* a, const float* b, float* c, int n) {
  const unsigned tiles = static_cast<unsigned>(n) / 16;
  device::launch({.grid = dim3(tiles, tiles), .block = dim3(16, 16)}, stream, multiply_kernel, a, b,
                 c, n);
}

void add_up(device::Stream& stream, const float* from, float* to, int n, int blocks) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(256)}, stream,
                 add_up_kernel, from, to, n);
}

void ragged(device::Stream& stream, const float* from, float* to, bool call) {
  device::launch({.block = dim3(32)}, stream, call ? ragged_kernel<true> : ragged_kernel<false>,
                 from, to);
}

void exchange(device::Stream& stream, const int* from, int* to, bool barrier) {
  device::launch({.block = dim3(128)}, stream,
                 barrier ? exchange_kernel<true> : exchange_kernel<false>, from, to);
}

void combine(device::Stream& stream, int threads, int limit, int* to) {
  device::launch({.block = dim3(static_cast<unsigned>(threads))}, stream, combine_kernel, limit,
                 to);
}

void count_atomically(device::Stream& stream, int blocks, unsigned* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(32)}, stream,
                 count_kernel, to);
}

void note_order(device::Stream& stream, int blocks, unsigned* come, unsigned* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(1)}, stream,
                 note_order_kernel, come, to);
}

void copy_async(device::Stream& stream, const float* from, float* to) {
  device::launch({.block = dim3(32)}, stream, copy_async_kernel<false>, from, to);
}
void copy_words_async(device::Stream& stream, const float* from, float* to) {
  device::launch({.block = dim3(32)}, stream, copy_async_kernel<true>, from, to);
}

void multiply_tile(device::Stream& stream, const unsigned short* a, const unsigned short* b,
                   float* d) {
  device::launch({.block = dim3(32)}, stream, multiply_tile_kernel, a, b, d);
}

void multiply_tiles(device::Stream& stream, const unsigned short* a, const unsigned short* b,
                    float* d, int blocks, int rounds) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(32)}, stream,
                 multiply_tiles_kernel, a, b, d, rounds);
}

void fill_shared(device::Stream& stream, std::size_t bytes, float* to) {
  device::launch({.block = dim3(128), .shared_bytes = bytes}, stream, fill_shared_kernel, to);
}

void wait_for_each_other(device::Stream& stream, float* to) {
  device::launch({.block = dim3(96)}, stream, wait_for_each_other_kernel, to);
}

void make(device::Stream& stream, Mistake mistake, const float* from, float* to) {
  const float* const host = new float(1);
  const bool two = mistake == Mistake::two_blocks_write_one_word ||
                   mistake == Mistake::a_block_reads_what_another_writes;
  device::launch({.grid = dim3(two ? 2 : 1), .block = dim3(128), .shared_bytes = 400}, stream,
                 mistake_kernel, mistake, from, to, host);
  delete host;
}

}  // namespace ridgeline::emulated::test
