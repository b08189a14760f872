#include "kernels/divergence/divergence.hpp"

#include "suites/cases.hpp"

// What does it cost when the lanes of a warp take different paths through the code? CUDA alone has
// lanes that can: on a CPU the suite has no cases.

namespace ridgeline::suites {
namespace {

using divergence::Problem;
using divergence::Variant;
using Named = kernels::Named<Variant>;

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  const kernels::Traffic traffic = variant.traffic(problem);
  measure::Workload workload = make_workload(
      problem.flops(), 0,
      fill_sets(setup, count, DType::f32, {problem.elements}, 4 * problem.elements),
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem, {of.in[0].floats(), of.output<float>()}, stream);
      },
      [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
        return divergence::deviation(device, problem, variant.grouping, of.in[0].values,
                                     of.output<float>(), seed);
      });
  workload.metrics = {
      {"paths_of_a_warp",
       static_cast<double>(divergence::paths_of_a_warp(variant.grouping, problem)), "1",
       record::Direction::lower},
      {"active_lanes", static_cast<double>(divergence::active_lanes(variant.grouping, problem)),
       "1", record::Direction::higher},
      {"moved_bytes", traffic.moved_bytes, "B", record::Direction::lower},
      {"sectors_per_request", *traffic.sectors_per_request, "1", record::Direction::none}};
  return workload;
}

double memory(const Variant&, const Problem& problem) { return problem.bytes(); }

worker::Case make_case(const Named& named, const Problem& problem) {
  worker::Case result =
      suites::make_case({"divergence",
                         std::string(named.name),
                         "f32",
                         {field("ways", problem.ways), field("elements", problem.elements)},
                         {}},
                        named, always(problem), memory, prepare);
  result.info.flops = problem.flops();  // next to no bytes: not a point of a roofline
  return result;
}

}  // namespace

worker::Suite divergence() {
  worker::Suite suite{
      "divergence", "What does it cost when a warp's lanes take different paths?", {}};
  for (const Named& named : divergence::variants())
    for (const int ways : {1, 2, 4, 8, 16, 32})
      suite.cases.push_back(make_case(named, {1 << 18, ways}));  // about what one wave of blocks
                                                                 // holds
  return suite;
}

}  // namespace ridgeline::suites
