#include "kernels/gemm/gemm.hpp"

#include "kernels/gemm/oracle.hpp"
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

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto [m, n, k, dtype] = problem;
  const auto workspace =
      std::make_shared<device::Buffer<std::byte>>(setup.device, workspace_of(variant, problem));
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  const auto c_bytes = m * n * static_cast<std::int64_t>(size_of(dtype));
  return make_workload(
      problem.flops(), problem.bytes(), fill_sets(setup, count, dtype, {m * k, k * n}, c_bytes),
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem, {of.in[0].data, of.in[1].data, of.out.data(), workspace->data()},
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
      if (named.kind == device::Kind::emulated) {  // which follows every access: 33 million of the
                                                   // larger one
        for (const std::int64_t n : {128, 256})
          suite.cases.push_back(make_case(named, {n, n, n, dtype}));
        continue;
      }
      for (std::int64_t n = 128; n <= 16384; n *= 2)
        suite.cases.push_back(make_case(named, {n, n, n, dtype}));
      for (const auto& [m, n, k] : layers)
        suite.cases.push_back(make_case(named, {m, n, k, dtype}));
      // What the cache and back-to-back launches are worth, on one size that fits a last-level
      // cache.
      suite.cases.push_back(make_case(named, {1024, 1024, 1024, dtype}, {{"cache", "hot"}}));
      suite.cases.push_back(make_case(named, {1024, 1024, 1024, dtype}, {{"launch", "single"}}));
    }
  }
  return suite;
}

}  // namespace ridgeline::suites
