#include "kernels/attention_backward/attention_backward.hpp"

#include "kernels/attention_backward/oracle.hpp"
#include "suites/cases.hpp"

// What do the gradients of attention cost where scores are computed again instead of written down,
// and what does it cost to add them up in a fixed order?

namespace ridgeline::suites {
namespace {

using attention_backward::Given;
using attention_backward::Mask;
using attention_backward::OutputPlaces;
using attention_backward::Problem;
using attention_backward::RandomInputs;
using attention_backward::Variant;
using Named = kernels::Named<Variant>;

RandomInputs random_inputs(const std::vector<Input>& of) {
  const kernels::RandomFloats& q = of[0].values;
  return {q.distribution,    q.seed, q.first, of[1].values.first, of[2].values.first,
          of[3].values.first};
}

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto workspace =
      std::make_shared<device::Buffer<std::byte>>(setup.device, workspace_of(variant, problem));
  const OutputPlaces places(problem);
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  const std::int64_t elements = problem.elements(), kv_elements = problem.kv_elements();
  const BufferSets sets =
      fill_sets(setup, count, problem.dtype, {elements, kv_elements, kv_elements, elements},
                static_cast<std::int64_t>(places.size));
  auto given = std::make_shared<std::vector<std::shared_ptr<const Given>>>();
  for (const Buffers::Inputs& set : sets->inputs) {
    given->push_back(attention_backward::give(setup.device, problem, random_inputs(set.in)));
    if (given->size() != 1) sets->spare_bytes += static_cast<double>(given->back()->bytes());
  }
  measure::Workload workload = make_workload(
      problem.flops(), problem.bytes(), sets,
      [=](const BufferSet& of, device::Stream& stream) {
        const Given& left = *(*given)[of.inputs];
        std::byte* const out = of.out.data();
        variant.launch(
            problem,
            {of.in[0].data, of.in[1].data, of.in[2].data, left.o.data(), of.in[3].data,
             left.logarithms.data(), out, out + places.dk, out + places.dv, workspace->data()},
            stream);
      },
      [=, &device = setup.device](const BufferSet& of) {
        const std::byte* const out = of.out.data();
        return attention_backward::deviation(device, problem, random_inputs(of.in),
                                             {out, out + places.dk, out + places.dv});
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
  fields.push_back({"mask", std::string(attention_backward::to_string(problem.mask))});
  return suites::make_case(
      {"attention_backward", std::string(named.name), std::string(to_string(problem.dtype)),
       std::move(fields), std::move(options)},
      named, problem, prepare);
}

}  // namespace

worker::Suite attention_backward() {
  worker::Suite suite{"attention_backward", "What do the gradients of attention cost?", {}};
  constexpr std::int64_t tokens = 16384;
  for (const Named& named : attention_backward::variants()) {
    const auto sweep = [&](std::int64_t all_tokens, std::int64_t heads, std::int64_t shortest,
                           std::int64_t longest) {
      for (const DType dtype : named.variant.dtypes)
        for (const Mask mask : {Mask::full, Mask::causal})
          for (const std::int64_t dim : {64, 128})
            for (std::int64_t seq = shortest; seq <= longest; seq *= 2)
              suite.cases.push_back(make_case(named, {std::max<std::int64_t>(1, all_tokens / seq),
                                                      heads, seq, dim, mask, dtype}));
    };
    // An emulated device follows every access, and each head does the same. A GPU does this size,
    // too, so that its times and counters stand beside what was counted.
    if (named.kind != device::Kind::cpu) sweep(1, 1, 128, 128);
    if (named.kind == device::Kind::cpu) sweep(1, 4, 128, 512);
    if (named.kind != device::Kind::cuda) continue;
    // What writes squares down needs more time and memory than a long sequence teaches.
    const std::int64_t longest = named.name == "standard" ? 4096 : 131072;
    sweep(tokens, 16, 128, longest);
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const std::int64_t dim : {64, 128})
        for (const std::int64_t seq : {2048, 8192})
          if (seq <= longest)
            suite.cases.push_back(
                make_case(named, {tokens / seq, 64, seq, dim, mask, DType::bf16, /*kv_heads=*/8}));
    if (named.name == "standard") continue;
    // No step of a variant depends on values, which the same case without an input shows; but
    // outputs are judged where probabilities are 0 or 1, and gradients of scores cancel. Magnitudes
    // run through heads of this size once, from end to end.
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const char* input : {"growing", "falling", "outliers"})
        suite.cases.push_back(make_case(named, {tokens / 2048, 16, 2048, 128, mask, DType::bf16},
                                        {{"input", input}}));
  }
  return suite;
}

}  // namespace ridgeline::suites
