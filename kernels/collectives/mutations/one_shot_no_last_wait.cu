#define on_cuda one_shot_no_last_wait
#include "kernels/collectives/peer_meeting.cuh"

// Behind the sums nobody waits for the others, which may still read what was sent.
namespace ridgeline::collectives::on_cuda {
namespace {

template <int ranks>
__device__ __forceinline__ void wait_first_alone(const Peers& peers, int rank, std::uint32_t nth) {
  if (nth == 1) return meet<ranks>(peers, rank, nth);
  __syncthreads();
  if (threadIdx.x < ranks)
    ptx::tell(&meeting_of(peers, static_cast<int>(threadIdx.x)).arrived[blockIdx.x][rank]);
}

}  // namespace
}  // namespace ridgeline::collectives::on_cuda
#define meet wait_first_alone
#include "kernels/collectives/one_shot.cu"
#define RIDGELINE_CALL one_shot_call<F32, 2>
#include "kernels/collectives/mutations/calls_in_a_row.cuh"
