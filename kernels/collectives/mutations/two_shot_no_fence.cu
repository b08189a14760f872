#include "kernels/ptx/peer.cuh"

// Who has come is told without a fence.
#define tell(count) told_too_early(count)
namespace ridgeline::ptx {
__device__ __forceinline__ void told_too_early(std::uint32_t* count) { atomicAdd(count, 1u); }
}  // namespace ridgeline::ptx
#define on_cuda two_shot_no_fence
#include "kernels/collectives/two_shot.cu"
#define RIDGELINE_CALL two_shot_call<F32, 2, 1>
#include "kernels/collectives/mutations/calls_in_a_row.cuh"
