#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/deviation.hpp"
#include "kernels/variant.hpp"

// What the benchmarks of the oracles on GPUs share.
namespace ridgeline::kernels {

/// The first GPU; null where there is none: then the benchmark is skipped and says why.
inline std::unique_ptr<device::Device> gpu_or_skip(benchmark::State& state) {
  for (const device::Facts& facts : device::discover().devices)
    if (facts.kind == device::Kind::cuda) return device::open(facts.id);
  state.SkipWithError("there is no GPU");
  return nullptr;
}

template <class Variant>
std::optional<Variant> variant_or_skip(benchmark::State& state, const Table<Variant>& table,
                                       std::string_view name) {
  for (const Named<Variant>& named : table)
    if (named.kind == device::Kind::cuda && named.name == name) return named.variant;
  state.SkipWithError("this program was built without CUDA");
  return std::nullopt;
}

/// Shows the last verdict; a wrong one fails the benchmark.
inline void tell(benchmark::State& state, const Deviation& found) {
  state.counters["error"] = found.error;
  state.counters["tolerance"] = found.tolerance;
  state.SetLabel(std::string(to_string(found.checked)));
  if (!found.right()) state.SkipWithError("the output is wrong");
}

}  // namespace ridgeline::kernels
