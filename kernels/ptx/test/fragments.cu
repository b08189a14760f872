#include "harness/device/kernel.hpp"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/test/fragments.hpp"

namespace ridgeline::ptx::test {
namespace {

template <int count, bool transposed>
__global__ void load_kernel(const unsigned short* matrices, unsigned* out) {
  __shared__ __align__(16) unsigned short held[64 * count];
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < 64 * count; i += 32) held[i] = matrices[i];
  __syncwarp();
  unsigned loaded[count];
  const unsigned short* const row = held + lane % (8 * count) * 8;
  if constexpr (transposed)
    load_matrices_transposed(loaded, row);
  else
    load_matrices(loaded, row);
  for (int i = 0; i < count; ++i) out[lane * count + i] = loaded[i];
}

template <int count, bool transposed>
__global__ void store_kernel(const unsigned* in, unsigned short* matrices) {
  __shared__ __align__(16) unsigned short held[64 * count];
  const int lane = static_cast<int>(threadIdx.x);
  unsigned stored[count];
  for (int i = 0; i < count; ++i) stored[i] = in[lane * count + i];
  unsigned short* const row = held + lane % (8 * count) * 8;
  if constexpr (transposed)
    store_matrices_transposed(row, stored);
  else
    store_matrices(row, stored);
  __syncwarp();
  for (int i = lane; i < 64 * count; i += 32) matrices[i] = held[i];
}

__global__ void transpose_kernel(const unsigned* in, unsigned* out) {
  out[threadIdx.x] = transpose_matrix(in[threadIdx.x]);
}

template <class Type>
__global__ void multiply_kernel(const unsigned* a, const unsigned* b, float* c) {
  const int lane = static_cast<int>(threadIdx.x);
  unsigned left[4];
  float sums[4];
  for (int i = 0; i < 4; ++i) left[i] = a[4 * lane + i];
  for (int i = 0; i < 4; ++i) sums[i] = c[4 * lane + i];
  if constexpr (std::is_same_v<Type, Tf32>)
    mma_16x8x8(Type{}, sums, left, b[2 * lane], b[2 * lane + 1]);
  else
    mma_16x8x16(Type{}, sums, left, b[2 * lane], b[2 * lane + 1]);
  for (int i = 0; i < 4; ++i) c[4 * lane + i] = sums[i];
}

template <bool transposed>
auto load_of(int count) {
  return count == 1   ? load_kernel<1, transposed>
         : count == 2 ? load_kernel<2, transposed>
                      : load_kernel<4, transposed>;
}
template <bool transposed>
auto store_of(int count) {
  return count == 1   ? store_kernel<1, transposed>
         : count == 2 ? store_kernel<2, transposed>
                      : store_kernel<4, transposed>;
}

}  // namespace

void load(device::Stream& stream, int count, bool transposed, const unsigned short* matrices,
          unsigned* out) {
  device::launch({.block = dim3(32)}, stream,
                 transposed ? load_of<true>(count) : load_of<false>(count), matrices, out);
}

void store(device::Stream& stream, int count, bool transposed, const unsigned* in,
           unsigned short* matrices) {
  device::launch({.block = dim3(32)}, stream,
                 transposed ? store_of<true>(count) : store_of<false>(count), in, matrices);
}

void transpose(device::Stream& stream, const unsigned* in, unsigned* out) {
  device::launch({.block = dim3(32)}, stream, transpose_kernel, in, out);
}

void multiply(device::Stream& stream, Factor type, const unsigned* a, const unsigned* b, float* c) {
  const auto kernel = type == Factor::f16    ? multiply_kernel<F16>
                      : type == Factor::bf16 ? multiply_kernel<Bf16>
                                             : multiply_kernel<Tf32>;
  device::launch({.block = dim3(32)}, stream, kernel, a, b, c);
}

}  // namespace ridgeline::ptx::test
