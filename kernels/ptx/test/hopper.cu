#include <type_traits>

#include "harness/base/error.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/test/hopper.hpp"
#include "kernels/ptx/wgmma.cuh"

namespace ridgeline::ptx::test {
namespace {

constexpr int most_numbers = 4096;

__global__ void __launch_bounds__(128)
    increment_kernel(const unsigned* in, unsigned* out, int count) {
  __shared__ __align__(128) unsigned held[most_numbers];
  __shared__ Barrier loaded;
  const int thread = static_cast<int>(threadIdx.x);
  const auto bytes = static_cast<unsigned>(count * 4);
  if (thread == 0) {
    barrier_init(&loaded, 1);
    fence_barrier_init();
  }
  __syncthreads();
  if (thread == 0) {
    barrier_arrive_expect(&loaded, bytes);
    copy_bulk_load(held, in, bytes, &loaded);
  }
  barrier_wait(&loaded, 0);
  for (int i = thread; i < count; i += 128) held[i] += 1;
  fence_async_shared();
  __syncthreads();
  if (thread == 0) {
    copy_bulk_store(out, held, bytes);
    copy_bulk_commit();
    copy_bulk_wait<0>();
    barrier_invalidate(&loaded);
  }
}

__global__ void __launch_bounds__(64) poll_kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(128) unsigned held[64];
  __shared__ Barrier loaded;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    barrier_init(&loaded, 33);
    fence_barrier_init();
  }
  __syncthreads();
  if (thread < 32) {
    if (thread == 0) {
      barrier_arrive_expect(&loaded, 256);
      copy_bulk_load(held, in, 256, &loaded);
    }
    unsigned looks = 1;
    while (!barrier_test(&loaded, 0)) ++looks;
    if (thread == 0) out[0] = looks;
    if (thread != 0) out[thread] = held[thread] + 1;
  } else {
    barrier_arrive(&loaded);
  }
}

template <int rank>
__device__ __forceinline__ void load_any(void* to, const device::TensorMap& map, const int (&at)[5],
                                         Barrier* barrier) {
  if constexpr (rank == 1) load_box(to, map, at[0], barrier);
  if constexpr (rank == 2) load_box(to, map, at[0], at[1], barrier);
  if constexpr (rank == 3) load_box(to, map, at[0], at[1], at[2], barrier);
  if constexpr (rank == 4) load_box(to, map, at[0], at[1], at[2], at[3], barrier);
  if constexpr (rank == 5) load_box(to, map, at[0], at[1], at[2], at[3], at[4], barrier);
}
template <int rank>
__device__ __forceinline__ void store_any(const device::TensorMap& map, const int (&at)[5],
                                          const void* from) {
  if constexpr (rank == 1) store_box(map, at[0], from);
  if constexpr (rank == 2) store_box(map, at[0], at[1], from);
  if constexpr (rank == 3) store_box(map, at[0], at[1], at[2], from);
  if constexpr (rank == 4) store_box(map, at[0], at[1], at[2], at[3], from);
  if constexpr (rank == 5) store_box(map, at[0], at[1], at[2], at[3], at[4], from);
}

struct At {
  int at[5];
};

constexpr int box_elements = 8192;

template <int rank>
__global__ void __launch_bounds__(128)
    load_box_kernel(const __grid_constant__ device::TensorMap map, At at, unsigned short* out,
                    int count) {
  __shared__ __align__(1024) unsigned short held[box_elements];
  __shared__ Barrier loaded;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    barrier_init(&loaded, 1);
    fence_barrier_init();
    barrier_arrive_expect(&loaded, static_cast<unsigned>(2 * count));
    load_any<rank>(held, map, at.at, &loaded);
  }
  __syncthreads();
  barrier_wait(&loaded, 0);
  for (int i = thread; i < count; i += 128) out[i] = held[i];
}

template <int rank>
__global__ void __launch_bounds__(128)
    store_box_kernel(const __grid_constant__ device::TensorMap map, At at, int count) {
  __shared__ __align__(1024) unsigned short held[box_elements];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < count; i += 128) held[i] = static_cast<unsigned short>(i + 1);
  fence_async_shared();
  __syncthreads();
  if (thread == 0) {
    store_any<rank>(map, at.at, held);
    copy_bulk_commit();
    copy_bulk_wait_read<0>();
  }
}

