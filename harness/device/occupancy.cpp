#include "harness/device/occupancy.hpp"

#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::device {
namespace {

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr std::uint64_t register_unit = 256, shared_unit = 128, reserved_shared = 1024;
constexpr std::uint64_t parts_of_unit = 4, registers_of_thread = 255;

/// Blocks of `warps` warps that find registers.
std::uint64_t by_registers(const Facts& facts, int registers, std::uint64_t warps,
                           std::uint64_t unlimited) {
  const std::uint64_t of_warp = rounded_up(
      static_cast<std::uint64_t>(registers) * static_cast<std::uint64_t>(facts.warp_size),
      register_unit);
  if (of_warp == 0) return unlimited;
  const auto all = static_cast<std::uint64_t>(facts.registers_per_unit);
  // A launch is refused as if its warps filled the four parts evenly.
  const bool refused = static_cast<std::uint64_t>(registers) > registers_of_thread ||
                       of_warp * rounded_up(warps, parts_of_unit) > all;
  return refused ? 0 : all / parts_of_unit / of_warp * parts_of_unit / warps;
}

std::uint64_t by_shared(const Facts& facts, std::uint64_t bytes) {
  if (bytes > facts.shared_per_block) return 0;
  return facts.shared_per_unit / rounded_up(bytes + reserved_shared, shared_unit);
}

}  // namespace

Occupancy theoretical_occupancy(const Facts& facts, const KernelResources& kernel, int threads,
                                std::uint64_t dynamic_shared_bytes) {
  if (facts.capability < 80 || facts.max_threads_per_unit <= 0 || facts.warp_size <= 0)
    throw Error(ErrorKind::usage, fmt::format("the occupancy of {} is not known", facts.id),
                "its rules are those of compute capabilities 8.0 and above");
  if (threads <= 0)
    throw Error(ErrorKind::usage, fmt::format("a block of {} threads has no occupancy", threads));
  const auto warp = static_cast<std::uint64_t>(facts.warp_size);
  const std::uint64_t warps = rounded_up(static_cast<std::uint64_t>(threads), warp) / warp;
  const std::uint64_t all_warps = static_cast<std::uint64_t>(facts.max_threads_per_unit) / warp;
  const auto all_blocks = static_cast<std::uint64_t>(facts.max_blocks_per_unit);
  const std::pair<std::uint64_t, std::string_view> limits[] = {
      {threads > facts.max_threads_per_block ? 0 : all_warps / warps, "warps"},
      {all_blocks, "blocks"},
      {by_registers(facts, kernel.registers, warps, all_blocks), "registers"},
      {by_shared(facts, kernel.static_shared_bytes + dynamic_shared_bytes), "shared memory"}};
  auto least = limits[0];
  for (const auto& limit : limits)
    if (limit.first < least.first) least = limit;
  const auto resident = static_cast<int>(least.first * warps);
  return {static_cast<int>(least.first), resident,
          static_cast<double>(resident) / static_cast<double>(all_warps), least.second};
}

}  // namespace ridgeline::device
