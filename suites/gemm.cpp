#include "kernels/gemm/gemm.hpp"

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/gemm/oracle.hpp"

// What does each rung of the ladder buy as matrices grow, and how far below the vendor library does it end?

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

std::size_t workspace_of(const Variant& variant, const Problem& problem) {
  return variant.workspace == nullptr ? 0 : variant.workspace(problem);
}

/// The buffer sets of one case, filled.
struct Data {
  struct Set {
    measure::InputPool::View a, b;
    device::Buffer<std::byte> c;
  };
  std::vector<Set> sets;
  device::Buffer<std::byte> workspace;
};

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto [m, n, k, dtype] = problem;
  auto data = std::make_shared<Data>();
  data->workspace = device::Buffer<std::byte>(setup.device, workspace_of(variant, problem));
  const std::size_t sets = setup.sets(static_cast<std::size_t>(problem.bytes()));
  for (std::size_t set = 0; set < sets; ++set) {
    data->sets.push_back({setup.inputs.take(dtype, setup.distribution, static_cast<std::size_t>(m * k)),
                          setup.inputs.take(dtype, setup.distribution, static_cast<std::size_t>(k * n)),
                          device::Buffer<std::byte>(setup.device, static_cast<std::size_t>(m * n) * size_of(dtype))});
  }
  return {
      .flops = problem.flops(),
      .bytes = problem.bytes(),
      .sets = sets,
      .launch =
          [=](std::size_t set, device::Stream& stream) {
            const Data::Set& of = data->sets[set];
            variant.launch(problem, {of.a.data, of.b.data, of.c.data(), data->workspace.data()}, stream);
          },
      .poison = [=](std::size_t set) { data->sets[set].c.poison(); },
      .verify =
          [=, &device = setup.device, seed = setup.inputs.seed(), distribution = setup.distribution](std::size_t set) {
            const Data::Set& of = data->sets[set];
            const auto expected = gemm::expect_random(problem, distribution, seed, of.a.first_index, of.b.first_index);
            const kernels::Deviation found = gemm::deviation(device, problem, *expected, of.c.data());
            return record::Verification{found.error, found.tolerance};
          },
      .metrics = {},
  };
}

worker::Case make_case(const Named& named, const Problem& problem, std::vector<record::Field> options = {}) {
  worker::Case result;
  result.info.id = {
      "gemm",
      std::string(named.name),
      std::string(to_string(problem.dtype)),
      {{"m", std::to_string(problem.m)}, {"n", std::to_string(problem.n)}, {"k", std::to_string(problem.k)}},
      std::move(options)};
  result.info.device_kind = named.kind;
  result.info.idea = named.variant.idea;
  result.info.flops = problem.flops();
  result.info.bytes = problem.bytes();
  result.supports = [=](const device::Facts& facts) { return named.variant.supports(problem, facts); };
  result.memory = [=](const device::Facts&) {
    return problem.bytes() + static_cast<double>(workspace_of(named.variant, problem));
  };
  result.prepare = [=](measure::Setup& setup) { return prepare(named.variant, problem, setup); };
  return result;
}

}  // namespace

worker::Suite gemm() {
  worker::Suite suite{"gemm", "What does each rung of the ladder buy as matrices grow?", {}};
  for (const Named& named : gemm::variants()) {
    for (const DType dtype : named.variant.dtypes) {
      if (named.kind == device::Kind::emulated) {  // which follows every access: 33 million of the larger one
        for (const std::int64_t n : {128, 256}) suite.cases.push_back(make_case(named, {n, n, n, dtype}));
        continue;
      }
      for (std::int64_t n = 128; n <= 16384; n *= 2) suite.cases.push_back(make_case(named, {n, n, n, dtype}));
      for (const auto& [m, n, k] : layers) suite.cases.push_back(make_case(named, {m, n, k, dtype}));
      // What the cache and back-to-back launches are worth, on one size that fits a last-level cache.
      suite.cases.push_back(make_case(named, {1024, 1024, 1024, dtype}, {{"cache", "hot"}}));
      suite.cases.push_back(make_case(named, {1024, 1024, 1024, dtype}, {{"launch", "single"}}));
    }
  }
  return suite;
}

}  // namespace ridgeline::suites
