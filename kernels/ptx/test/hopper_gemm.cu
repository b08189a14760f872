#include "harness/device/kernel.hpp"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/test/hopper_gemm.hpp"
#include "kernels/ptx/wgmma.cuh"

namespace ridgeline::ptx::test {
namespace {

constexpr int rows = 64, columns = 128,
              depth = 64;  // of a tile; a row of depth 64 is the swizzle's span of 128 bytes
constexpr int stages = 2, consumers = 128, threads = consumers + 32;
constexpr unsigned left_bytes = rows * depth * 2, right_bytes = columns * depth * 2;
constexpr unsigned stage_bytes = left_bytes + right_bytes;
constexpr int store_columns = 32;  // of c that a copy stores at once

template <Mutation mutation>
__global__ void __launch_bounds__(threads, 1)
    multiply_kernel(const __grid_constant__ device::TensorMap a,
                    const __grid_constant__ device::TensorMap b,
                    const __grid_constant__ device::TensorMap c, int k) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  __shared__ Barrier full[stages];
  __shared__ Barrier empty[stages];
  unsigned char* const tiles = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.y) * rows,
            first_column = static_cast<int>(blockIdx.x) * columns;
  const int chunks = (k + depth - 1) / depth;
  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      barrier_init(&full[stage], 1);
      barrier_init(&empty[stage], consumers);
    }
    if (mutation != Mutation::no_fence_after_init) fence_barrier_init();
  }
  if (mutation != Mutation::no_barrier_after_init) __syncthreads();

  float sums[columns / 2];
#pragma unroll
  for (int i = 0; i < columns / 2; ++i) sums[i] = 0;
  if (thread == consumers) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int stage = chunk % stages, round = chunk / stages;
      unsigned char* const tile = tiles + static_cast<unsigned>(stage) * stage_bytes;
      if (round != 0 && mutation != Mutation::no_empty_wait)
        barrier_wait(&empty[stage], static_cast<unsigned>(round - 1) % 2);
      barrier_arrive_expect(&full[stage],
                            stage_bytes + (mutation == Mutation::expects_too_much ? 16 : 0));
      load_box(tile, a, chunk * depth, first_row, &full[stage]);
      load_box(tile + left_bytes, b, chunk * depth, first_column, &full[stage]);
    }
  } else if (thread < consumers && !(mutation == Mutation::half_a_warpgroup && thread >= 64)) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int stage = chunk % stages, round = chunk / stages;
      const unsigned char* const tile = tiles + static_cast<unsigned>(stage) * stage_bytes;
      if (mutation != Mutation::no_full_wait)
        barrier_wait(
            &full[stage],
            static_cast<unsigned>(round + (mutation == Mutation::wrong_parity ? 1 : 0)) % 2);
      const device::Swizzle swizzle = device::Swizzle::bytes_128;
      std::uint64_t left = matrix_descriptor(tile, swizzle, 1024u);
      std::uint64_t right = matrix_descriptor(tile + left_bytes, swizzle, 1024u);
      if (mutation == Mutation::no_swizzle_in_descriptor) {
        left = matrix_descriptor(tile, 16u, 1024u);
        right = matrix_descriptor(tile + left_bytes, 16u, 1024u);
      }
      if (mutation != Mutation::no_product_fence) products_begin();
