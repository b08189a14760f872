#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"
#include "kernels/collectives/peers.hpp"
#include "kernels/ptx/mma.cuh"

// Sums of what ranks sent, in the order of ranks, in f32, rounded once.
namespace ridgeline::collectives::on_cuda {

struct F32 {
  template <int ranks>
  static __device__ __forceinline__ std::uint32_t sum(const std::uint32_t (&words)[ranks]) {
    float all = __uint_as_float(words[0]);
#pragma unroll
    for (int rank = 1; rank < ranks; ++rank) all += __uint_as_float(words[rank]);
    return __float_as_uint(all);
  }
};

/// Two in a word.
struct Bf16 {
  template <int ranks>
  static __device__ __forceinline__ std::uint32_t sum(const std::uint32_t (&words)[ranks]) {
    float low = __uint_as_float(words[0] << 16), high = __uint_as_float(words[0] & 0xFFFF0000u);
#pragma unroll
    for (int rank = 1; rank < ranks; ++rank) {
      low += __uint_as_float(words[rank] << 16);
      high += __uint_as_float(words[rank] & 0xFFFF0000u);
    }
    return ptx::pack(ptx::Bf16{}, low, high);
  }
};

template <class Type, int ranks>
__device__ __forceinline__ uint4 sum_of(const uint4 (&vectors)[ranks]) {
  std::uint32_t words[4][ranks];
#pragma unroll
  for (int rank = 0; rank < ranks; ++rank) {
    words[0][rank] = vectors[rank].x;
    words[1][rank] = vectors[rank].y;
    words[2][rank] = vectors[rank].z;
    words[3][rank] = vectors[rank].w;
  }
  return {Type::sum(words[0]), Type::sum(words[1]), Type::sum(words[2]), Type::sum(words[3])};
}

/// Starts `kernel` for a problem: `computed` ranks, of which each has a row of the grid. One device
/// that plays several ranks has to run all of them at once.
template <class... Parameters, class... Arguments>
void start(const PeerShape& shape, const Peers& peers, device::Stream& stream,
           void (*kernel)(Parameters...), Arguments... arguments) {
  device::LaunchConfig config;
  config.grid = {shape.blocks, static_cast<unsigned>(peers.computed), 1};
  config.block.x = shape.threads;
  config.resident = peers.computed > 1;
  device::launch(config, stream, kernel, peers, arguments...);
}

/// Calls `action` with a type and a number of ranks as template arguments.
template <class Action>
void with_type_and_ranks(const Problem& problem, Action action) {
  const auto with_ranks = [&]<class Type>() {
    if (problem.ranks == 2) return action.template operator()<Type, 2>();
    if (problem.ranks == 4) return action.template operator()<Type, 4>();
    action.template operator()<Type, 8>();
  };
  if (problem.dtype == DType::bf16) return with_ranks.template operator()<Bf16>();
  with_ranks.template operator()<F32>();
}

}  // namespace ridgeline::collectives::on_cuda
