#include "kernels/divergence/divergence.hpp"

#include <memory>
#include <string>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"

// What does it cost when the lanes of a warp take different paths through the code? CUDA alone has lanes that can: on a
// CPU the suite has no cases.

namespace ridgeline::suites {
namespace {

using divergence::Problem;
using divergence::Variant;
using Named = kernels::Named<Variant>;

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  struct Set {
    measure::InputPool::View in;
    device::Buffer<float> out;
  };
  auto data = std::make_shared<std::vector<Set>>();
  const auto elements = static_cast<std::size_t>(problem.elements);
  const std::size_t sets = setup.sets(static_cast<std::size_t>(problem.bytes()));
  for (std::size_t set = 0; set < sets; ++set)
    data->push_back(
        {setup.inputs.take(DType::f32, setup.distribution, elements), device::Buffer<float>(setup.device, elements)});
  const kernels::Traffic traffic = variant.traffic(problem);
  return {
      .flops = problem.flops(),
      .sets = sets,
      .launch =
          [=](std::size_t set, device::Stream& stream) {
            const Set& of = (*data)[set];
            variant.launch(problem, {static_cast<const float*>(of.in.data), of.out.data()}, stream);
          },
      .poison = [=](std::size_t set) { (*data)[set].out.poison(); },
      .verify =
          [=, &device = setup.device, pool_seed = setup.inputs.seed(), seed = setup.seed,
           distribution = setup.distribution](std::size_t set) {
            const Set& of = (*data)[set];
            const kernels::Deviation found = divergence::deviation(
                device, problem, variant.grouping, {distribution, pool_seed, of.in.first_index}, of.out.data(), seed);
            return record::Verification{found.error, found.tolerance};
          },
      .metrics = {{"paths_of_a_warp", static_cast<double>(divergence::paths_of_a_warp(variant.grouping, problem)), "1",
                   record::Direction::lower},
                  {"active_lanes", static_cast<double>(divergence::active_lanes(variant.grouping, problem)), "1",
                   record::Direction::higher},
                  {"moved_bytes", traffic.moved_bytes, "B", record::Direction::lower},
                  {"sectors_per_request", *traffic.sectors_per_request, "1", record::Direction::none}},
  };
}

worker::Case make_case(const Named& named, const Problem& problem) {
  worker::Case result;
  result.info.id = {"divergence",
                    std::string(named.name),
                    "f32",
                    {{"ways", std::to_string(problem.ways)}, {"elements", std::to_string(problem.elements)}},
                    {}};
  result.info.device_kind = named.kind;
  result.info.idea = named.variant.idea;
  result.info.flops = problem.flops();  // next to no bytes: not a point of a roofline
  result.supports = [=](const device::Facts& facts) { return named.variant.supports(problem, facts); };
  result.memory = [=](const device::Facts&) { return problem.bytes(); };
  result.prepare = [=](measure::Setup& setup) { return prepare(named.variant, problem, setup); };
  return result;
}

}  // namespace

worker::Suite divergence() {
  worker::Suite suite{"divergence", "What does it cost when a warp's lanes take different paths?", {}};
  for (const Named& named : divergence::variants())
    for (const int ways : {1, 2, 4, 8, 16, 32})
      suite.cases.push_back(make_case(named, {1 << 18, ways}));  // about what one wave of blocks holds
  return suite;
}

}  // namespace ridgeline::suites
