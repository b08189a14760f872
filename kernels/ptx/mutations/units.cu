#include "harness/device/kernel.hpp"
#include "kernels/ptx/barrier.cuh"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/mutations/units.hpp"
#include "kernels/ptx/registers.cuh"
#include "kernels/ptx/wgmma.cuh"

namespace ridgeline::ptx::mutations {
namespace {

__global__ void share_registers_kernel(Registers mistake) {
  const unsigned group = threadIdx.x / 128;
  switch (mistake) {
    case Registers::none:
      if (group == 0)
        give_registers<40>();
      else
        take_registers<232>();
      break;
    case Registers::below_the_least:
      give_registers<16>();
      break;
    case Registers::no_multiple:
      take_registers<100>();
      break;
    case Registers::too_many:
      take_registers<232>();
      break;
    case Registers::half_a_warpgroup:
      if (threadIdx.x < 64) give_registers<40>();
      break;
    case Registers::half_a_warp:
      if (threadIdx.x % 32 < 16) give_registers<40>();
      break;
    case Registers::no_warpgroup:
      give_registers<40>();
      break;
  }
}

__global__ void multiply_ones_kernel(LeftFactor mistake, float* to) {
  constexpr unsigned columns = 128, depth = 16, one = 0x3F80, span = 128;  // bf16; bytes
  __shared__ __align__(1024) unsigned short right[columns * depth];
  for (unsigned i = threadIdx.x; i < columns * depth; i += 128) right[i] = one;
  fence_async_shared();
  __syncthreads();
  unsigned left[4] = {one << 16 | one, one << 16 | one, one << 16 | one, one << 16 | one};
  float sums[columns / 2];
  const unsigned next_piece = (mistake == LeftFactor::too_short ? 2 : 1) * depth * span;
  std::uint64_t of_right =
      transposed_descriptor(right, device::Swizzle::bytes_128, next_piece, 8 * span);
  if (mistake == LeftFactor::no_swizzle) of_right = matrix_descriptor(right, 128u, 256u);
  products_begin();
  multiply_from_registers<true>(Bf16{}, sums, left, of_right, false);
  products_commit();
  unsigned early = 0;
  if (mistake == LeftFactor::read_early) early = left[2];
  if (mistake == LeftFactor::written_early) left[1] = 0;
  products_wait<0>(sums);
  to[threadIdx.x] = sums[0] + static_cast<float>(early);
}

__global__ void load_first_kernel(const __grid_constant__ device::TensorMap map, int rank, int x,
                                  int y, unsigned short* to) {
  __shared__ Barrier full;
  RIDGELINE_DYNAMIC_SHARED(unsigned short, box);
  barrier_init(&full, 1);
  fence_barrier_init();
  if (rank == 1)
    load_box(box, map, x, &full);
  else
    load_box(box, map, x, y, &full);
  barrier_arrive_expect(&full, 16 * 8 * 2);
  barrier_wait(&full, 0);
  to[0] = box[0];
}

}  // namespace

void share_registers(device::Stream& stream, Registers mistake) {
  const unsigned threads = mistake == Registers::no_warpgroup ? 64 : 384;
  device::launch({.block = dim3(threads)}, stream, share_registers_kernel, mistake);
}

void multiply_ones(device::Stream& stream, LeftFactor mistake, float* to) {
  device::launch({.block = dim3(128)}, stream, multiply_ones_kernel, mistake, to);
}

void load_first(device::Stream& stream, const device::TensorMap& map, int rank, int x, int y,
                unsigned short* to) {
  device::launch({.block = dim3(1), .shared_bytes = 16 * 8 * 2}, stream, load_first_kernel, map,
                 rank, x, y, to);
}

}  // namespace ridgeline::ptx::mutations