/// Where byte `byte` of a row of `span` bytes lies, as wgmma's descriptors describe it.
template <unsigned swizzle_bytes>
__device__ __forceinline__ unsigned place_of(unsigned row, unsigned byte) {
  if constexpr (swizzle_bytes == 0)
    return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
  const unsigned offset = row * swizzle_bytes + byte;
  return offset ^ (offset >> 3 & (swizzle_bytes - 16));
}

template <class Type, int count, unsigned swizzle_bytes>
__global__ void __launch_bounds__(128)
    multiply_group_kernel(const unsigned* a, const unsigned* b, float* d) {
  constexpr unsigned span = swizzle_bytes == 0 ? 32 : swizzle_bytes, columns = 2 * count;
  // Dynamic, since a program's static memory has a limit on the emulated device.
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  unsigned char* const left = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
  unsigned char* const right = left + 64 * span;
  for (unsigned i = threadIdx.x; i < 64 * span / 4; i += 128)
    *reinterpret_cast<unsigned*>(
        left + place_of<swizzle_bytes>(i / (span / 4), i % (span / 4) * 4)) = a[i];
  for (unsigned i = threadIdx.x; i < columns * span / 4; i += 128)
    *reinterpret_cast<unsigned*>(
        right + place_of<swizzle_bytes>(i / (span / 4), i % (span / 4) * 4)) = b[i];
  fence_async_shared();
  __syncthreads();
  std::uint64_t of_left, of_right;
  if constexpr (swizzle_bytes == 0) {
    of_left = matrix_descriptor(left, 128u, 256u);
    of_right = matrix_descriptor(right, 128u, 256u);
  } else {
    of_left = matrix_descriptor(left, static_cast<device::Swizzle>(swizzle_bytes), 8 * span);
    of_right = matrix_descriptor(right, static_cast<device::Swizzle>(swizzle_bytes), 8 * span);
  }
  float sums[count];
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] = 0;
  products_begin();
#pragma unroll
  for (unsigned step = 0; step < span / 32; ++step) {
    if constexpr (std::is_same_v<Type, E4m3>)
      multiply(Type{}, sums, of_left + 2 * step, of_right + 2 * step, step != 0);
    else
      add_product<1>(Type{}, sums, of_left + 2 * step, of_right + 2 * step);
  }
  products_commit();
  products_wait<0>();
#pragma unroll
  for (int i = 0; i < count; ++i) d[threadIdx.x * count + i] = sums[i];
}

template <class Type, unsigned swizzle_bytes>
__global__ void __launch_bounds__(128)
    multiply_transposed_kernel(const unsigned* a, const unsigned* b, float* d) {
  constexpr unsigned span = swizzle_bytes, depth = span / 2, columns = 256;
  __shared__ __align__(1024) unsigned char left[64 * span];
  __shared__ __align__(1024) unsigned char right[depth * columns * 2];
  for (unsigned i = threadIdx.x; i < 64 * span / 4; i += 128)
    *reinterpret_cast<unsigned*>(left + place_of<span>(i / (span / 4), i % (span / 4) * 4)) = a[i];
  for (unsigned i = threadIdx.x; i < depth * columns / 2; i += 128) {
    const unsigned k = i / (columns / 2), byte = i % (columns / 2) * 4;
    *reinterpret_cast<unsigned*>(right + place_of<span>(byte / span * depth + k, byte % span)) =
        b[i];
  }
  fence_async_shared();
  __syncthreads();
  const auto swizzle = static_cast<device::Swizzle>(span);
  const std::uint64_t of_left = matrix_descriptor(left, swizzle, 8 * span);
  const std::uint64_t of_right = transposed_descriptor(right, swizzle, depth * span, 8 * span);
  float sums[columns / 2];
#pragma unroll
  for (unsigned i = 0; i < columns / 2; ++i) sums[i] = 1000;  // which the first product overwrites
  products_begin();
#pragma unroll
  for (unsigned step = 0; step < depth / 16; ++step)
    multiply_transposed(Type{}, sums, of_left + 2 * step, of_right + span * step, step != 0);
  products_commit();
  products_wait<0>();
#pragma unroll
  for (unsigned i = 0; i < columns / 2; ++i) d[threadIdx.x * columns / 2 + i] = sums[i];
}

