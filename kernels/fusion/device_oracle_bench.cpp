// What it costs to judge the fused operations on a GPU, where nothing is kept.

#include <benchmark/benchmark.h>

#include "kernels/bench_device.hpp"
#include "kernels/fusion/oracle.hpp"

namespace ridgeline::fusion {
namespace {

void judge(benchmark::State& state, const Problem& problem) {
  const auto device = kernels::gpu_or_skip(state);
  const std::optional<Variant> variant = kernels::variant_or_skip(state, variants(), "fused");
  if (!device || !variant) return;
  const auto count = static_cast<std::uint64_t>(problem.elements()),
             cols = static_cast<std::uint64_t>(problem.cols);
  const RandomInputs inputs{
      device::Distribution::uniform, 1, 0, count, count + cols, 2 * count + cols,
      2 * count + 2 * cols,          7};
  const auto filled = [&](std::uint64_t elements, std::uint64_t first) {
    device::Buffer<std::byte> memory(*device, elements * size_of(problem.dtype));
    device->fill(memory.data(), problem.dtype, elements, inputs.distribution, inputs.seed, first);
    return memory;
  };
  const device::Buffer<std::byte> x = filled(count, inputs.x), bias = filled(cols, inputs.bias),
                                  residual = filled(count, inputs.residual),
                                  gamma = filled(cols, inputs.gamma),
                                  beta = filled(cols, inputs.beta), out = filled(count, 0);
  variant->launch(problem,
                  {x.data(), bias.data(), residual.data(), gamma.data(), beta.data(), out.data(),
                   nullptr, inputs.mask_seed},
                  device->stream());
  kernels::Deviation found;
  for ([[maybe_unused]] auto _ : state)
    found = deviation(*device, problem, inputs, variant->stored, out.data());
  kernels::tell(state, found);
}

const bool registered = [] {
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const std::int64_t cols : {768, 4096, 8192})
      benchmark::RegisterBenchmark(
          (std::string(to_string(dtype)) + "/cols=" + std::to_string(cols)).c_str(), judge,
          Problem{16384, cols, dtype})
          ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace ridgeline::fusion
