#include "kernels/collectives/peer_meeting.cuh"
#include "kernels/collectives/peer_sums.cuh"
#include "kernels/ptx/cache_policy.cuh"

// As two_shot, but nothing is read over a link: links carry more by writes. Warp w of a rank sends
// tiles of its elements into the staging memory of warp w of the others and counts them there; that
// one adds them up and writes the sums to all. The next tile is on its way before this one is
// waited for. One meeting, at the end: whose tile has come has begun this call, so that its output
// may be written.
// In place, too: who has written into a part here has received what was sent of it.

namespace ridgeline::collectives::on_cuda {
namespace {

/// A warp's view of the message: parts, and tiles of them.
template <int ranks, int at_once>
struct Tiles {
  static constexpr std::uint32_t vectors_of_tile = 32 * at_once;
  std::uint32_t vectors, part, lane;

  __device__ __forceinline__ Tiles(std::uint32_t of, std::uint32_t its_lane)
      : vectors(of), part((of + ranks - 1) / ranks), lane(its_lane) {}
  __device__ __forceinline__ std::uint32_t count() const {
    return (part + vectors_of_tile - 1) / vectors_of_tile;
  }
  __device__ __forceinline__ std::uint32_t place(std::uint32_t tile, int one) const {
    return tile * vectors_of_tile + static_cast<std::uint32_t>(one) * 32 + lane;
  }
  __device__ __forceinline__ std::uint32_t begin(int rank) const {
    return static_cast<std::uint32_t>(rank) * part;
  }
  __device__ __forceinline__ std::uint32_t size(int rank) const {
    return begin(rank) < vectors ? min(part, vectors - begin(rank)) : 0u;
  }
};

template <int ranks, int at_once>
__device__ __forceinline__ void send_tile(const Peers& peers, int rank,
                                          const Tiles<ranks, at_once>& tiles, std::uint32_t tile,
                                          std::uint32_t warp) {
  const uint4* const own = vectors_at(peers, rank, peers.send);
#pragma unroll
  for (int k = 1; k < ranks; ++k) {
    const int peer = (rank + k) % ranks;
    uint4 values[at_once];
#pragma unroll
    for (int one = 0; one < at_once; ++one)
      if (tiles.place(tile, one) < tiles.size(peer))
        values[one] = ptx::load_past_l1(own + tiles.begin(peer) + tiles.place(tile, one));
#pragma unroll
    for (int one = 0; one < at_once; ++one)
      if (tiles.place(tile, one) < tiles.size(peer))
        vectors_at(peers, peer, peers.staging)[tiles.begin(rank) + tiles.place(tile, one)] =
            values[one];
  }
  __syncwarp();
  const int peer = static_cast<int>(tiles.lane);
  if (peer < ranks && peer != rank) ptx::tell(&meeting_of(peers, peer).sent[warp][rank]);
}

template <class Type, int ranks, int at_once>
__device__ __forceinline__ void two_shot_push_call(const Peers& peers, std::uint32_t vectors) {
  const int rank = rank_of_block(peers);
  const Tiles<ranks, at_once> tiles(vectors, threadIdx.x % 32);
  const std::uint32_t warps_of_block = blockDim.x / 32, warps = gridDim.x * warps_of_block,
                      warp = blockIdx.x * warps_of_block + threadIdx.x / 32;
  Meeting& own = meeting_of(peers, rank);
  std::uint32_t taken = own.taken[warp];
  if (warp < tiles.count()) send_tile(peers, rank, tiles, warp, warp);
  for (std::uint32_t tile = warp; tile < tiles.count(); tile += warps) {
    if (tile + warps < tiles.count()) send_tile(peers, rank, tiles, tile + warps, warp);
    ++taken;
    const int sender = static_cast<int>(tiles.lane);
    if (sender < ranks && sender != rank) ptx::wait_for_count(&own.sent[warp][sender], taken);
    __syncwarp();
    uint4 sent[at_once][ranks];
#pragma unroll
    for (int one = 0; one < at_once; ++one)
#pragma unroll
      for (int from = 0; from < ranks; ++from)
        if (tiles.place(tile, one) < tiles.size(rank))
          sent[one][from] =
              ptx::load_past_l1(vectors_at(peers, rank, from == rank ? peers.send : peers.staging) +
                                tiles.begin(from) + tiles.place(tile, one));
#pragma unroll
    for (int one = 0; one < at_once; ++one) {
      if (tiles.place(tile, one) >= tiles.size(rank)) continue;
      const uint4 sum = sum_of<Type>(sent[one]);
#pragma unroll
      for (int k = 1; k <= ranks; ++k)
        vectors_at(peers, (rank + k) % ranks,
                   peers.receive)[tiles.begin(rank) + tiles.place(tile, one)] = sum;
    }
  }
  __syncwarp();  // all lanes have read how many it was
  if (tiles.lane == 0) own.taken[warp] = taken;
  meet<ranks>(peers, rank, 1);
  leave(peers, rank, 1);
}

template <class Type, int ranks, int at_once>
__global__ void __launch_bounds__(512)
    two_shot_push_kernel(const __grid_constant__ Peers peers, std::uint32_t vectors) {
  two_shot_push_call<Type, ranks, at_once>(peers, vectors);
}

}  // namespace

void enqueue_two_shot_push(const Peers& peers, const Problem& problem, device::Stream& stream) {
  const PeerShape shape = shape_of(Rung::two_shot_push, problem);
  const auto vectors = static_cast<std::uint32_t>(problem.bytes / 16);
  with_type_and_ranks(problem, [&]<class Type, int ranks>() {
    constexpr int at_once = ranks <= 4 ? 4 : 2;  // as many as fit into registers
    start(shape, peers, stream,
          shape.is_wide ? two_shot_push_kernel<Type, ranks, at_once>
                        : two_shot_push_kernel<Type, ranks, 1>,
          vectors);
  });
}

}  // namespace ridgeline::collectives::on_cuda