template <class Type, int count, unsigned swizzle_bytes, bool transposed>
__global__ void __launch_bounds__(128)
    multiply_from_registers_kernel(const unsigned* a, const unsigned* b, float* d) {
  constexpr unsigned span = swizzle_bytes, columns = 2 * count, depth = transposed ? 32 : span / 2;
  __shared__ __align__(1024) unsigned char right[columns * depth * 2];
  for (unsigned i = threadIdx.x; i < columns * depth / 2; i += 128) {
    const unsigned k = i / count, byte = i % count * 4;
    const unsigned to = transposed ? place_of<span>(byte / span * depth + k, byte % span)
                                   : place_of<span>(i / (span / 4), i % (span / 4) * 4);
    *reinterpret_cast<unsigned*>(right + to) = b[i];
  }
  fence_async_shared();
  __syncthreads();
  const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  unsigned left[depth / 16][4];
#pragma unroll
  for (unsigned step = 0; step < depth / 16; ++step)
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      left[step][i] = a[(row + i % 2 * 8) * (depth / 2) + step * 8 + i / 2 * 4 + pair];
  const auto swizzle = static_cast<device::Swizzle>(span);
  const std::uint64_t of_right = transposed
                                     ? transposed_descriptor(right, swizzle, depth * span, 8 * span)
                                     : matrix_descriptor(right, swizzle, 8 * span);
  float sums[count];
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] = 1000;  // which the first product overwrites
  products_begin();
#pragma unroll
  for (unsigned step = 0; step < depth / 16; ++step)
    multiply_from_registers<transposed>(Type{}, sums, left[step],
                                        of_right + step * (transposed ? span : 2), step != 0);
  products_commit();
  products_wait<0>(sums);
#pragma unroll
  for (int i = 0; i < count; ++i) d[threadIdx.x * count + i] = sums[i];
}

template <bool waits>
__global__ void begin_early_kernel(unsigned* out) {
  if (waits) previous_kernel_wait();
  out[threadIdx.x] = 1;
  next_kernel_may_begin();
}

__global__ void __maxnreg__(128) share_registers_kernel(unsigned* out) {
  if (threadIdx.x < 128) {
    take_registers<200>();
    out[threadIdx.x] = 1;
  } else {
    give_registers<40>();
    out[threadIdx.x] = 2;
  }
}

device::TensorMap map_of(const Tensor& tensor, unsigned short* memory) {
  device::TensorLayout layout{.memory = memory,
                              .dtype = DType::f16,
                              .sizes = tensor.sizes,
                              .strides = {},
                              .box = tensor.box,
                              .swizzle = static_cast<device::Swizzle>(tensor.swizzle_bytes)};
  std::uint64_t stride = tensor.pitch_bytes;
  for (std::size_t d = 1; d < tensor.sizes.size(); ++d) {
    layout.strides.push_back(stride);
    stride *= tensor.sizes[d];
  }
  return device::make_tensor_map(layout);
}

int elements_of(const Tensor& tensor) {
  int count = 1;
  for (const std::uint32_t extent : tensor.box) count *= static_cast<int>(extent);
  require(count <= box_elements, "a box fits into the kernel's memory");
  return count;
}

template <class Type, int count>
auto kernel_of(unsigned swizzle_bytes) {
  return swizzle_bytes == 0    ? multiply_group_kernel<Type, count, 0>
         : swizzle_bytes == 32 ? multiply_group_kernel<Type, count, 32>
         : swizzle_bytes == 64 ? multiply_group_kernel<Type, count, 64>
                               : multiply_group_kernel<Type, count, 128>;
}
template <class Type>
auto kernel_of(int columns, unsigned swizzle_bytes) {
  return columns == 64    ? kernel_of<Type, 32>(swizzle_bytes)
         : columns == 128 ? kernel_of<Type, 64>(swizzle_bytes)
                          : kernel_of<Type, 128>(swizzle_bytes);
}

}  // namespace

void increment(device::Stream& stream, const unsigned* in, unsigned* out, int count) {
  device::launch({.block = dim3(128)}, stream, increment_kernel, in, out, count);
}

void poll(device::Stream& stream, const unsigned* in, unsigned* out) {
  device::launch({.block = dim3(64)}, stream, poll_kernel, in, out);
}

