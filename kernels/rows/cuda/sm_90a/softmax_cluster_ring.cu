#include "harness/device/facts.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/max.cuh"
#include "kernels/ptx/opaque.cuh"
#include "kernels/ptx/turn.cuh"
#include "kernels/rows/cuda/softmax.cuh"

// Over softmax_in_cluster: clusters that stay, and take row after row. A row lies in the registers
// of the cluster's blocks, up to 128 KiB each, and shared memory is a ring of its own for each
// warp, which bulk copies fill with the rows to come: reading goes on through the exchange and
// while the row is written. What the warps tell each other goes by asynchronous stores that arrive
// at mbarriers. A barrier of the cluster would wait until each thread's last row has been written.
// Bound by DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int most_threads = 512, most_blocks = 8, most_parts = most_blocks * most_threads / 32;
constexpr int in_chunk = 4, chunks = 4;                      // of each lane's accesses
constexpr int chunk = 32 * in_chunk, part = chunks * chunk;  // accesses of a warp
/// Of a ring, each a chunk. A fourth one makes rows of 131072 bf16 0.6% faster, and of f32 1.1%
/// slower (H200).
template <class Element>
constexpr int ring_stages = sizeof(Element) == sizeof(float) ? 3 : 4;

/// The maximum of bits of elements, word by word.
struct Most {
  unsigned of[4];
  // The least finite ones.
  __device__ __forceinline__ explicit Most(const float*)
      : of{0xFF7FFFFFu, 0xFF7FFFFFu, 0xFF7FFFFFu, 0xFF7FFFFFu} {}
  __device__ __forceinline__ explicit Most(const __nv_bfloat16*)
      : of{0xFF7FFF7Fu, 0xFF7FFF7Fu, 0xFF7FFF7Fu, 0xFF7FFF7Fu} {}

  __device__ __forceinline__ static unsigned larger(const float*, unsigned a, unsigned b) {
    return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
  }
  __device__ __forceinline__ static unsigned larger(const __nv_bfloat16*, unsigned a, unsigned b) {
    return ptx::max_of_bf16_pairs(a, b);
  }
  template <class Element>
  __device__ __forceinline__ void take(const Element* type, uint4 words) {
    of[0] = larger(type, of[0], words.x);
    of[1] = larger(type, of[1], words.y);
    of[2] = larger(type, of[2], words.z);
    of[3] = larger(type, of[3], words.w);
  }
  template <class Element>
  __device__ __forceinline__ float all(const Element* type) const {
    float value[lanes_of<Element>], most = lowest;
    unpack(type, make_uint4(of[0], of[1], of[2], of[3]), value);
#pragma unroll
    for (const float one : value) most = fmaxf(most, one);
    return most;
  }
};

/// True, once what all lanes have taken has come from shared memory. Reads may wait for long,
/// behind stores of other warps, and a copy that is started after them would overtake them: it must
/// depend on what they bring.
__device__ __forceinline__ bool all_have_read(const Most& most) {
  __syncwarp();
  return !__any_sync(0xFFFFFFFFu, most.of[0] == 0xFFFFFFFFu);  // NaN, which is no maximum
}

