#include "kernels/decode/decode.hpp"

#include "kernels/decode/oracle.hpp"
#include "suites/cases.hpp"

// How fast is the cache of a model read, for the sake of one query a head?

namespace ridgeline::suites {
namespace {

using decode::Problem;
using decode::Variant;
using Named = kernels::Named<Variant>;

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto workspace =
      std::make_shared<device::Buffer<std::byte>>(setup.device, workspace_of(variant, problem));
  const std::int64_t elements = problem.elements(), kv_elements = problem.kv_elements();
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  return make_workload(
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
        return decode::deviation(
            device, problem, {q.distribution, q.seed, q.first, k.first, v.first}, of.out.data());
      });
}

worker::Case make_case(const Named& named, const Problem& problem,
                       std::vector<record::Field> options = {}) {
  return suites::make_case({"decode",
                            std::string(named.name),
                            std::string(to_string(problem.dtype)),
                            {field("batch", problem.batch), field("heads", problem.heads),
                             field("kv_heads", problem.kv_heads), field("keys", problem.keys),
                             field("dim", problem.dim)},
                            std::move(options)},
                           named, problem, prepare);
}

/// Heads of models: each with keys of its own, and groups of four and eight.
struct Heads {
  std::int64_t queries, keys;
};
constexpr Heads of_models[] = {{32, 32}, {32, 8}, {64, 8}};

/// Bytes, of which two fit into a device's memory, and a CPU reads one in a moment.
double largest_cache(device::Kind kind) { return kind == device::Kind::cpu ? 6e8 : 9e9; }

}  // namespace

worker::Suite decode() {
  worker::Suite suite{"decode", "How fast is a cache of keys and values read for one query?", {}};
  for (const Named& named : decode::variants()) {
    const auto add = [&](const Problem& problem, std::vector<record::Field> options = {}) {
      if (problem.bytes() <= largest_cache(named.kind))
        suite.cases.push_back(make_case(named, problem, std::move(options)));
    };
    for (const DType dtype : named.variant.dtypes) {
      // An emulated device follows every access, and each head does the same. A GPU does these
      // sizes, too, so that its times and counters stand beside what was counted.
      if (named.kind != device::Kind::cpu)
        for (const std::int64_t dim : {64, 128}) add({1, 4, 1, 256, dim, dtype});
      if (named.kind == device::Kind::emulated) continue;
      for (std::int64_t keys = 128; keys <= 131072; keys *= 4) {
        for (const std::int64_t dim : {64, 128}) add({16, 32, 8, keys, dim, dtype});
        if (dtype == DType::f16) continue;  // which differs from bf16 in the type alone
        for (const Heads heads : of_models)
          for (const std::int64_t batch : {1, 4, 16, 64})
            if (batch != 16 || heads.queries != 32 || heads.keys != 8)  // above
              add({batch, heads.queries, heads.keys, keys, 128, dtype});
      }
    }
    if (named.kind == device::Kind::emulated) continue;
    for (const char* input : {"growing", "falling", "outliers"})
      add({16, 32, 8, 2048, 128, named.variant.dtypes.front()}, {{"input", input}});
  }
  return suite;
}

}  // namespace ridgeline::suites
