#include "kernels/attention/attention.hpp"

#include <algorithm>

#include "kernels/attention/oracle.hpp"
#include "suites/cases.hpp"

// What does it cost, in time and memory, to write the scores of attention down instead of using
// them at once?

namespace ridgeline::suites {
namespace {

using attention::Mask;
using attention::Problem;
using attention::Variant;
using Named = kernels::Named<Variant>;

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto workspace =
      std::make_shared<device::Buffer<std::byte>>(setup.device, workspace_of(variant, problem));
  const std::int64_t elements = problem.elements(), kv_elements = problem.kv_elements();
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  measure::Workload workload = make_workload(
      problem.flops(), problem.bytes(),
      fill_sets(setup, count, problem.dtype, {elements, kv_elements, kv_elements},
                elements * static_cast<std::int64_t>(size_of(problem.dtype))),
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(
            problem,
            {of.in[0].data, of.in[1].data, of.in[2].data, of.out.data(), workspace->data()},
            stream);
      },
      [=, &device = setup.device](const BufferSet& of) {
        const kernels::RandomFloats &q = of.in[0].values, &k = of.in[1].values,
                                    &v = of.in[2].values;
        return attention::deviation(device, problem, variant,
                                    {q.distribution, q.seed, q.first, k.first, v.first},
                                    of.out.data());
      });
  workload.samples_memory = true;
  workload.metrics = {
      {"memory_bytes", memory_with_workspace(variant, problem), "B", record::Direction::lower}};
  return workload;
}

worker::Case make_case(const Named& named, const Problem& problem,
                       std::vector<record::Field> options = {}) {
  std::vector<record::Field> fields{field("batch", problem.batch), field("heads", problem.heads)};
  if (problem.kv_heads != 0) fields.push_back(field("kv_heads", problem.kv_heads));
  fields.push_back(field("seq", problem.seq));
  fields.push_back(field("dim", problem.dim));
  fields.push_back({"mask", std::string(attention::to_string(problem.mask))});
  return suites::make_case(
      {"attention", std::string(named.name), std::string(to_string(problem.dtype)),
       std::move(fields), std::move(options)},
      named, problem, prepare);
}

}  // namespace

worker::Suite attention() {
  worker::Suite suite{"attention", "What does it cost to write the scores of attention down?", {}};
  for (const Named& named : attention::variants()) {
    // An emulated device follows every access, and each head does the same. A GPU does these sizes,
    // too, so that its times and counters stand beside what was counted.
    const auto sweep = [&](std::int64_t heads, std::int64_t longest) {
      for (const DType dtype : named.variant.dtypes)
        for (const Mask mask : {Mask::full, Mask::causal})
          for (const std::int64_t dim : {64, 128})
            for (std::int64_t seq = 128; seq <= longest; seq *= 2)
              suite.cases.push_back(make_case(named, {1, heads, seq, dim, mask, dtype}));
    };
    if (named.kind != device::Kind::cpu) sweep(1, 256);
    if (named.kind == device::Kind::emulated) continue;
    sweep(16, 131072);
    // 16384 tokens, as of a model of 70 billion. What writes squares down by plain loops needs more
    // time and memory than a long sequence teaches.
    const std::vector<DType>& dtypes = named.variant.dtypes;
    const bool has_bf16 = std::ranges::find(dtypes, DType::bf16) != dtypes.end();
    const DType dtype = has_bf16 ? DType::bf16 : dtypes.front();
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const std::int64_t dim : {64, 128})
        for (const std::int64_t seq : {2048, 8192})
          if (named.variant.groups_queries && (named.name != "standard" || seq == 2048))
            suite.cases.push_back(
                make_case(named, {16384 / seq, 64, seq, dim, mask, dtype, /*kv_heads=*/8}));
    // Of as many tokens in sequences of this length. Magnitudes run through its heads once, from
    // end to end.
    if (named.kind != device::Kind::cuda || !has_bf16) continue;
    for (const Mask mask : {Mask::full, Mask::causal}) {
      const Problem problem{8, 16, 2048, 128, mask, DType::bf16};
      suite.cases.push_back(make_case(named, problem));
      if (!named.variant.other_inputs) continue;
      for (const char* input : {"growing", "falling", "outliers", "low_first"})
        suite.cases.push_back(make_case(named, problem, {{"input", input}}));
    }
  }
  return suite;
}

}  // namespace ridgeline::suites
