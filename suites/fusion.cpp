#include "kernels/fusion/fusion.hpp"

#include "kernels/fusion/oracle.hpp"
#include "suites/cases.hpp"

// What does it save to do in one kernel what stands around the products of a transformer block?

namespace ridgeline::suites {
namespace {

using fusion::Problem;
using fusion::Variant;
using Named = kernels::Named<Variant>;

std::vector<record::Metric> metrics_of(const Variant& variant, const Problem& problem) {
  const kernels::Traffic traffic = variant.traffic(problem);
  std::vector<record::Metric> metrics{
      {"moved_bytes", traffic.moved_bytes, "B", record::Direction::lower},
      {"kernels", static_cast<double>(variant.kernels), "1", record::Direction::lower}};
  if (traffic.sectors_per_request)
    metrics.push_back(
        {"sectors_per_request", *traffic.sectors_per_request, "1", record::Direction::none});
  return metrics;
}

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  struct Layer {  // shared by all buffer sets
    Input bias, gamma, beta;
    device::Buffer<std::byte> workspace;
  };
  const auto parameters = [&] { return Input(setup, problem.dtype, problem.cols); };
  const auto layer = std::make_shared<Layer>(Layer{
      parameters(), parameters(), parameters(), {setup.device, workspace_of(variant, problem)}});
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  const BufferSets sets =
      fill_sets(setup, count, problem.dtype, {problem.elements(), problem.elements()},
                problem.elements() * static_cast<std::int64_t>(size_of(problem.dtype)));
  sets->shared = {layer->bias, layer->gamma, layer->beta};
  measure::Workload workload = make_workload(
      problem.flops(), problem.bytes(), sets,
      [=, mask_seed = setup.seed](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem,
                       {of.in[0].data, layer->bias.data, of.in[1].data, layer->gamma.data,
                        layer->beta.data, of.out.data(), layer->workspace.data(), mask_seed},
                       stream);
      },
      [=, &device = setup.device, mask_seed = setup.seed](const BufferSet& of) {
        const kernels::RandomFloats &x = of.in[0].values, &residual = of.in[1].values;
        return fusion::deviation(
            device, problem,
            {x.distribution, x.seed, x.first, layer->bias.values.first, residual.first,
             layer->gamma.values.first, layer->beta.values.first, mask_seed},
            variant.stored, of.out.data());
      });
  workload.metrics = metrics_of(variant, problem);
  return workload;
}

worker::Case make_case(const Named& named, const Problem& problem) {
  return suites::make_case({"fusion",
                            std::string(named.name),
                            std::string(to_string(problem.dtype)),
                            {field("rows", problem.rows), field("cols", problem.cols)},
                            {}},
                           named, problem, prepare);
}

}  // namespace

worker::Suite fusion() {
  worker::Suite suite{
      "fusion", "What does it save to do element and row operations in one kernel?", {}};
  for (const Named& named : fusion::variants()) {
    // Tokens. An emulated device follows every access; a GPU does its sizes, too, so that times and
    // counts compare.
    std::vector<std::int64_t> tokens;
    if (named.kind != device::Kind::cpu) tokens = {64, 256};
    if (named.kind != device::Kind::emulated) tokens.insert(tokens.end(), {512, 4096, 16384});
    for (const DType dtype : named.variant.dtypes)
      for (const std::int64_t rows : tokens)
        for (const std::int64_t cols : {768, 1024, 4096, 8192})  // widths of BERT base and large,
                                                                 // Llama 3 8B and 70B
          suite.cases.push_back(make_case(named, {rows, cols, dtype}));
  }
  return suite;
}

}  // namespace ridgeline::suites
