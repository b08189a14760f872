#include "kernels/ptx/peer.cuh"

// As it is.
#define on_cuda one_shot_right
#include "kernels/collectives/one_shot.cu"
#define RIDGELINE_CALL one_shot_call<F32, 2>
#include "kernels/collectives/mutations/calls_in_a_row.cuh"
