#include "kernels/chase/chase.hpp"

// One thread follows addresses from line to line. Bound by the time a load takes: nothing else is
// in flight.
namespace ridgeline::chase::on_cpu {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const void* at = operands.begin;
  for (std::int64_t load = 0; load < problem.loads; ++load)
    at = *static_cast<const void* const*>(at);
  *operands.end = reinterpret_cast<std::uint64_t>(at);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  if (problem.lines > 0) return device::Support::yes();
  return device::Support::unsupported("this CPU has no cache of that level beyond its L2");
}

}  // namespace

Variant latency() { return {"one thread follows addresses from line to line", supports, launch}; }

}  // namespace ridgeline::chase::on_cpu
