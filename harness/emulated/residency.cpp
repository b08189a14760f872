#include "harness/emulated/residency.hpp"

#include "harness/emulated/kernel_resources.hpp"
#include "harness/emulated/program_symbols.hpp"

namespace ridgeline::emulated {

int blocks_that_fit(const device::Facts& facts, std::uint64_t address, int threads, std::size_t shared_bytes) {
  const auto built = built_kernels();
  const auto resources = built.empty()
                             ? std::nullopt
                             : resources_of(built, qualified_name(function_symbol(address)), {}, facts.capability);
  return device::theoretical_occupancy(facts, resources.value_or(device::KernelResources{}), threads, shared_bytes)
      .blocks;
}

}  // namespace ridgeline::emulated
