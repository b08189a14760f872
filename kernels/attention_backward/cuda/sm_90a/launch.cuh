#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/attention_backward/cuda/sm_90a/differentiate.cuh"
#include "kernels/attention_backward/cuda/sm_90a/prepare.cuh"

// The three kernels of a rung, by how it adds up dQ: see add_tiles.cuh. What a rung says of itself:
//   static constexpr bool ordered: blocks wait for each other.
namespace ridgeline::attention_backward::on_cuda {

constexpr float log2_e = 1.44269504f;

inline std::int64_t padded_rows(const Problem& problem, int rows) {
  return tiles_of(problem, rows) * rows;
}

inline std::size_t workspace_for(const Problem& problem) {
  const int rows = rows_for(problem);
  const auto all = static_cast<std::size_t>(problem.all_heads() * padded_rows(problem, rows));
  const auto sets = static_cast<std::size_t>(problem.all_heads() * tiles_of(problem, tile_keys));
  const auto of_row = static_cast<std::size_t>(problem.dim + 2);
  return (all * of_row + 2 * all / static_cast<std::size_t>(rows) + sets) * sizeof(float) + 256;
}

inline Between between_in(const Operands& operands, const Problem& problem, int rows) {
  const std::int64_t padded = padded_rows(problem, rows), all = problem.all_heads() * padded;
  auto* const memory = static_cast<float*>(operands.workspace);
  auto* const turns = reinterpret_cast<int*>(memory + all * (problem.dim + 2));
  return {memory + all * problem.dim, memory, turns, turns + 2 * all / rows,
          static_cast<int>(padded)};
}

template <int dim, int rows, bool causal, class Adding>
void launch_tiles(const Problem& problem, const Operands& operands, device::Stream& stream) {
  using In = Layout<dim, rows>;
  const Between between = between_in(operands, problem, rows);
  const auto heads = static_cast<unsigned>(problem.all_heads());
  const std::int64_t kv_heads = problem.all_heads() / problem.group();
  const float factor = 1.0f / sqrtf(static_cast<float>(dim));
  const int units = device::units(stream), seq = static_cast<int>(problem.seq);
  const Order order = order_for(problem, rows, Adding::ordered, units);
  device::launch(
      {.grid = dim3(device::blocks_for(between.padded, row_threads * lane_elements / dim), heads),
       .block = dim3(row_threads)},
      stream, prepare_rows<dim, rows, !Adding::ordered>, static_cast<const uint4*>(operands.o),
      static_cast<const uint4*>(operands.d_o), operands.logarithms, seq, between);
  const Maps maps{map_of<In>(problem, problem.all_heads(), operands.q, rows),
                  map_of<In>(problem, kv_heads, operands.k, tile_keys),
                  map_of<In>(problem, kv_heads, operands.v, tile_keys),
                  map_of<In>(problem, problem.all_heads(), operands.d_o, rows),
                  map_of<In>(problem, kv_heads, operands.dk, 16, 1),
                  map_of<In>(problem, kv_heads, operands.dv, 16, 1),
                  map_of_numbers(problem, between, rows)};
  device::launch({.grid = dim3(static_cast<unsigned>(blocks_of(order, units))),
                  .block = dim3(differentiate_threads),
                  .shared_bytes = In::with_padding,
                  .resident = Adding::ordered},
                 stream, backward<dim, rows, causal, Adding>, maps, order, between, factor,
                 factor * log2_e);
  device::launch(
      {.grid = dim3(static_cast<unsigned>(order.query_tiles), heads), .block = dim3(row_threads)},
      stream, finish_queries<dim, rows>, reinterpret_cast<const float4*>(between.dq),
      static_cast<uint4*>(operands.dq), seq, between.padded, factor);
}

template <class Adding>
void launch_rung(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  const bool causal = problem.mask == Mask::causal;
  if (problem.dim == 64)
    causal ? launch_tiles<64, 128, true, Adding>(problem, operands, stream)
           : launch_tiles<64, 128, false, Adding>(problem, operands, stream);
  else if (!causal)
    launch_tiles<128, 80, false, Adding>(problem, operands, stream);
  else if (rows_for(problem) == 64)
    launch_tiles<128, 64, true, Adding>(problem, operands, stream);
  else
    launch_tiles<128, 80, true, Adding>(problem, operands, stream);
}

inline device::Support supports_rung(const Problem& problem, const device::Facts& facts) {
  if (facts.capability != 90)
    return device::Support::unsupported("wgmma exists on GPUs of compute capability 9.0 alone");
  if (problem.all_heads() > 65535) return device::Support::unsupported("more than 65535 heads");
  if (problem.all_heads() * (problem.seq + 128) > std::int64_t{1} << 30)  // coordinates are ints
    return device::Support::unsupported("more than 2^30 queries");
  return check(problem, {DType::bf16});
}

}  // namespace ridgeline::attention_backward::on_cuda
