#include <omp.h>

#include "kernels/attention/cpu_panels.hpp"

// Three passes, as the formula is written: all scores, then all probabilities, then all outputs.
// Scores and probabilities are batch x heads x seq^2 floats each, and keys that a causal mask hides
// are computed and masked like others. Bound by the FMA rate while the scores fit into the caches,
// and by memory bandwidth beyond.

namespace ridgeline::attention::on_cpu {
namespace {

/// Sizes in floats of what lies in the workspace.
struct Layout {
  explicit Layout(const Problem& problem) {
    const gemm::RegisterTile& tile = gemm::widest_tile();
    panels = divide_up(problem.seq, tile.columns);
    panel_size = round_up(problem.seq, tile.rows) * tile.columns;
    scores = problem.all_heads() * panels * panel_size;
    keys = round_up(key_block * round_up(problem.dim, tile.rows), 64);
    panel = round_up(round_up(problem.dim, tile.rows) * tile.columns, 64);
    scratch = keys + block_panels * panel;
  }
  std::int64_t panels, panel_size, scores;  // scores: as many probabilities
  std::int64_t keys, panel, scratch;        // of one thread
};

std::size_t workspace(const Problem& problem) {
  const Layout layout(problem);
  return static_cast<std::size_t>(2 * layout.scores + omp_get_max_threads() * layout.scratch) *
         sizeof(float);
}

/// Calls body(head, first panel, panels, scratch) for every block of query panels of every head, on
/// all threads.
template <class Body>
void for_each_block(const Problem& problem, const Layout& layout, float* scratch, Body body) {
  const std::int64_t blocks = divide_up(layout.panels, block_panels);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t task = 0; task < problem.all_heads() * blocks; ++task) {
    const std::int64_t first = task % blocks * block_panels;
    body(task / blocks, first, std::min(block_panels, layout.panels - first),
         scratch + omp_get_thread_num() * layout.scratch);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const gemm::RegisterTile& tile = gemm::widest_tile();
  const PanelSoftmax& softmax = widest_softmax();
  const Layout layout(problem);
  const std::int64_t seq = problem.seq, dim = problem.dim, columns = tile.columns,
                     head_size = seq * dim;
  const auto* q = static_cast<const float*>(operands.q);
  const auto* k = static_cast<const float*>(operands.k);
  const auto* v = static_cast<const float*>(operands.v);
  auto* o = static_cast<float*>(operands.o);
  auto* const scores = static_cast<float*>(operands.workspace);
  float *const probabilities = scores + layout.scores, *const all_scratch =
                                                           probabilities + layout.scores;
  const auto panel_of = [&](float* all, std::int64_t head, std::int64_t panel) {
    return all + (head * layout.panels + panel) * layout.panel_size;
  };

  for_each_block(problem, layout, all_scratch,
                 [&](std::int64_t head, std::int64_t first, std::int64_t panels, float* scratch) {
                   float* queries = scratch + layout.keys;
                   for (std::int64_t panel = 0; panel < panels; ++panel)
                     pack_transposed(q + head * head_size, dim, (first + panel) * columns, seq,
                                     tile.columns, score_factor(problem),
                                     queries + panel * layout.panel);
                   for (std::int64_t key = 0; key < seq; key += key_block) {
                     const KeyBlock block{key, std::min(key + key_block, seq), scratch, nullptr};
                     block.pack_keys(tile, k + head * head_size, dim);
                     for (std::int64_t panel = 0; panel < panels; ++panel) {
                       float* to = panel_of(scores, head, first + panel) + key * columns;
                       block.multiply_keys(tile, dim, queries + panel * layout.panel, to);
                       if (problem.mask == Mask::causal)
                         block.mask(tile, (first + panel) * columns, to);
                     }
                   }
                 });

#pragma omp parallel for schedule(dynamic)
  for (std::int64_t panel = 0; panel < problem.all_heads() * layout.panels; ++panel) {
    float largest[64], sum[64] = {}, factor[64];
    std::fill_n(largest, columns, -std::numeric_limits<float>::infinity());
    float* const to = panel_of(probabilities, 0, panel);
    softmax.update(panel_of(scores, 0, panel), to, seq, largest, sum, factor);
    for (std::int64_t column = 0; column < columns; ++column) factor[column] = 1.0f / sum[column];
    softmax.scale(to, to, seq, factor);
  }

  for_each_block(problem, layout, all_scratch,
                 [&](std::int64_t head, std::int64_t first, std::int64_t panels, float* scratch) {
                   float* output = scratch + layout.keys;
                   for (std::int64_t key = 0; key < seq; key += key_block) {
                     const KeyBlock block{key, std::min(key + key_block, seq), nullptr, scratch};
                     block.pack_values(tile, v + head * head_size, dim);
                     for (std::int64_t panel = 0; panel < panels; ++panel)
                       block.multiply_values(
                           tile, dim, panel_of(probabilities, head, first + panel) + key * columns,
                           output + panel * layout.panel, key > 0);
                   }
                   for (std::int64_t panel = 0; panel < panels; ++panel)
                     write_output(tile, output + panel * layout.panel, dim,
                                  (first + panel) * columns, seq, o + head * head_size);
                 });
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::f32});
}

}  // namespace

Variant standard() {
  return {"scores and probabilities written to memory", {DType::f32}, supports, launch, workspace};
}

}  // namespace ridgeline::attention::on_cpu
