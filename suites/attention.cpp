#include "kernels/attention/attention.hpp"

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/attention/oracle.hpp"

// What does it cost, in time and memory, to write the scores of attention down instead of using them at once?

namespace ridgeline::suites {
namespace {

using attention::Mask;
using attention::Problem;
using attention::Variant;
using Named = kernels::Named<Variant>;

std::size_t workspace_of(const Variant& variant, const Problem& problem) {
  return variant.workspace == nullptr ? 0 : variant.workspace(problem);
}

/// Device memory that one execution needs: inputs, output and workspace.
double memory_of(const Variant& variant, const Problem& problem) {
  return problem.bytes() + static_cast<double>(workspace_of(variant, problem));
}

/// The buffer sets of one case, filled.
struct Data {
  struct Set {
    measure::InputPool::View q, k, v;
    device::Buffer<std::byte> o;
  };
  std::vector<Set> sets;
  device::Buffer<std::byte> workspace;
};

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  auto data = std::make_shared<Data>();
  data->workspace = device::Buffer<std::byte>(setup.device, workspace_of(variant, problem));
  const auto elements = static_cast<std::size_t>(problem.elements());
  const auto take = [&] { return setup.inputs.take(problem.dtype, setup.distribution, elements); };
  const std::size_t sets = setup.sets(static_cast<std::size_t>(problem.bytes()));
  for (std::size_t set = 0; set < sets; ++set)
    data->sets.push_back(
        {take(), take(), take(), device::Buffer<std::byte>(setup.device, elements * size_of(problem.dtype))});
  return {
      .flops = problem.flops(),
      .bytes = problem.bytes(),
      .sets = sets,
      .launch =
          [=](std::size_t set, device::Stream& stream) {
            const Data::Set& of = data->sets[set];
            variant.launch(problem, {of.q.data, of.k.data, of.v.data, of.o.data(), data->workspace.data()}, stream);
          },
      .poison = [=](std::size_t set) { data->sets[set].o.poison(); },
      .verify =
          [=, &device = setup.device, seed = setup.inputs.seed(), distribution = setup.distribution](std::size_t set) {
            const Data::Set& of = data->sets[set];
            const auto expected = attention::expect_random(
                problem, {distribution, seed, of.q.first_index, of.k.first_index, of.v.first_index});
            const kernels::Deviation found = attention::deviation(device, problem, *expected, of.o.data());
            return record::Verification{found.error, found.tolerance};
          },
      .metrics = {{"memory_bytes", memory_of(variant, problem), "B", record::Direction::lower}},
  };
}

worker::Case make_case(const Named& named, const Problem& problem) {
  worker::Case result;
  result.info.id = {"attention",
                    std::string(named.name),
                    std::string(to_string(problem.dtype)),
                    {{"batch", std::to_string(problem.batch)},
                     {"heads", std::to_string(problem.heads)},
                     {"seq", std::to_string(problem.seq)},
                     {"dim", std::to_string(problem.dim)},
                     {"mask", std::string(attention::to_string(problem.mask))}},
                    {}};
  result.info.device_kind = named.kind;
  result.info.idea = named.variant.idea;
  result.info.flops = problem.flops();
  result.info.bytes = problem.bytes();
  result.supports = [=](const device::Facts& facts) { return named.variant.supports(problem, facts); };
  result.memory = [=](const device::Facts&) { return memory_of(named.variant, problem); };
  result.prepare = [=](measure::Setup& setup) { return prepare(named.variant, problem, setup); };
  return result;
}

}  // namespace

worker::Suite attention() {
  worker::Suite suite{"attention", "What does it cost to write the scores of attention down?", {}};
  for (const Named& named : attention::variants()) {
    // An emulated device follows every access, and each head does the same. A GPU does these sizes, too, so that its
    // times and counters stand beside what was counted.
    const auto sweep = [&](std::int64_t heads, std::int64_t longest) {
      for (const DType dtype : named.variant.dtypes)
        for (const Mask mask : {Mask::full, Mask::causal})
          for (const std::int64_t dim : {64, 128})
            for (std::int64_t seq = 128; seq <= longest; seq *= 2)
              suite.cases.push_back(make_case(named, {1, heads, seq, dim, mask, dtype}));
    };
    if (named.kind != device::Kind::cpu) sweep(1, 256);
    if (named.kind != device::Kind::emulated) sweep(16, 131072);
  }
  return suite;
}

}  // namespace ridgeline::suites