/// `whole`: each warp has all of its part. The exponentials of floats take the place of the row;
/// those of smaller elements are computed twice.
template <class Element, bool whole>
__global__ void __launch_bounds__(most_threads, 1)
    softmax_cluster_ring_kernel(int rows, int vectors, const uint4* x, uint4* out) {
  constexpr int lanes = lanes_of<Element>, count = chunks * in_chunk, stages = ring_stages<Element>;
  constexpr bool once = sizeof(Element) == sizeof(float);
  const Element* const type = nullptr;
  RIDGELINE_DYNAMIC_SHARED(uint4, rings);
  __shared__ float4 exchange[2][most_parts];
  __shared__ ptx::Barrier told[2], full[most_threads / 32][stages];
  const int blocks = static_cast<int>(ptx::cluster_size()),
            cluster = static_cast<int>(blockIdx.x) / blocks,
            clusters = static_cast<int>(gridDim.x) / blocks, parts = blocks * warps(),
            number = static_cast<int>(ptx::cluster_rank()) * warps() + warp();
  const int first = number * part, size = whole ? part : max(min(vectors - first, part), 0);
  uint4* const ring = rings + warp() * stages * chunk;
  ptx::Barrier* const arrived = full[warp()];
  if (threadIdx.x == 0)
    for (ptx::Barrier& barrier : told) ptx::barrier_init(&barrier, 1);
  if (lane() == 0)
    for (int stage = 0; stage < stages; ++stage) ptx::barrier_init(&arrived[stage], 1);
  ptx::fence_barrier_init();
  ptx::cluster_arrive_relaxed();

  int next_row = cluster, next_begin = 0;  // what is to be loaded next
  const auto load = [&](unsigned stage) {
    if (next_row >= rows || next_begin >= size) return;
    const unsigned bytes = static_cast<unsigned>(whole ? chunk : min(size - next_begin, chunk)) *
                           static_cast<unsigned>(sizeof(uint4));
    ptx::barrier_arrive_expect(&arrived[stage], bytes);
    ptx::copy_bulk_load_kept(ring + stage * chunk,
                             x + std::int64_t{next_row} * vectors + first + next_begin, bytes,
                             &arrived[stage]);
    next_begin += chunk;
    if (next_begin < size) return;
    next_begin = 0;
    next_row += clusters;
  };
  __syncwarp();
  if (lane() == 0)
    for (unsigned stage = 0; stage < stages; ++stage) load(stage);
  ptx::cluster_wait();  // the mbarriers of all blocks are there
  ptx::Turn<stages> turn;
  ptx::Turn<2> exchanged;
  for (int row = cluster; row < rows; row += clusters, exchanged.next()) {
    float4* const of_row = exchange[exchanged.stage];
    ptx::Barrier* const all_told = &told[exchanged.stage];
    if (threadIdx.x == 0)
      ptx::barrier_arrive_expect(all_told, static_cast<unsigned>(parts * sizeof(float4)));
    uint4 held[count];
    Most most(type);
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      if (!whole && c * chunk >= size) {
#pragma unroll
        for (int i = 0; i < in_chunk; ++i) held[c * in_chunk + i] = minus_infinity(type);
        continue;
      }
      ptx::barrier_wait(&arrived[turn.stage], turn.parity);
#pragma unroll
      for (int i = 0; i < in_chunk; ++i) {
        const int at = i * 32 + lane();
        held[c * in_chunk + i] = whole || c * chunk + at < size
                                     ? ring[turn.stage * chunk + static_cast<unsigned>(at)]
                                     : minus_infinity(type);
      }
#pragma unroll
      for (int i = 0; i < in_chunk; ++i) most.take(type, held[c * in_chunk + i]);
      if (all_have_read(most) && lane() == 0) load(turn.stage);
      turn.next();
    }
    Part mine{most_of_warp(most.all(type)), 0};
    float value[lanes];
#pragma unroll
    for (uint4& words : held) {
      unpack(type, words, value);
#pragma unroll
      for (float& one : value) {
        one = power(one, mine.top);
        mine.sum += one;
      }
      if constexpr (once) words = pack(type, value);
    }
    mine.sum = sum_over_warp(mine.sum);
    ptx::forget_derived(held);
    if (lane() < blocks)
      ptx::store_async_at(&of_row[number], make_float4(mine.top, mine.sum, 0, 0), all_told,
                          static_cast<unsigned>(lane()));
    ptx::barrier_wait(all_told, exchanged.parity);
    Part all;
    for (int i = lane(); i < parts; i += 32) all.top = fmaxf(all.top, of_row[i].x);
    all.top = most_of_warp(all.top);
    for (int i = lane(); i < parts; i += 32) all.sum += of_row[i].y * power(of_row[i].x, all.top);
    const float scale = scale_of(sum_over_warp(all.sum)) * (once ? power(mine.top, all.top) : 1);
    uint4* const to = out + std::int64_t{row} * vectors + first + lane();
#pragma unroll
    for (int j = 0; j < count; ++j) {
      if (!whole && j * 32 + lane() >= size) continue;
      unpack(type, held[j], value);
#pragma unroll
      for (float& one : value) one = (once ? one : power(one, all.top)) * scale;
      store_once(to + j * 32, pack(type, value));
    }
  }
  ptx::cluster_arrive_relaxed();  // no block ends while another one stores to it
  ptx::cluster_wait();
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  const int vectors = vectors_of_row(problem), parts = (vectors + part - 1) / part;
  int blocks = 2;
  while (blocks * most_threads / 32 < parts) blocks *= 2;
  const int warps_of_block = (parts + blocks - 1) / blocks;
  with_element(problem, [&]<class Element>(Element) {
    const auto kernel = vectors == blocks * warps_of_block * part
                            ? softmax_cluster_ring_kernel<Element, true>
                            : softmax_cluster_ring_kernel<Element, false>;
    device::LaunchConfig config{.block = dim3(static_cast<unsigned>(warps_of_block * 32)),
                                .shared_bytes = static_cast<std::size_t>(warps_of_block) *
                                                ring_stages<Element> * chunk * sizeof(uint4),
                                .cluster = dim3(static_cast<unsigned>(blocks))};
    const std::int64_t clusters =
        std::min<std::int64_t>(problem.rows, device::clusters_that_fit(stream, kernel, config));
    config.grid = dim3(static_cast<unsigned>(clusters * blocks));
    device::launch(config, stream, kernel, static_cast<int>(problem.rows), vectors,
                   static_cast<const uint4*>(operands.x), static_cast<uint4*>(operands.out));
  });
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("is built for GPUs of compute capability 9.0 alone");
  return whole_vectors(problem, {Operation::softmax}, most_parts * part);
}

}  // namespace

Variant softmax_cluster_ring() {
  return {"rows in the registers of clusters that stay, the next ones read ahead through rings",
          {Operation::softmax},
          {DType::f32, DType::bf16},
          2,
          1,
          supports,
          launch,
          nullptr,
          {.sectors_per_store = 16, .wavefronts_per_shared_request = 2.72}};
}

}  // namespace ridgeline::rows::on_cuda