void load_box_at(device::Stream& stream, const Tensor& tensor, unsigned short* memory,
                 const int* at, unsigned short* out) {
  constexpr decltype(&load_box_kernel<1>) kernels[] = {load_box_kernel<1>, load_box_kernel<2>,
                                                       load_box_kernel<3>, load_box_kernel<4>,
                                                       load_box_kernel<5>};
  device::launch({.block = dim3(128)}, stream, kernels[tensor.sizes.size() - 1],
                 map_of(tensor, memory), At{{at[0], at[1], at[2], at[3], at[4]}}, out,
                 elements_of(tensor));
}

void store_box_at(device::Stream& stream, const Tensor& tensor, unsigned short* memory,
                  const int* at) {
  constexpr decltype(&store_box_kernel<1>) kernels[] = {store_box_kernel<1>, store_box_kernel<2>,
                                                        store_box_kernel<3>, store_box_kernel<4>,
                                                        store_box_kernel<5>};
  device::launch({.block = dim3(128)}, stream, kernels[tensor.sizes.size() - 1],
                 map_of(tensor, memory), At{{at[0], at[1], at[2], at[3], at[4]}},
                 elements_of(tensor));
}

void multiply_group(device::Stream& stream, Element element, int columns, unsigned swizzle_bytes,
                    const void* a, const void* b, float* d) {
  const auto kernel = element == Element::f16    ? kernel_of<F16>(columns, swizzle_bytes)
                      : element == Element::bf16 ? kernel_of<Bf16>(columns, swizzle_bytes)
                      : element == Element::e4m3 ? columns == 128
                                                       ? kernel_of<E4m3, 64>(swizzle_bytes)
                                                       : kernel_of<E4m3, 128>(swizzle_bytes)
                                                 : kernel_of<Tf32, 128>(swizzle_bytes);
  const unsigned span = swizzle_bytes == 0 ? 32 : swizzle_bytes;
  const unsigned shared_bytes = 1024 + (64 + static_cast<unsigned>(columns)) * span;
  device::launch({.block = dim3(128), .shared_bytes = shared_bytes}, stream, kernel,
                 static_cast<const unsigned*>(a), static_cast<const unsigned*>(b), d);
}

void multiply_transposed_group(device::Stream& stream, Element element, unsigned swizzle_bytes,
                               const void* a, const void* b, float* d) {
  const auto kernel_for = [&](auto type) {
    using Type = decltype(type);
    return swizzle_bytes == 32   ? multiply_transposed_kernel<Type, 32>
           : swizzle_bytes == 64 ? multiply_transposed_kernel<Type, 64>
                                 : multiply_transposed_kernel<Type, 128>;
  };
  device::launch({.block = dim3(128)}, stream,
                 element == Element::f16 ? kernel_for(F16{}) : kernel_for(Bf16{}),
                 static_cast<const unsigned*>(a), static_cast<const unsigned*>(b), d);
}

void multiply_from_registers(device::Stream& stream, Element element, int columns,
                             unsigned swizzle_bytes, bool transposed, const void* a, const void* b,
                             float* d) {
  const auto kernel_for = [&]<class Type, int count, bool by_column>() {
    return swizzle_bytes == 32   ? multiply_from_registers_kernel<Type, count, 32, by_column>
           : swizzle_bytes == 64 ? multiply_from_registers_kernel<Type, count, 64, by_column>
                                 : multiply_from_registers_kernel<Type, count, 128, by_column>;
  };
  const auto kernel_of = [&]<class Type>() {
    if (columns == 64)
      return transposed ? kernel_for.template operator()<Type, 32, true>()
                        : kernel_for.template operator()<Type, 32, false>();
    return transposed ? kernel_for.template operator()<Type, 64, true>()
                      : kernel_for.template operator()<Type, 64, false>();
  };
  device::launch({.block = dim3(128)}, stream,
                 element == Element::f16 ? kernel_of.template operator()<F16>()
                                         : kernel_of.template operator()<Bf16>(),
                 static_cast<const unsigned*>(a), static_cast<const unsigned*>(b), d);
}

void begin_early(device::Stream& stream, bool waits, unsigned* out) {
  device::launch({.block = dim3(128), .early = true}, stream,
                 waits ? begin_early_kernel<true> : begin_early_kernel<false>, out);
}

void share_registers(device::Stream& stream, unsigned* out) {
  device::launch({.block = dim3(256)}, stream, share_registers_kernel, out);
}

}  // namespace ridgeline::ptx::test
