#include "harness/emulated/launch_limits.hpp"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "harness/device/occupancy.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/kernel_resources.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/residency.hpp"

// Source of the limits of a grid and of static shared memory: CUDA C++ Programming Guide, "Compute
// Capabilities".
namespace ridgeline::emulated {
namespace {

constexpr std::size_t most_static_shared = 48 << 10;
constexpr unsigned most_threads_along_z = 64, most_blocks_along_y_or_z = 65535,
                   most_blocks_along_x = 0x7FFFFFFF;

std::string text_of(const dim3& size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

using Refusal = std::pair<const char*, std::string>;  // the check, and what it says

std::optional<Refusal> of_sizes(const device::LaunchConfig& config, const Limits& limits) {
  const dim3 grid = config.grid, block = config.block, cluster = config.cluster;
  const std::uint64_t threads = count_of(block);
  if (threads == 0 || threads > static_cast<std::uint64_t>(limits.threads) ||
      block.z > most_threads_along_z)
    return Refusal{"block of a wrong size",
                   fmt::format("{} threads; a block has 1 to {}, at most {} of them along z",
                               text_of(block), limits.threads, most_threads_along_z)};
  if (grid.x > most_blocks_along_x || grid.y > most_blocks_along_y_or_z ||
      grid.z > most_blocks_along_y_or_z)
    return Refusal{
        "grid of a wrong size",
        fmt::format("{} blocks; a grid has at most {} x {} x {}", text_of(grid),
                    most_blocks_along_x, most_blocks_along_y_or_z, most_blocks_along_y_or_z)};
  if (count_of(cluster) == 0 ||
      count_of(cluster) > static_cast<std::uint64_t>(limits.cluster_blocks))
    return Refusal{"cluster of a wrong size",
                   fmt::format("{} blocks; a cluster of this architecture has 1 to {}",
                               text_of(cluster), limits.cluster_blocks)};
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return Refusal{"cluster of a wrong size",
                   fmt::format("a grid of {} blocks is not divided by clusters of {}",
                               text_of(grid), text_of(cluster))};
  if (config.resident && count_of(cluster) != 1)
    return Refusal{"unsupported", "clusters of a resident grid"};
  return std::nullopt;
}

/// What nvcc made of the kernel that starts there, as far as the program has it.
std::optional<device::KernelResources> built_resources(std::uint64_t kernel, int capability) {
  if (built_kernels().empty()) return std::nullopt;
  return resources_of(built_kernels(), qualified_name(function_symbol(kernel)), {}, capability);
}

/// What the kernel asks of an SM, and whether its registers are known.
struct Asked {
  device::KernelResources resources;
  bool is_built = false;
};

Asked asked_by(std::uint64_t kernel, const Limits& limits, const SharedVariables& variables) {
  if (const auto built = built_resources(kernel, limits.capability)) return {*built, true};
  return {{.static_shared_bytes = variables.bytes_in(function_symbol(kernel))}, false};
}

std::optional<Refusal> of_shared_memory(const device::LaunchConfig& config, const Asked& asked,
                                        const Limits& limits) {
  const std::size_t of_block = asked.resources.static_shared_bytes,
                    all = of_block + config.shared_bytes;
  if (of_block > most_static_shared)
    return Refusal{"too much shared memory",
                   fmt::format("{} bytes of __shared__ variables; nvcc takes at most {}: name more "
                               "of it by RIDGELINE_DYNAMIC_SHARED",
                               of_block, most_static_shared)};
  if (all > limits.shared_bytes)
    return Refusal{"too much shared memory",
                   fmt::format("{} bytes, {} of them dynamic; a block has {}", all,
                               config.shared_bytes, limits.shared_bytes)};
  return std::nullopt;
}

std::optional<Refusal> of_residence(const device::LaunchConfig& config, const Asked& asked,
                                    const Limits& limits) {
  const auto threads = static_cast<int>(count_of(config.block));
  const device::Occupancy occupancy =
      device::theoretical_occupancy(facts(limits), asked.resources, threads, config.shared_bytes);
  if (asked.is_built && occupancy.blocks == 0 && occupancy.limit == "registers")
    return Refusal{"too many registers",
                   fmt::format("{} threads of {} registers each; a block has {}", threads,
                               asked.resources.registers, limits.registers_per_unit)};
  const std::uint64_t held =
      static_cast<std::uint64_t>(limits.units) * static_cast<std::uint64_t>(occupancy.blocks);
  if (!config.resident || count_of(config.grid) <= held) return std::nullopt;
  return Refusal{
      "too many resident blocks",
      fmt::format("{} blocks shall run together; {} SMs hold {} of {} threads, {} bytes of shared "
                  "memory and {}",
                  count_of(config.grid), limits.units, held, threads,
                  asked.resources.static_shared_bytes + config.shared_bytes,
                  asked.is_built ? fmt::format("{} registers per thread", asked.resources.registers)
                                 : std::string("registers that are not known here"))};
}

}  // namespace

std::optional<Finding> refused(const device::LaunchConfig& config, std::uint64_t kernel,
                               const Limits& limits, const SharedVariables& variables) {
  std::optional<Refusal> refusal = of_sizes(config, limits);
  if (!refusal) {
    const Asked asked = asked_by(kernel, limits, variables);
    refusal = of_shared_memory(config, asked, limits);
    if (!refusal) refusal = of_residence(config, asked, limits);
  }
  if (!refusal) return std::nullopt;
  // In the kernel's first instruction, so that its line is found.
  return Finding{.check = refusal->first,
                 .pc = kernel == 0 ? 0 : static_cast<std::uint32_t>(kernel) + 1,
                 .detail = std::move(refusal->second),
                 .count = 1};
}

int blocks_that_fit(const device::Facts& facts, std::uint64_t address, int threads,
                    std::size_t shared_bytes) {
  const auto built = built_resources(address, facts.capability);
  return device::theoretical_occupancy(facts, built.value_or(device::KernelResources{}), threads,
                                       shared_bytes)
      .blocks;
}

}  // namespace ridgeline::emulated
