#include "kernels/ptx/peer.cuh"

// As it is.
#define on_cuda two_shot_push_right
#include "kernels/collectives/two_shot_push.cu"
#define RIDGELINE_CALL two_shot_push_call<F32, 2, 1>
#include "kernels/collectives/mutations/calls_in_a_row.cuh"
