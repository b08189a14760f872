#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/base/e4m3.hpp"
#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/ptx/wgmma.cuh"
#include "kernels/warpgroup/warpgroup.hpp"

// A warpgroup keeps D in registers and A and B in shared memory, and multiplies without pause; two
// warpgroups per SM cover each other's waits. Bound by Hopper's tensor cores at their full rate, or
// by the power limit: a product of 64 x 256 reads 10 KiB of shared memory in the time that the
// cores need for it, three fifths of what shared memory can give.
namespace ridgeline::warpgroup::on_cuda {
namespace {

constexpr int warpgroups = 2, threads = 128 * warpgroups;
constexpr int row_bytes = 32;  // of A and B, whatever the type
constexpr unsigned next_k = 128,
                   next_row = 2 * next_k;  // core matrices: first along K, then along the rows
constexpr int products_a_commit = 8;       // pairs of an addition and its opposite

constexpr int usual_steps = 128;  // in 1, of the elements

struct F16 : ptx::F16 {
  static constexpr int steps = usual_steps;
  using Stored = unsigned short;
  static __device__ __forceinline__ Stored stored(float value) {
    return __half_as_ushort(__float2half_rn(value));
  }
};
struct Bf16 : ptx::Bf16 {
  static constexpr int steps = usual_steps;
  using Stored = unsigned short;
  static __device__ __forceinline__ Stored stored(float value) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
};
struct Tf32 : ptx::Tf32 {
  static constexpr int steps = usual_steps;
  using Stored = float;
  static __device__ __forceinline__ Stored stored(float value) {
    return value;
  }  // 7 bits fit in tf32's 10
};
struct E4m3 : ptx::E4m3 {
  static constexpr int steps = 16;  // 4 bits, as many as its numbers have
  using Stored = unsigned char;
  static __device__ __forceinline__ Stored stored(float value) { return to_e4m3(value); }
};

/// Stores a matrix of `count` / depth rows as core matrices of 8 rows by 16 bytes.
template <class Type>
__device__ __forceinline__ void hold(unsigned char* held, const float* from, int count,
                                     int thread) {
  using Stored = typename Type::Stored;
  constexpr float steps = Type::steps;
  constexpr int depth = row_bytes / sizeof(Stored), chunk = 16 / sizeof(Stored);
  for (int i = thread; i < count; i += 128) {
    const int row = i / depth, k = i % depth;
    const unsigned offset =
        row / 8 * next_row + k / chunk * next_k + row % 8 * 16 + k % chunk * sizeof(Stored);
    *reinterpret_cast<Stored*>(held + offset) =
        Type::stored(floorf(from[i] * steps) * (1.0f / steps));
  }
}

template <class Type>
__global__ void __launch_bounds__(threads, 1)
    multiply(const float* a, const float* b, float* d, std::int64_t groups, std::int64_t rounds) {
  constexpr int depth = row_bytes / sizeof(typename Type::Stored);
  __shared__ __align__(128) unsigned char held_a[warpgroups][rows * row_bytes];
  __shared__ __align__(128) unsigned char held_b[warpgroups][columns * row_bytes];
  const int mine = static_cast<int>(threadIdx.x) / 128,
            thread = static_cast<int>(threadIdx.x) % 128;
  const std::int64_t group = std::int64_t{blockIdx.x} * warpgroups + mine;
  const bool inside = group < groups;
  if (inside) {
    hold<Type>(held_a[mine], a + group * rows * depth, rows * depth, thread);
    hold<Type>(held_b[mine], b + group * columns * depth, columns * depth, thread);
  }
  ptx::fence_async_shared();
  __syncthreads();
  if (!inside) return;  // a whole warpgroup

  const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
  float sum[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) sum[i] = static_cast<float>(i / 4 * 8 + column + i % 2) / 64;
  const std::uint64_t left = ptx::matrix_descriptor(held_a[mine], next_k, next_row);
  const std::uint64_t right = ptx::matrix_descriptor(held_b[mine], next_k, next_row);

  const std::int64_t whole = rounds / products_a_commit;
#pragma unroll 1
  for (std::int64_t batch = 0; batch < whole; ++batch) {
    ptx::products_begin();
#pragma unroll
    for (int i = 0; i < products_a_commit; ++i) {
      ptx::add_product<1>(Type{}, sum, left, right);
      ptx::add_product<-1>(Type{}, sum, left, right);
    }
    ptx::products_commit();
    ptx::products_wait<1>();
  }
#pragma unroll 1
  for (std::int64_t round = whole * products_a_commit; round < rounds; ++round) {
    ptx::products_begin();
    ptx::add_product<1>(Type{}, sum, left, right);
    ptx::add_product<-1>(Type{}, sum, left, right);
  }
  ptx::products_begin();
  ptx::add_product<1>(Type{}, sum, left, right);
  ptx::products_commit();
  ptx::products_wait<0>();

  float* const out = d + group * rows * columns;
#pragma unroll
  for (int i = 0; i < 128; i += 2)
    *reinterpret_cast<float2*>(out + (row + i / 2 % 2 * 8) * columns + i / 4 * 8 + column) =
        make_float2(sum[i], sum[i + 1]);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.dtype == DType::f16    ? multiply<F16>
                      : problem.dtype == DType::bf16 ? multiply<Bf16>
                      : problem.dtype == DType::tf32 ? multiply<Tf32>
                                                     : multiply<E4m3>;
  device::launch(
      {.grid = dim3(device::blocks_for(problem.groups, warpgroups)), .block = dim3(threads)},
      stream, kernel, operands.a, operands.b, operands.d, problem.groups, problem.rounds);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.dtype != DType::f16 && problem.dtype != DType::bf16 && problem.dtype != DType::tf32 &&
      problem.dtype != DType::e4m3)
    return device::Support::unsupported("warpgroups multiply f16, bf16, tf32 and e4m3 here");
  if (facts.capability != 90)
    return device::Support::unsupported("wgmma exists on GPUs of compute capability 9.0 alone");
  return device::Support::yes();
}

}  // namespace

Variant wgmma() {
  return {
      "products without pause from shared memory, by wgmma: the full rate of Hopper's tensor cores",
      {DType::f16, DType::bf16, DType::tf32, DType::e4m3},
      supports,
      launch};
}

}  // namespace ridgeline::warpgroup::on_cuda