#pragma unroll
      for (unsigned step = 0; step < depth / 16; ++step)
        add_product<1>(Bf16{}, sums, left + 2 * step, right + 2 * step);
      products_commit();
      if (mutation == Mutation::sums_before_wait) sums[0] += 1;
      if (mutation == Mutation::gives_back_too_early) barrier_arrive(&empty[stage]);
      if (mutation != Mutation::no_product_wait) products_wait<0>();
      if (mutation != Mutation::never_arrives && mutation != Mutation::gives_back_too_early)
        barrier_arrive(&empty[stage]);
    }
  }

  __syncthreads();  // all tiles have been used: c goes through their memory
  auto* const staged = reinterpret_cast<float*>(tiles);
  if (thread < consumers) {
    const int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < columns / 2; i += 2) {
      const int to_row = row + i / 2 % 2 * 8, to_column = i / 4 * 8 + column;
      float* const to = staged + to_column / store_columns * rows * store_columns;
      *reinterpret_cast<float2*>(to + to_row * store_columns + to_column % store_columns) =
          make_float2(sums[i], sums[i + 1]);
    }
    if (mutation != Mutation::no_fence_before_store) fence_async_shared();
  }
  if (mutation != Mutation::no_barrier_before_store) __syncthreads();
  if (thread == 0) {
    for (int column = 0; column < columns; column += store_columns)
      store_box(c, first_column + column, first_row, staged + column * rows);
    copy_bulk_commit();
    if (mutation != Mutation::no_store_wait) copy_bulk_wait_read<0>();
  }
}

template <Mutation mutation>
void start(device::Stream& stream, const device::TensorMap& a, const device::TensorMap& b,
           const device::TensorMap& c, int m, int n, int k) {
  device::launch({.grid = dim3(device::blocks_for(n, columns), device::blocks_for(m, rows)),
                  .block = dim3(threads),
                  .shared_bytes = stages * stage_bytes + 1024},
                 stream, multiply_kernel<mutation>, a, b, c, k);
}

device::TensorMap map_of(const void* memory, DType dtype, int row_count, int row_length,
                         unsigned box_rows, unsigned box_columns, device::Swizzle swizzle) {
  return device::make_tensor_map(
      {.memory = const_cast<void*>(memory),
       .dtype = dtype,
       .sizes = {static_cast<std::uint64_t>(row_length), static_cast<std::uint64_t>(row_count)},
       .strides = {static_cast<std::uint64_t>(row_length) * size_of(dtype)},
       .box = {box_columns, box_rows},
       .swizzle = swizzle});
}

}  // namespace

void multiply_tiles(device::Stream& stream, Mutation mutation, const unsigned short* a,
                    const unsigned short* b, float* c, int m, int n, int k) {
  const device::TensorMap of_a =
      map_of(a, DType::bf16, m, k, rows, depth, device::Swizzle::bytes_128);
  const device::TensorMap of_b =
      map_of(b, DType::bf16, n, k, columns, depth, device::Swizzle::bytes_128);
  const device::TensorMap of_c =
      map_of(c, DType::f32, m, n, rows, store_columns, device::Swizzle::none);
  if (mutation == Mutation::none) return start<Mutation::none>(stream, of_a, of_b, of_c, m, n, k);
#if defined(__CUDACC__)
  throw Error(ErrorKind::usage, "kernels with mistakes are for the emulated device");
#else
  switch (mutation) {
#define RIDGELINE_MUTATION(name) \
  case Mutation::name:           \
    return start<Mutation::name>(stream, of_a, of_b, of_c, m, n, k)
    RIDGELINE_MUTATION(none);
    RIDGELINE_MUTATION(no_barrier_after_init);
    RIDGELINE_MUTATION(no_fence_after_init);
    RIDGELINE_MUTATION(no_full_wait);
    RIDGELINE_MUTATION(no_empty_wait);
    RIDGELINE_MUTATION(gives_back_too_early);
    RIDGELINE_MUTATION(wrong_parity);
    RIDGELINE_MUTATION(expects_too_much);
    RIDGELINE_MUTATION(never_arrives);
    RIDGELINE_MUTATION(no_product_wait);
    RIDGELINE_MUTATION(sums_before_wait);
    RIDGELINE_MUTATION(no_product_fence);
    RIDGELINE_MUTATION(no_swizzle_in_descriptor);
    RIDGELINE_MUTATION(no_fence_before_store);
    RIDGELINE_MUTATION(no_barrier_before_store);
    RIDGELINE_MUTATION(no_store_wait);
    RIDGELINE_MUTATION(half_a_warpgroup);
#undef RIDGELINE_MUTATION
  }
#endif
}

}  // namespace ridgeline::ptx::test
