#include "harness/device/kernel.hpp"
#include "kernels/ptx/test/left_products.hpp"
#include "kernels/ptx/wgmma.cuh"

namespace ridgeline::ptx::test {
namespace {

constexpr unsigned depth = 64, span = 128;  // bytes of a row

/// `rows` rows of 128 bytes, swizzled.
__device__ void bring(unsigned char* to, const unsigned* from, unsigned rows) {
  for (unsigned i = threadIdx.x; i < rows * span / 4; i += 128) {
    const unsigned row = i / (span / 4), byte = i % (span / 4) * 4;
    *reinterpret_cast<unsigned*>(to + row * span + (byte ^ (row % 8 * 16))) = from[i];
  }
}

template <class Type, int count, bool transposed>
__global__ void __launch_bounds__(128)
    multiply_left_kernel(const unsigned* a, const unsigned* b, float* d) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  unsigned char* const left = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
  unsigned char* const right = left + 64 * span;
  bring(left, a, 64);
  bring(right, b, 2 * count);
  fence_async_shared();
  __syncthreads();
  const std::uint64_t of_left =
      transposed ? transposed_descriptor(left, device::Swizzle::bytes_128, depth * span, 8 * span)
                 : matrix_descriptor(left, device::Swizzle::bytes_128, 8 * span);
  const std::uint64_t of_right = matrix_descriptor(right, device::Swizzle::bytes_128, 8 * span);
  float sums[count];
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] = 1000;  // which the first product overwrites
  products_begin();
#pragma unroll
  for (unsigned step = 0; step < depth / 16; ++step)
    multiply<transposed>(Type{}, sums, of_left + step * (transposed ? span : 2),
                         of_right + 2 * step, step != 0);
  products_commit();
  products_wait<0>(sums);
#pragma unroll
  for (int i = 0; i < count; ++i) d[static_cast<int>(threadIdx.x) * count + i] = sums[i];
}

}  // namespace

void multiply_left(device::Stream& stream, bool bf16, int columns, bool transposed, const void* a,
                   const void* b, float* d) {
  const auto kernel_of = [&]<class Type>() {
    if (columns == 64)
      return transposed ? multiply_left_kernel<Type, 32, true>
                        : multiply_left_kernel<Type, 32, false>;
    if (columns == 128)
      return transposed ? multiply_left_kernel<Type, 64, true>
                        : multiply_left_kernel<Type, 64, false>;
    return transposed ? multiply_left_kernel<Type, 40, true>
                      : multiply_left_kernel<Type, 40, false>;
  };
  device::launch(
      {.block = dim3(128), .shared_bytes = 1024 + (64 + static_cast<unsigned>(columns)) * span},
      stream, bf16 ? kernel_of.template operator()<Bf16>() : kernel_of.template operator()<F16>(),
      static_cast<const unsigned*>(a), static_cast<const unsigned*>(b), d);
}

}  // namespace ridgeline::ptx::test
