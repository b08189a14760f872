// What it costs to judge products on a GPU. Goals on an H100: 10 ms for 2048^3, the first time for
// some inputs, and 1 ms when it is asked again.

#include <benchmark/benchmark.h>

#include "kernels/bench_device.hpp"
#include "kernels/gemm/oracle.hpp"

namespace ridgeline::gemm {
namespace {

/// Judges one output of a variant, on other inputs each time (`fresh`) or on the same.
void judge(benchmark::State& state, const Problem& problem, std::string_view name, bool fresh) {
  const auto device = kernels::gpu_or_skip(state);
  const std::optional<Variant> variant = kernels::variant_or_skip(state, variants(), name);
  if (!device || !variant) return;
  const auto [m, n, k, dtype] = problem;
  const std::size_t size = size_of(dtype);
  const device::Buffer<std::byte> a(*device, static_cast<std::size_t>(m * k) * size),
      b(*device, static_cast<std::size_t>(k * n) * size),
      c(*device, static_cast<std::size_t>(m * n) * size),
      workspace(*device, variant->workspace == nullptr ? 0 : variant->workspace(problem));
  RandomInputs inputs{device::Distribution::uniform, 0, 0, static_cast<std::uint64_t>(m * k)};
  const auto compute = [&] {
    ++inputs.seed;
    device->fill(a.data(), dtype, static_cast<std::size_t>(m * k), inputs.distribution, inputs.seed,
                 inputs.a_first);
    device->fill(b.data(), dtype, static_cast<std::size_t>(k * n), inputs.distribution, inputs.seed,
                 inputs.b_first);
    variant->launch(problem, {a.data(), b.data(), c.data(), workspace.data()}, device->stream());
    device->synchronize();
  };
  compute();
  kernels::Deviation found = deviation(*device, problem, *variant, inputs, c.data());
  for ([[maybe_unused]] auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      compute();
      state.ResumeTiming();
    }
    found = deviation(*device, problem, *variant, inputs, c.data());
  }
  kernels::tell(state, found);
}

const bool registered = [] {
  for (const DType dtype : {DType::f32, DType::tf32, DType::f16, DType::bf16})
    for (const std::int64_t n : {512, 1024, 2048, 4096, 8192})
      for (const bool fresh : {true, false})
        benchmark::RegisterBenchmark(
            (std::string(to_string(dtype)) + "/" + std::to_string(n) + (fresh ? "/fresh" : "/kept"))
                .c_str(),
            judge, Problem{n, n, n, dtype}, "cublaslt", fresh)
            ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace ridgeline::gemm
