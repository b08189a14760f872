#include "kernels/gemm/gemm.hpp"

#include <algorithm>
#include <vector>

#include "kernels/gemm/oracle.hpp"
#include "kernels/gemm/scales.hpp"
#include "suites/cases.hpp"

// What does each rung of the ladder buy as matrices grow, and how far below the vendor library does
// it end?

namespace ridgeline::suites {
namespace {

using gemm::Problem;
using gemm::Variant;
using Named = kernels::Named<Variant>;

struct Shape {
  std::int64_t m, n, k;
  bool operator==(const Shape&) const = default;
};

// Products of transformer layers: m tokens, n outputs, k inputs.
constexpr Shape layers[] = {
    {512, 768, 768},      // BERT base: projection
    {512, 3072, 768},     // BERT base: into the feed-forward layer
    {512, 768, 3072},     // BERT base: out of it
    {2048, 6144, 4096},   // Llama 3 8B: query, key and value projections of a prompt
    {2048, 28672, 4096},  // Llama 3 8B: gate and up projections of a prompt
    {2048, 4096, 14336},  // Llama 3 8B: down projection of a prompt
    {16, 6144, 4096},     // the same while generating, 16 sequences at a time
    {16, 28672, 4096},   {16, 4096, 14336},
};

struct Layer {
  std::int64_t n, k;
};

// In the types that models are served in, from one sequence that is generated to long prompts.
constexpr Layer served_layers[] = {
    {12288, 4096},  // Llama 2 7B: query, key and value projections
    {4096, 4096},   // its output projection
    {22016, 4096},  // gate and up
    {4096, 11008},  // down
    {10240, 8192},  // Llama 2 70B, in the same order
    {8192, 8192},  {57344, 8192}, {8192, 28672},
};
constexpr std::int64_t tokens[] = {1, 16, 128, 1024, 8192};

// Around what a tile, an access or a wave of blocks takes whole, and what nothing divides.
constexpr Shape edges[] = {
    {1019, 1021, 1031},
    {4096, 4096, 4095},
    {4096, 4096, 4097},
    {4096, 4095, 4096},
    {4096, 4097, 4096},
    {4095, 4096, 4096},
    {4097, 4096, 4096},
    // Tiles of 128 x 256 on 132 SMs: 0.97, 1.09, 1.94 and 2.06 waves.
    {1024, 4096, 4096},
    {1152, 4096, 4096},
    {2048, 4096, 4096},
    {2176, 4096, 4096},
};

// Of inputs that are all positive: sums that only grow, over ever more products.
constexpr std::int64_t grown_m = 256, grown_n = 512, grown_k[] = {256, 1024, 4096, 16384, 65536};

std::vector<Shape> shapes_for(device::Kind kind, DType dtype) {
  if (kind == device::Kind::emulated)  // which follows every access: 33 million of the larger one
    return {{128, 128, 128}, {256, 256, 256}};
  std::vector<Shape> shapes;
  const auto add = [&](const Shape& shape) {
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  };
  for (std::int64_t n = 128; n <= 16384; n *= 2) add({n, n, n});
  for (const Shape& layer : layers) add(layer);
  if (is_e4m3(dtype)) add({4096, 7168, 16384});
  if (dtype == DType::bf16 || is_e4m3(dtype))
    for (const auto& [n, k] : served_layers)
      for (const std::int64_t m : tokens) add({m, n, k});
  if (kind == device::Kind::cuda && dtype != DType::f16)
    for (const Shape& edge : edges) add(edge);
  return shapes;
}

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto [m, n, k, dtype] = problem;
  const auto workspace =
      std::make_shared<device::Buffer<std::byte>>(setup.device, workspace_of(variant, problem));
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  const auto c_bytes = m * n * static_cast<std::int64_t>(size_of(gemm::stored_as(dtype)));
  const auto scales = std::make_shared<gemm::Scales>(setup.device);
  return make_workload(
      problem.flops(), problem.bytes(), fill_sets(setup, count, dtype, {m * k, k * n}, c_bytes),
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem,
                       {of.in[0].data, of.in[1].data, of.out.data(), workspace->data(), scales->a(),
                        scales->b()},
                       stream);
      },
      [=, &device = setup.device](const BufferSet& of) {
        const kernels::RandomFloats &a = of.in[0].values, &b = of.in[1].values;
        return gemm::deviation(device, problem, variant, {a.distribution, a.seed, a.first, b.first},
                               of.out.data());
      });
}

worker::Case make_case(const Named& named, const Problem& problem,
                       std::vector<record::Field> options = {}) {
  if (const std::string_view products = named.variant.products; !products.empty())
    options.insert(options.begin(), {"products", std::string(products)});
  return suites::make_case({"gemm",
                            std::string(named.name),
                            std::string(to_string(problem.dtype)),
                            {field("m", problem.m), field("n", problem.n), field("k", problem.k)},
                            std::move(options)},
                           named, problem, prepare);
}

}  // namespace

worker::Suite gemm() {
  worker::Suite suite{"gemm", "What does each rung of the ladder buy as matrices grow?", {}};
  for (const Named& named : gemm::variants()) {
    for (const DType dtype : named.variant.dtypes) {
      for (const auto& [m, n, k] : shapes_for(named.kind, dtype))
        suite.cases.push_back(make_case(named, {m, n, k, dtype}));
      if (named.kind == device::Kind::emulated) continue;
      // What the cache and back-to-back launches are worth, on one size that fits a last-level
      // cache.
      suite.cases.push_back(make_case(named, {1024, 1024, 1024, dtype}, {{"cache", "hot"}}));
      suite.cases.push_back(make_case(named, {1024, 1024, 1024, dtype}, {{"launch", "single"}}));
      if (named.kind != device::Kind::cuda) continue;
      for (const std::int64_t k : grown_k)
        suite.cases.push_back(
            make_case(named, {grown_m, grown_n, k, dtype}, {{"input", "positive"}}));
    }
  }
  return suite;
}

}  // namespace ridgeline::suites
