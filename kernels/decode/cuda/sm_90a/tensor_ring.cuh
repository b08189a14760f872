#pragma once

#include "kernels/decode/cuda/rings.cuh"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/dependent_launch.cuh"
#include "kernels/ptx/fence.cuh"

// Rings that tensor copies (TMA) fill: one lane of a warp starts the copy of a whole unit.
namespace ridgeline::decode::on_cuda {

constexpr unsigned pattern_bytes = 1024;  // of the swizzle; dynamic memory begins anywhere in it

template <int dim, int warps>
struct TensorShared {
  RingsShared<dim, warps> rings;
  ptx::Barrier full[warps][ring_stages<dim>];
};

/// A warp's ring, with a barrier for each stage.
template <int dim>
struct TensorRing {
  unsigned short (&stages)[ring_stages<dim>][unit_elements<dim>];
  ptx::Barrier* full;
  const device::TensorMap &k, &v;

  __device__ __forceinline__ void init() {
    if (threadIdx.x % 32 == 0) {
      for (int stage = 0; stage < ring_stages<dim>; ++stage) ptx::barrier_init(&full[stage], 1);
      ptx::fence_barrier_init();
      ptx::prefetch_map(k);
      ptx::prefetch_map(v);
    }
    __syncwarp();
  }
  /// What stands before it goes on while the kernel before ends.
  __device__ __forceinline__ void begin() {
    ptx::next_kernel_may_begin();
    ptx::previous_kernel_wait();
  }
  __device__ __forceinline__ void load(int stage, int head, int unit) {
    if (threadIdx.x % 32 != 0) return;
    unsigned short* const to = stages[stage];
    const int key = unit * unit_keys;
    ptx::barrier_arrive_expect(&full[stage], unit_elements<dim> * 2);
    ptx::load_box(to, k, 0, key, 0, head, &full[stage]);
    ptx::load_box(to + unit_elements<dim> / 2, v, 0, key, 0, head, &full[stage]);
  }
  __device__ __forceinline__ void skip() {}
  __device__ __forceinline__ void wait(int stage, unsigned parity) {
    ptx::barrier_wait(&full[stage], parity);
  }
};

/// Of all heads' keys, or values: boxes are those of units. What lies beyond a head's last key is
/// zero.
inline device::TensorMap units_of(const void* memory, const Problem& problem) {
  const auto dim = static_cast<std::uint64_t>(problem.dim),
             keys = static_cast<std::uint64_t>(problem.keys);
  return device::make_tensor_map(
      {.memory = const_cast<void*>(memory),
       .dtype = problem.dtype,
       .sizes = {panel, keys, dim / panel, static_cast<std::uint64_t>(problem.all_kv_heads())},
       .strides = {dim * 2, panel * 2, keys * dim * 2},
       .box = {panel, unit_keys, static_cast<std::uint32_t>(dim / panel), 1},
       .swizzle = device::Swizzle::bytes_128});
}

}  // namespace ridgeline::decode::on_cuda
