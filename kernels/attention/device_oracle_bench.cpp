// What it costs to judge attention on a GPU. Goals on an H100: 80 ms for 16 heads of 4096 keys and
// 64 dimensions, the first time for some inputs, and 1 ms when it is asked again.

#include <benchmark/benchmark.h>

#include "kernels/attention/oracle.hpp"
#include "kernels/bench_device.hpp"

namespace ridgeline::attention {
namespace {

/// Judges one output of a variant, on other inputs each time (`fresh`) or on the same.
void judge(benchmark::State& state, const Problem& problem, std::string_view name, bool fresh) {
  const auto device = kernels::gpu_or_skip(state);
  const std::optional<Variant> variant = kernels::variant_or_skip(state, variants(), name);
  if (!device || !variant) return;
  const auto count = static_cast<std::size_t>(problem.elements());
  const auto array = [&] {
    return device::Buffer<std::byte>(*device, count * size_of(problem.dtype));
  };
  const device::Buffer<std::byte> q = array(), k = array(), v = array(), o = array(),
                                  workspace(*device, variant->workspace == nullptr
                                                         ? 0
                                                         : variant->workspace(problem));
  RandomInputs inputs{device::Distribution::uniform, 0, 0, count, 2 * count};
  const auto compute = [&] {
    ++inputs.seed;
    const auto fill = [&](const device::Buffer<std::byte>& to, std::uint64_t first) {
      device->fill(to.data(), problem.dtype, count, inputs.distribution, inputs.seed, first);
    };
    fill(q, inputs.q_first), fill(k, inputs.k_first), fill(v, inputs.v_first);
    variant->launch(problem, {q.data(), k.data(), v.data(), o.data(), workspace.data()},
                    device->stream());
    device->synchronize();
  };
  compute();
  kernels::Deviation found = deviation(*device, problem, *variant, inputs, o.data());
  for ([[maybe_unused]] auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      compute();
      state.ResumeTiming();
    }
    found = deviation(*device, problem, *variant, inputs, o.data());
  }
  kernels::tell(state, found);
}

const bool registered = [] {
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const std::int64_t dim : {64, 128})
        for (const std::int64_t seq : {512, 2048, 4096, 8192, 16384})
          for (const bool fresh : {true, false})
            benchmark::RegisterBenchmark(
                (std::string(ridgeline::to_string(dtype)) + "/" + std::string(to_string(mask)) +
                 "/seq=" + std::to_string(seq) + "/dim=" + std::to_string(dim) +
                 (fresh ? "/fresh" : "/kept"))
                    .c_str(),
                judge, Problem{1, 16, seq, dim, mask, dtype},
                dtype == DType::f32 ? "flash" : "flash_mma", fresh)
                ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace ridgeline::attention
