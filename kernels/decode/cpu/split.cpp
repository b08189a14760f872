#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <omp.h>

#include "kernels/decode/decode.hpp"

// Cuts each head's cache into parts, so that all cores read, and adds the parts up at the end. A
// core takes all heads of a group, which read the same keys and values: from its own caches after
// the first of them. Bound by DRAM where the cache is large.

namespace ridgeline::decode::on_cpu {
namespace {

constexpr std::int64_t tile = 64;       // keys, of which the scores are made before the outputs
constexpr std::int64_t most_parts = 8;  // a core, so that none waits long for the others

std::int64_t parts_for(const Problem& problem) {
  return parts_of(problem.all_kv_heads(), (problem.keys + tile - 1) / tile,
                  most_parts * omp_get_max_threads());
}

/// Of one head and one part: the sum of exp(score - largest) v, then the largest score and the sum
/// of exp(score - largest).
template <std::int64_t dim>
struct Part {
  float output[dim], largest, sum;
};

template <std::int64_t dim>
float dot(const float* a, const float* b) {
  std::array<float, 16> sums{};
  for (std::int64_t d = 0; d < dim; d += 16)
    for (std::int64_t lane = 0; lane < 16; ++lane) sums[lane] += a[d + lane] * b[d + lane];
  float sum = 0;
  for (const float one : sums) sum += one;
  return sum;
}

/// Adds `count` keys (at most a tile) and values to the part.
template <std::int64_t dim>
void add_tile(const float* q, const float* k, const float* v, std::int64_t count, Part<dim>& part) {
  const float factor = 1.0f / std::sqrt(static_cast<float>(dim));
  float weights[tile];
  float largest = part.largest;
  for (std::int64_t j = 0; j < count; ++j) {
    weights[j] = dot<dim>(q, k + j * dim) * factor;
    largest = std::max(largest, weights[j]);
  }
  const float shrink = std::exp(part.largest - largest);
  part.largest = largest;
  part.sum *= shrink;
  for (float& output : part.output) output *= shrink;
  for (std::int64_t j = 0; j < count; ++j) {
    const float weight = std::exp(weights[j] - largest);
    part.sum += weight;
    for (std::int64_t d = 0; d < dim; ++d) part.output[d] += weight * v[j * dim + d];
  }
}

template <std::int64_t dim>
void add_up(const Part<dim>* parts, std::int64_t count, float* o) {
  float largest = parts->largest;
  for (std::int64_t i = 1; i < count; ++i) largest = std::max(largest, parts[i].largest);
  float total = 0;
  std::fill_n(o, dim, 0.0f);
  for (std::int64_t i = 0; i < count; ++i) {
    const float weight = std::exp(parts[i].largest - largest);
    total += weight * parts[i].sum;
    for (std::int64_t d = 0; d < dim; ++d) o[d] += weight * parts[i].output[d];
  }
  for (std::int64_t d = 0; d < dim; ++d) o[d] /= total;
}

template <std::int64_t dim>
void launch_as(const Problem& problem, const Operands& operands) {
  const auto* q = static_cast<const float*>(operands.q);
  const auto* k = static_cast<const float*>(operands.k);
  const auto* v = static_cast<const float*>(operands.v);
  auto* o = static_cast<float*>(operands.o);
  auto* parts = static_cast<Part<dim>*>(operands.workspace);
  const std::int64_t count = parts_for(problem), group = problem.group(), keys = problem.keys,
                     tiles = (keys + tile - 1) / tile;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (std::int64_t task = 0; task < problem.all_kv_heads() * count; ++task) {
      const std::int64_t kv_head = task / count, part = task % count;
      const auto part_of = [&](std::int64_t head) -> Part<dim>& {
        return parts[(kv_head * group + head) * count + part];
      };
      for (std::int64_t head = 0; head < group; ++head)
        part_of(head) = {{}, -std::numeric_limits<float>::infinity(), 0};
      for (std::int64_t t = tiles * part / count; t < tiles * (part + 1) / count; ++t) {
        const std::int64_t first = (kv_head * keys + t * tile) * dim;
        for (std::int64_t head = 0; head < group; ++head)
          add_tile<dim>(q + (kv_head * group + head) * dim, k + first, v + first,
                        std::min(tile, keys - t * tile), part_of(head));
      }
    }
#pragma omp for
    for (std::int64_t head = 0; head < problem.all_heads(); ++head)
      add_up<dim>(parts + head * count, count, o + head * dim);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  (problem.dim == 128 ? launch_as<128> : launch_as<64>)(problem, operands);
}

std::size_t workspace(const Problem& problem) {
  return static_cast<std::size_t>(problem.all_heads() * parts_for(problem) * (problem.dim + 2)) *
         sizeof(float);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::f32});
}

}  // namespace

Variant split() {
  return {"each cache cut into parts, so that all cores read, once for all queries of a group",
          {DType::f32},
          supports,
          launch,
          workspace};
}

}  // namespace ridgeline::decode::on_cpu
