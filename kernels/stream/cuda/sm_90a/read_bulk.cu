#include "harness/device/facts.hpp"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/turn.cuh"
#include "kernels/stream/cuda/walk.cuh"

// One thread of a block an SM keeps bulk copies of whole chunks to shared memory under way, and
// eight warps sum what has come. Bound by DRAM: 192 KiB an SM are under way without a register
// spent on them, and each SM reads long runs of addresses. Chunks of 32 or 64 KiB did best on an
// H200, with programs that are not part of the suites: 1% over chunks of 8 KiB.
namespace ridgeline::stream::on_cuda {
namespace {

constexpr int summing = 256, all_threads = summing + 32;
constexpr unsigned ring_bytes = 192 << 10, usual_chunk_bytes = 64 << 10;

template <unsigned chunk_bytes>
__global__ void __launch_bounds__(all_threads, 1)
    sum_chunks(const float* in, std::int64_t elements, int passes, unsigned* sums) {
  RIDGELINE_DYNAMIC_SHARED(uint4, ring);
  constexpr unsigned stages = ring_bytes / chunk_bytes;
  __shared__ ptx::Barrier full[stages], empty[stages];
  constexpr unsigned chunk = chunk_bytes / sizeof(uint4);  // vectors
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t vectors = elements / 4;
  const auto from = reinterpret_cast<const uint4*>(in);
  const std::int64_t begin = std::int64_t{blockIdx.x} * chunk,
                     step = std::int64_t{gridDim.x} * chunk;
  const auto size_at = [vectors](std::int64_t at) {
    return vectors - at < chunk ? static_cast<unsigned>(vectors - at) : chunk;
  };
  if (thread == 0) {
    for (unsigned i = 0; i < stages; ++i) {
      ptx::barrier_init(&full[i], 1);
      ptx::barrier_init(&empty[i], summing / 32);
    }
    ptx::fence_barrier_init();
  }
  __syncthreads();
  ptx::Turn<stages> turn;
  unsigned sum = 0;
  if (thread < summing) {
    for (int pass = 0; pass < passes; ++pass) {
      for (std::int64_t at = begin; at < vectors; at += step, turn.next()) {
        ptx::barrier_wait(&full[turn.stage], turn.parity);
        const uint4* const held = ring + turn.stage * chunk;
        add_bits<Level::shared, 4>(held, {thread, size_at(at), summing}, sum);
        __syncwarp();
        if (thread % 32 == 0) ptx::barrier_arrive(&empty[turn.stage]);
      }
      std::int64_t last;
      if (has_tail_element(elements, last)) sum += __float_as_uint(in[last]);
      ptx::keep_accesses();
    }
  } else if (thread == summing) {
    for (int pass = 0; pass < passes; ++pass) {
      for (std::int64_t at = begin; at < vectors; at += step, turn.next()) {
        ptx::barrier_wait(&empty[turn.stage], turn.parity ^ 1);
        const unsigned bytes = size_at(at) * sizeof(uint4);
        ptx::barrier_arrive_expect(&full[turn.stage], bytes);
        ptx::copy_bulk_load(ring + turn.stage * chunk, from + at, bytes, &full[turn.stage]);
      }
    }
  }
  for (int i = thread; i < Problem::sums_per_unit; i += all_threads)
    sums[blockIdx.x * Problem::sums_per_unit + i] = i == thread ? sum : 0;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel =
      problem.shape.chunk == 32 << 10 ? sum_chunks<32 << 10> : sum_chunks<usual_chunk_bytes>;
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units)),
                  .block = dim3(all_threads),
                  .shared_bytes = ring_bytes},
                 stream, kernel, operands.a, problem.elements, problem.passes,
                 static_cast<unsigned*>(operands.out));
}

device::Support supports(const Problem&, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  return device::Support::yes();
}

}  // namespace

Variant read_bulk() {
  return {"bulk copies of 64 KiB to shared memory, three under way an SM",
          Operation::read,
          {Level::dram},
          supports,
          launch,
          {{.chunk = 32 << 10}}};
}

}  // namespace ridgeline::stream::on_cuda
