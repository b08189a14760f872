#include "harness/device/kernel.hpp"
#include "kernels/chase/chase.hpp"

// One thread follows addresses from line to line, through L1 or past it. Bound by the time a load
// takes: nothing else is in flight. From DRAM, address translation is part of it.
namespace ridgeline::chase::on_cuda {
namespace {

template <bool through_l1>
__global__ void __launch_bounds__(32)
    follow(const void* begin, unsigned long long* end, std::int64_t loads) {
  unsigned long long at = reinterpret_cast<unsigned long long>(begin);
#pragma unroll 16
  for (std::int64_t load = 0; load < loads; ++load) {
    const auto* const line = reinterpret_cast<const unsigned long long*>(at);
    at = through_l1 ? __ldca(line) : __ldcg(line);
  }
  *end = at;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(1), .block = dim3(1)}, stream,
                 problem.level == kernels::Level::l1 ? follow<true> : follow<false>, operands.begin,
                 reinterpret_cast<unsigned long long*>(operands.end), problem.loads);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  if (problem.lines > 0) return device::Support::yes();
  return device::Support::unsupported("a GPU's last-level cache is its L2: see level=l2");
}

}  // namespace

Variant latency() { return {"one thread follows addresses from line to line", supports, launch}; }

}  // namespace ridgeline::chase::on_cuda
