#include "kernels/ptx/peer.cuh"

// Nobody waits for a count.
#define wait_for_count(count, value) acquired(count)
#define on_cuda two_shot_push_no_wait
#include "kernels/collectives/two_shot_push.cu"
#define RIDGELINE_CALL two_shot_push_call<F32, 2, 1>
#include "kernels/collectives/mutations/calls_in_a_row.cuh"
