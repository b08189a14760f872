#include <omp.h>

#include "kernels/attention/cpu_panels.hpp"

// Takes keys and values block by block and keeps, for each query, the largest score, the sum and
// the output so far, scaled anew when a larger score appears (online softmax), where `standard`
// writes all scores and probabilities: scores never leave the core's L2 cache, and memory grows
// with seq instead of its square. Blocks above the diagonal are not computed. Bound by the vector
// units' FMA rate.

namespace ridgeline::attention::on_cpu {
namespace {

/// One thread's panels, cut from its part of the workspace.
struct Scratch {
  explicit Scratch(const Problem& problem, float* memory) : memory_(memory) {
    const gemm::RegisterTile& tile = gemm::widest_tile();
    const std::int64_t padded_dim = round_up(problem.dim, tile.rows);
    keys = take(key_block * problem.dim);
    values = take(key_block * padded_dim);
    scores = take(key_block * tile.columns);
    for (std::int64_t panel = 0; panel < block_panels; ++panel) {
      queries[panel] = take(problem.dim * tile.columns);
      output[panel] = take(padded_dim * tile.columns);
      largest[panel] = take(tile.columns);
      sum[panel] = take(tile.columns);
    }
    factor = take(tile.columns);
  }
  std::int64_t size() const { return used_; }

  float *keys, *values, *scores, *factor;
  float *queries[block_panels], *output[block_panels], *largest[block_panels], *sum[block_panels];

 private:
  float* take(std::int64_t count) {
    float* start = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += round_up(count, 64);
    return start;
  }
  float* memory_;
  std::int64_t used_ = 0;
};

std::size_t workspace(const Problem& problem) {
  return static_cast<std::size_t>(omp_get_max_threads() * Scratch(problem, nullptr).size()) *
         sizeof(float);
}

/// Outputs of the queries first_query .. first_query + block_panels * columns - 1 of one head.
void attend(const Problem& problem, const float* q, const float* k, const float* v, float* o,
            std::int64_t first_query, const Scratch& scratch) {
  const gemm::RegisterTile& tile = gemm::widest_tile();
  const PanelSoftmax& softmax = widest_softmax();
  const std::int64_t seq = problem.seq, dim = problem.dim, columns = tile.columns;
  const bool causal = problem.mask == Mask::causal;
  const std::int64_t panels = std::min(block_panels, divide_up(seq - first_query, columns));
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    pack_transposed(q, dim, first_query + panel * columns, seq, tile.columns, score_factor(problem),
                    scratch.queries[panel]);
    std::fill_n(scratch.largest[panel], columns, -std::numeric_limits<float>::infinity());
    std::fill_n(scratch.sum[panel], columns, 0.0f);
  }

  const std::int64_t seen = causal ? std::min(seq, first_query + panels * columns) : seq;
  for (std::int64_t first = 0; first < seen; first += key_block) {
    const KeyBlock block{first, std::min(first + key_block, seen), scratch.keys, scratch.values};
    block.pack_keys(tile, k, dim);
    block.pack_values(tile, v, dim);
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      const std::int64_t query = first_query + panel * columns;
      if (causal && block.first >= query + columns) continue;
      block.multiply_keys(tile, dim, scratch.queries[panel], scratch.scores);
      if (causal) block.mask(tile, query, scratch.scores);
      softmax.update(scratch.scores, scratch.scores, block.count(), scratch.largest[panel],
                     scratch.sum[panel], scratch.factor);
      if (first > 0)
        softmax.scale(scratch.output[panel], scratch.output[panel], dim, scratch.factor);
      block.multiply_values(tile, dim, scratch.scores, scratch.output[panel], first > 0);
    }
  }

  for (std::int64_t panel = 0; panel < panels; ++panel) {
    for (std::int64_t column = 0; column < columns; ++column)
      scratch.factor[column] = 1.0f / scratch.sum[panel][column];
    softmax.scale(scratch.output[panel], scratch.output[panel], dim, scratch.factor);
    write_output(tile, scratch.output[panel], dim, first_query + panel * columns, seq, o);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const std::int64_t head_size = problem.seq * problem.dim,
                     scratch_size = Scratch(problem, nullptr).size();
  const std::int64_t queries = block_panels * gemm::widest_tile().columns,
                     blocks = divide_up(problem.seq, queries);
  const auto* q = static_cast<const float*>(operands.q);
  const auto* k = static_cast<const float*>(operands.k);
  const auto* v = static_cast<const float*>(operands.v);
  auto* o = static_cast<float*>(operands.o);
#pragma omp parallel
  {
    const Scratch scratch(
        problem, static_cast<float*>(operands.workspace) + omp_get_thread_num() * scratch_size);
    // Causal: the last queries see most keys, so they are handed out first.
#pragma omp for schedule(dynamic)
    for (std::int64_t task = problem.all_heads() * blocks - 1; task >= 0; --task) {
      const std::int64_t offset = task % problem.all_heads() * head_size,
                         first_query = task / problem.all_heads() * queries;
      attend(problem, q + offset, k + offset, v + offset, o + offset, first_query, scratch);
    }
  }
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::f32});
}

}  // namespace

Variant flash() {
  return {"online softmax over blocks of keys: scores stay in L2",
          {DType::f32},
          supports,
          launch,
          workspace};
}

}  // namespace ridgeline::attention::on_cpu
