#include <algorithm>

#include "harness/device/facts.hpp"
#include "kernels/stream/stream.hpp"

namespace ridgeline::stream {
namespace {

constexpr std::int64_t grain = 1024;  // floats; units get whole grains

std::int64_t whole_grains(double floats) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(floats) / grain) * grain;
}

/// Bytes of all arrays together, and of what one execution moves.
struct Size {
  double bytes = 0, traffic = 0;
};

// What a core moves in a few milliseconds from beyond its own caches: long against starting
// threads, and short enough for many samples in little time.
constexpr double of_a_core = 64 << 20;

Size cpu_size(kernels::Level level, const device::Facts& facts) {
  const double units = facts.units, l2s = static_cast<double>(facts.l2) * units,
               llc = static_cast<double>(facts.last_level_cache),
               memory = static_cast<double>(facts.memory);
  if (level == kernels::Level::shared) return {};
  if (level == kernels::Level::l1) {
    const double bytes = 0.5 * static_cast<double>(facts.l1) * units;
    return {bytes, 4096 * bytes};
  }
  if (level == kernels::Level::dram) {
    const double bytes = std::min(of_a_core * units, memory / 32);
    return {bytes, bytes};
  }
  // Several times what the L2s hold, which needs not be much of a cache that many other cores
  // share.
  const double bytes = std::max(2 * l2s, std::min(llc / 3, 8 * l2s));
  return bytes > llc / 2 ? Size{} : Size{bytes, std::max(bytes, of_a_core * units)};
}

Size gpu_size(kernels::Level level, const device::Facts& facts) {
  const double llc = static_cast<double>(facts.last_level_cache);
  if (level == kernels::Level::l1) {
    const double bytes = 0.5 * static_cast<double>(facts.l1) * facts.units;
    return {bytes, 4096 * bytes};
  }
  if (level == kernels::Level::dram) {
    const double bytes =
        std::min(std::max(8 * llc, 4.0 * (1 << 30)), static_cast<double>(facts.memory) / 16);
    return {bytes, bytes};
  }
  if (level == kernels::Level::shared) {
    const double bytes = 0.5 * static_cast<double>(facts.shared_per_unit) * facts.units;
    return {bytes, 4096 * bytes};
  }
  // Long against starting a kernel, and against the pass that fetches the lines from DRAM.
  return {llc / 3, 512 * llc / 3};
}

}  // namespace

Problem problem_for(Operation operation, kernels::Level level, const device::Facts& facts) {
  auto [bytes, traffic] =
      facts.kind == device::Kind::cuda ? gpu_size(level, facts) : cpu_size(level, facts);
  // Lines that all SMs want are held in both halves of a GPU's L2.
  if (operation == Operation::read_by_all) bytes /= 2;
  Problem problem{operation, level, 0, 1, facts.units};
  if (bytes == 0) return problem;
  problem.elements = level == kernels::Level::l1 || level == kernels::Level::shared
                         ? facts.units * whole_grains(bytes / 4 / problem.arrays() / facts.units)
                         : whole_grains(bytes / 4 / problem.arrays());
  // When all units read all of it, each gets its share of the passes.
  problem.passes =
      std::max(1, static_cast<int>(traffic / bytes / static_cast<double>(problem.times())));
  return problem;
}

std::vector<kernels::Level> levels_on_cpu() {
  return {kernels::Level::dram, kernels::Level::llc, kernels::Level::l1};
}

device::Support supports_on_cpu(const Problem& problem, const device::Facts&) {
  if (problem.elements > 0) return device::Support::yes();
  return device::Support::unsupported(
      "what is more than all L2s of this CPU hold would not fit in its last-level cache");
}

}  // namespace ridgeline::stream
