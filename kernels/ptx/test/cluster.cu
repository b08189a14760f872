#include "harness/device/kernel.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/test/cluster.hpp"
#include "kernels/ptx/turn.cuh"

namespace ridgeline::ptx::test {
namespace {

__global__ void read_neighbours_kernel(int* to) {
  __shared__ int held;
  RIDGELINE_DYNAMIC_SHARED(int, dynamic);
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    held = 100 + block;
    dynamic[3] = 1000 + block;
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    const unsigned behind = (cluster_rank() + 1) % cluster_size();
    to[2 * block] = *map_shared_rank(&held, behind);
    to[2 * block + 1] = map_shared_rank(dynamic, behind)[3];
  }
  cluster_arrive();  // no block ends while another one reads its memory
  cluster_wait();
}

__global__ void tell_all_kernel(int rounds, float* to) {
  constexpr int most_blocks = 8;
  __shared__ float4 heard[2][most_blocks];
  __shared__ Barrier told[2];
  const int lane = static_cast<int>(threadIdx.x), blocks = static_cast<int>(cluster_size());
  const auto rank = static_cast<int>(cluster_rank());
  if (lane == 0)
    for (Barrier& barrier : told) barrier_init(&barrier, 1);
  fence_barrier_init();
  cluster_arrive_relaxed();
  cluster_wait();
  Turn<2> turn;
  float sum = 0;
  for (int round = 0; round < rounds; ++round, turn.next()) {
    if (lane == 0) barrier_arrive_expect(&told[turn.stage], static_cast<unsigned>(16 * blocks));
    const float mine = static_cast<float>(rank + 1) + sum;
    if (lane < blocks)
      store_async_at(&heard[turn.stage][rank], make_float4(0, mine, 0, 0), &told[turn.stage],
                     static_cast<unsigned>(lane));
    barrier_wait(&told[turn.stage], turn.parity);
    sum = 0;
    for (int block = 0; block < blocks; ++block) sum += heard[turn.stage][block].y;
    __syncwarp();  // what a lane tells next says that all lanes have read
  }
  to[blockIdx.x * 32 + threadIdx.x] = sum;
  cluster_arrive_relaxed();  // no block ends while another one stores to it
  cluster_wait();
}

__global__ void meet_kernel(unsigned* counter, unsigned* to) {
  if (threadIdx.x != 0) return;
  const unsigned all = gridDim.x * (gridDim.x + 1) / 2;
  atomicAdd(counter, blockIdx.x + 1);
  unsigned seen = 0;
  while (seen != all) seen = *static_cast<volatile unsigned*>(counter);
  to[blockIdx.x] = seen;
}

constexpr int box_rows = 8, box_columns = 64, readers = 128, stages = 2, blocks_of_cluster = 2;
constexpr int stage_elements = blocks_of_cluster * box_rows * box_columns;

template <Sharing mistake>
__global__ void __launch_bounds__(readers + 32)
    share_boxes_kernel(const __grid_constant__ device::TensorMap map, int rounds, unsigned* to) {
  __shared__ __align__(128) unsigned short held[stages][stage_elements];
  __shared__ Barrier full[stages], empty[stages];
  const int thread = static_cast<int>(threadIdx.x);
  const auto rank = static_cast<int>(cluster_rank());
  constexpr int told_of = mistake == Sharing::waits_for_its_own_alone ? 1 : blocks_of_cluster;
  constexpr int tells = mistake == Sharing::tells_its_own_alone ? 1 : told_of;
  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      barrier_init(&full[stage], 1);
      barrier_init(&empty[stage], told_of * readers / 32);
    }
    if (mistake != Sharing::no_fence_after_init) fence_barrier_init();
  }
  __shared__ unsigned first_sum;
  if (mistake == Sharing::hands_over_relaxed && thread == 0) first_sum = 0;
  if (mistake == Sharing::no_cluster_barrier) {
    __syncthreads();
  } else {
    cluster_arrive_relaxed();
    cluster_wait();
  }
  Turn<stages> turn;
  if (thread < readers) {
    unsigned sum = mistake == Sharing::hands_over_relaxed ? first_sum : 0;
    for (int round = 0; round < rounds; ++round, turn.next()) {
      barrier_wait(&full[turn.stage], turn.parity);
      for (int i = thread; i < stage_elements; i += readers) sum += held[turn.stage][i];
      __syncwarp();
      if (thread % 32 < tells)
        barrier_arrive_at(&empty[turn.stage], static_cast<unsigned>((rank + thread % 32) % 2));
    }
    to[blockIdx.x * readers + threadIdx.x] = sum;
  } else if (thread == readers) {
    for (int round = 0; round < rounds; ++round, turn.next()) {
      barrier_wait(&empty[turn.stage], turn.parity ^ 1);
      barrier_arrive_expect(&full[turn.stage], stage_elements * 2);
      unsigned short* const box = held[turn.stage] + rank * box_rows * box_columns;
      load_box_multicast(box, map, 0, (round * blocks_of_cluster + rank) * box_rows,
                         &full[turn.stage], mistake == Sharing::rank_outside ? 7 : 3);
    }
    // Until the last arrivals of the other block have come.
    for (int stage = 0; stage < stages && mistake != Sharing::leaves_early; ++stage, turn.next())
      barrier_wait(&empty[turn.stage], turn.parity ^ 1);
  }
}

