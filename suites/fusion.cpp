#include "kernels/fusion/fusion.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/fusion/oracle.hpp"

// What does it save to do in one kernel what stands around the products of a transformer block?

namespace ridgeline::suites {
namespace {

using fusion::Problem;
using fusion::Variant;
using Named = kernels::Named<Variant>;

/// The buffer sets of one case, filled.
struct Data {
  struct Set {
    measure::InputPool::View x, residual;
    device::Buffer<std::byte> out;
  };
  measure::InputPool::View bias, gamma, beta;  // of all sets, as a layer has them
  std::vector<Set> sets;
  device::Buffer<std::byte> workspace;
};

std::size_t workspace_of(const Variant& variant, const Problem& problem) {
  return variant.workspace == nullptr ? 0 : variant.workspace(problem);
}

std::vector<record::Metric> metrics_of(const Variant& variant, const Problem& problem) {
  const kernels::Traffic traffic = variant.traffic(problem);
  std::vector<record::Metric> metrics{{"moved_bytes", traffic.moved_bytes, "B", record::Direction::lower},
                                      {"kernels", static_cast<double>(variant.kernels), "1", record::Direction::lower}};
  if (traffic.sectors_per_request)
    metrics.push_back({"sectors_per_request", *traffic.sectors_per_request, "1", record::Direction::none});
  return metrics;
}

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  auto data = std::make_shared<Data>();
  const auto elements = static_cast<std::size_t>(problem.elements()), cols = static_cast<std::size_t>(problem.cols);
  const auto take = [&](std::size_t count) { return setup.inputs.take(problem.dtype, setup.distribution, count); };
  data->bias = take(cols), data->gamma = take(cols), data->beta = take(cols);
  data->workspace = device::Buffer<std::byte>(setup.device, workspace_of(variant, problem));
  const std::size_t sets = setup.sets(static_cast<std::size_t>(problem.bytes()));
  for (std::size_t set = 0; set < sets; ++set)
    data->sets.push_back(
        {take(elements), take(elements), device::Buffer<std::byte>(setup.device, elements * size_of(problem.dtype))});
  return {
      .flops = problem.flops(),
      .bytes = problem.bytes(),
      .sets = sets,
      .launch =
          [=, mask_seed = setup.seed](std::size_t set, device::Stream& stream) {
            const Data::Set& of = data->sets[set];
            variant.launch(problem,
                           {of.x.data, data->bias.data, of.residual.data, data->gamma.data, data->beta.data,
                            of.out.data(), data->workspace.data(), mask_seed},
                           stream);
          },
      .poison = [=](std::size_t set) { data->sets[set].out.poison(); },
      .verify =
          [=, &device = setup.device, seed = setup.inputs.seed(), mask_seed = setup.seed,
           distribution = setup.distribution](std::size_t set) {
            const Data::Set& of = data->sets[set];
            const auto expected = fusion::expect_random(
                problem,
                {distribution, seed, of.x.first_index, data->bias.first_index, of.residual.first_index,
                 data->gamma.first_index, data->beta.first_index, mask_seed},
                variant.stored);
            const kernels::Deviation found = fusion::deviation(device, problem, *expected, of.out.data());
            return record::Verification{found.error, found.tolerance};
          },
      .metrics = metrics_of(variant, problem),
  };
}

worker::Case make_case(const Named& named, const Problem& problem) {
  worker::Case result;
  result.info.id = {"fusion",
                    std::string(named.name),
                    std::string(to_string(problem.dtype)),
                    {{"rows", std::to_string(problem.rows)}, {"cols", std::to_string(problem.cols)}},
                    {}};
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

worker::Suite fusion() {
  worker::Suite suite{"fusion", "What does it save to do element and row operations in one kernel?", {}};
  for (const Named& named : fusion::variants()) {
    // Tokens. An emulated device follows every access; a GPU does its sizes, too, so that times and counts compare.
    std::vector<std::int64_t> tokens;
    if (named.kind != device::Kind::cpu) tokens = {64, 256};
    if (named.kind != device::Kind::emulated) tokens.insert(tokens.end(), {512, 4096, 16384});
    for (const DType dtype : named.variant.dtypes)
      for (const std::int64_t rows : tokens)
        for (const std::int64_t cols : {768, 1024, 4096, 8192})  // widths of BERT base and large, Llama 3 8B and 70B
          suite.cases.push_back(make_case(named, {rows, cols, dtype}));
  }
  return suite;
}

}  // namespace ridgeline::suites
