#include "kernels/attention_backward/cuda/sm_90a/launch.cuh"

// `flash_wgmma` with an order of the additions to dQ: each tile of queries has a number that tells
// how many blocks have added to it, and a block waits until its turn has come. The first one
// stores, so that nothing has to be set to zero. Blocks that run together go through the queries in
// step, each at another tile, and the order is the one in which they come by: then they seldom
// wait, but for the time that an addition takes to arrive. Outputs are equal bit for bit in all
// executions on GPUs with as many SMs: the order depends on how many blocks there are. Why blocks
// never wait for each other in a circle: order.hpp.

namespace ridgeline::attention_backward::on_cuda {
namespace {

/// One addition after the other, across blocks. The asynchronous unit makes them, outside of what
/// fences of threads order, so that each hands over in four steps: its thread waits until it is
/// complete (not only read) and so visible to the thread; fences, and counts it; the next thread
/// sees the count, and fences; and has the unit begin after that (fence.proxy.async). Counting is a
/// volatile store beside a fence of the device, which is a release; a volatile load and a fence are
/// an acquire.
struct Fixed {
  static constexpr bool ordered = true;
  volatile int* const made;  // additions to this half
  int before = 0;

  __device__ __forceinline__ explicit Fixed(int* counter) : made(counter) {}
  __device__ __forceinline__ void wait_turn(int additions) {
    before = additions;
    while (*made != additions) {
    }
    __threadfence();
    ptx::fence_async_global();
  }
  __device__ __forceinline__ void start(float* to, const float* from, unsigned bytes) {
    if (before == 0)
      ptx::copy_bulk_store(to, from, bytes);
    else
      ptx::copy_bulk_add(to, from, bytes);
    ptx::copy_bulk_commit();
    ptx::copy_bulk_wait_read<0>();
  }
  __device__ __forceinline__ void finish() {
    ptx::copy_bulk_wait<0>();
    ptx::fence_async_global();
    __threadfence();
    *made = before + 1;
  }
};

}  // namespace

Variant flash_deterministic() {
  return {"additions to dQ take turns, so that all executions give the same bits",
          {DType::bf16},
          supports_rung,
          launch_rung<Fixed>,
          workspace_for,
          {.sectors_per_load = 13, .sectors_per_store = 6, .wavefronts_per_shared_request = 4},
          /*deterministic=*/true};
}

}  // namespace ridgeline::attention_backward::on_cuda