template <Sharing mistake>
void start(device::Stream& stream, const device::TensorMap& map, int blocks, int rounds,
           unsigned* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)),
                  .block = dim3(readers + 32),
                  .cluster = dim3(blocks_of_cluster)},
                 stream, share_boxes_kernel<mistake>, map, rounds, to);
}

}  // namespace

void share_boxes(device::Stream& stream, Sharing mistake, unsigned short* from, int blocks,
                 int rounds, unsigned* to) {
  const device::TensorMap map = device::make_tensor_map(
      {.memory = from,
       .dtype = DType::f16,
       .sizes = {box_columns, static_cast<std::uint64_t>(rounds) * blocks_of_cluster * box_rows},
       .strides = {box_columns * 2},
       .box = {box_columns, box_rows}});
  if (mistake == Sharing::right) return start<Sharing::right>(stream, map, blocks, rounds, to);
#if defined(__CUDACC__)
  throw Error(ErrorKind::usage, "kernels with mistakes are for the emulated device");
#else
  switch (mistake) {
#define RIDGELINE_SHARING(name) \
  case Sharing::name:           \
    return start<Sharing::name>(stream, map, blocks, rounds, to)
    RIDGELINE_SHARING(right);
    RIDGELINE_SHARING(no_fence_after_init);
    RIDGELINE_SHARING(no_cluster_barrier);
    RIDGELINE_SHARING(hands_over_relaxed);
    RIDGELINE_SHARING(waits_for_its_own_alone);
    RIDGELINE_SHARING(tells_its_own_alone);
    RIDGELINE_SHARING(leaves_early);
    RIDGELINE_SHARING(rank_outside);
#undef RIDGELINE_SHARING
  }
#endif
}

void read_neighbours(device::Stream& stream, int blocks, int* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)),
                  .block = dim3(64),
                  .shared_bytes = 64,
                  .cluster = dim3(4)},
                 stream, read_neighbours_kernel, to);
}

void tell_all(device::Stream& stream, int clusters, int blocks, int rounds, float* to) {
  const auto size = static_cast<unsigned>(blocks);
  device::launch({.grid = dim3(static_cast<unsigned>(clusters) * size),
                  .block = dim3(32),
                  .cluster = dim3(size)},
                 stream, tell_all_kernel, rounds, to);
}

void meet(device::Stream& stream, int blocks, unsigned* counter, unsigned* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64), .resident = true},
                 stream, meet_kernel, counter, to);
}

}  // namespace ridgeline::ptx::test
