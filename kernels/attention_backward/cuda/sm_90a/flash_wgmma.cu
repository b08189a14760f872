#include "kernels/attention_backward/cuda/sm_90a/launch.cuh"

// No scores are written to memory: a block has 128 keys, and all queries that see them pass by.
// Scores are computed transposed, so that P and dS stay in registers as left factors (wgmma);
// tiles come by tensor copies, dK and dV are summed up in registers, and dQ in memory as f32, by
// additions of whole tiles that the asynchronous unit carries out (cp.reduce.async.bulk). Blocks
// add in any order, so that the last bits of dQ differ from run to run. Bound by tensor cores and
// by shared memory, which feeds them, takes dS and hands dQ on: by count it is busy for 3488 clocks
// of a tile of 80 queries with heads of 128, and they for 3200; with heads of 64, for 2816 and 2560
// of a tile of 128. In long runs bound by the power limit.

namespace ridgeline::attention_backward::on_cuda {
namespace {

struct Mixed {
  static constexpr bool ordered = false;

  __device__ __forceinline__ explicit Mixed(const int*) {}
  __device__ __forceinline__ void start(float* to, const float* from, unsigned bytes) {
    ptx::copy_bulk_add(to, from, bytes);
    ptx::copy_bulk_commit();
    ptx::copy_bulk_wait_read<0>();
  }
  __device__ __forceinline__ void finish() {}
};

}  // namespace

Variant flash_wgmma() {
  return {"scores transposed, so that P and dS stay in registers; dQ by additions of whole tiles",
          {DType::bf16},
          supports_rung,
          launch_rung<Mixed>,
          workspace_for,
          {.sectors_per_load = 14, .sectors_per_store = 10, .wavefronts_per_shared_request = 4}};
}

}  // namespace ridgeline::attention_backward::on_cuda
