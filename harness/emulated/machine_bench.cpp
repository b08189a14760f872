#include <cstddef>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/test/kernels.hpp"

// What the emulated device does in a second of one core, with all its checks.
namespace ridgeline::emulated {
namespace {

struct Lab {
  static constexpr std::size_t bytes = std::size_t{16} << 20;
  std::unique_ptr<device::Device> device =
      open(limits_of(*catalogue::architecture(90)), {.workers = 1});
  void *from = device->allocate(bytes), *to = device->allocate(bytes);
  explicit Lab(DType input) {
    device->fill(from, input, bytes / size_of(input), device::Distribution::uniform, 1, 0);
  }
  const float* input() const { return static_cast<const float*>(from); }
  float* output() const { return static_cast<float*>(to); }
};

/// Runs `launch` on elements of type `input` and reports accesses, and instructions of tensor
/// cores, a second.
template <class Launch>
void run(benchmark::State& state, DType input, const Launch& launch) {
  const Lab lab(input);
  double accesses = 0, products = 0;
  for (auto round : state) {
    launch(lab);
    lab.device->synchronize();
    state.PauseTiming();
    for (const device::SiteCount& site : lab.device->take_counts().sites)
      (site.access == "tensor" ? products : accesses) +=
          static_cast<double>(site.access == "tensor" ? site.requests : site.lanes);
    state.ResumeTiming();
  }
  state.counters["accesses"] = benchmark::Counter(accesses, benchmark::Counter::kIsRate);
  if (products != 0)
    state.counters["products"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
}

void gemm(benchmark::State& state) {
  run(state, DType::f32, [](const Lab& lab) {
    test::multiply(lab.device->stream(), lab.input(), lab.input(), lab.output(), 256);
  });
}
void copy(benchmark::State& state) {
  const auto stride = static_cast<int>(state.range(0));
  run(state, DType::f32, [stride](const Lab& lab) {
    test::copy_strided(lab.device->stream(), lab.input(), lab.output(), 1 << 20, stride);
  });
}
void transpose(benchmark::State& state) {
  run(state, DType::f32, [](const Lab& lab) {
    test::transpose(lab.device->stream(), lab.input(), lab.output(), 1024, test::Transpose::padded);
  });
}
void products(benchmark::State& state) {
  // Not the halves of floats, of which a quarter has products too small for a float's exponent:
  // with those a processor may take a hundred times as long.
  run(state, DType::bf16, [](const Lab& lab) {
    const auto* const halves = static_cast<const unsigned short*>(lab.from);
    test::multiply_tiles(lab.device->stream(), halves, halves, lab.output(), 64, 256);
  });
}

BENCHMARK(gemm)->Unit(benchmark::kMillisecond);
BENCHMARK(copy)->Arg(1)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(transpose)->Unit(benchmark::kMillisecond);
BENCHMARK(products)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ridgeline::emulated
