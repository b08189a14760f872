#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/memory/memory.hpp"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"

// One thread of a block has the asynchronous unit copy a chunk through shared memory: no register
// and no lane touches a byte, and what is under way is a matter of shared memory and of the 32
// blocks that an SM holds. Bound by DRAM, as the copies that threads make. On an H200 chunks of
// 2 KiB did best; rings of chunks, of which a block copies many, made 0.92 to 0.98 of that: blocks
// that begin one after the other read and write addresses that follow each other, and rings do not.
namespace ridgeline::memory::on_cuda {
namespace {

template <int chunk_bytes>
__global__ void __launch_bounds__(32)
    copy_chunk(const float* in, float* out, std::int64_t elements) {
  RIDGELINE_DYNAMIC_SHARED(uint4, held);
  __shared__ ptx::Barrier here;
  constexpr std::int64_t chunk = chunk_bytes / sizeof(uint4);  // vectors
  if (threadIdx.x != 0) return;
  const std::int64_t vectors = elements / 4, first = blockIdx.x * chunk;
  if (blockIdx.x == 0)  // fewer than four elements behind the last vector
    for (std::int64_t i = vectors * 4; i < elements; ++i) out[i] = in[i];
  if (first >= vectors) return;
  const std::int64_t left = vectors - first;
  const auto bytes = static_cast<unsigned>((left < chunk ? left : chunk) * sizeof(uint4));
  ptx::barrier_init(&here, 1);
  ptx::fence_barrier_init();
  ptx::barrier_arrive_expect(&here, bytes);
  ptx::copy_bulk_load(held, reinterpret_cast<const uint4*>(in) + first, bytes, &here);
  ptx::barrier_wait(&here, 0);
  ptx::copy_bulk_store(reinterpret_cast<uint4*>(out) + first, held, bytes);
  ptx::copy_bulk_commit();
  ptx::copy_bulk_wait_read<0>();
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.width == 32 << 10  ? copy_chunk<32 << 10>
                      : problem.width == 8 << 10 ? copy_chunk<8 << 10>
                                                 : copy_chunk<2 << 10>;
  const int floats = problem.width / static_cast<int>(sizeof(float));
  device::launch({.grid = dim3(device::blocks_for(problem.elements, floats)),
                  .block = dim3(32),
                  .shared_bytes = static_cast<unsigned>(problem.width)},
                 stream, kernel, operands.in, operands.out, problem.elements);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  if (problem.stride == 1 && problem.offset == 0 &&
      (problem.width == 2 << 10 || problem.width == 8 << 10 || problem.width == 32 << 10))
    return device::Support::yes();
  return device::Support::unsupported("copies all elements in chunks of 2, 8 or 32 KiB");
}

/// No lane asks for a sector.
kernels::Traffic traffic(const Problem& problem) { return {{}, problem.bytes()}; }

}  // namespace

Variant bulk() {
  return {"one thread has the asynchronous unit copy a chunk through shared memory", supports,
          launch, traffic};
}

}  // namespace ridgeline::memory::on_cuda
