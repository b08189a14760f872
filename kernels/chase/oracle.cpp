#include "kernels/chase/chase.hpp"
#include "kernels/device_oracle.hpp"

namespace ridgeline::chase {
namespace {

/// The line that is visited after so many loads, which may go around the cycle.
std::uint64_t line_after(const Problem& problem, const kernels::Permutation& order,
                         std::uint64_t loads) {
  return order(loads % static_cast<std::uint64_t>(problem.lines));
}

}  // namespace

kernels::Permutation make_order(const Problem& problem, std::uint64_t seed) {
  return {static_cast<std::uint64_t>(problem.lines), seed};
}

std::vector<std::uint64_t> make_lines(const Problem& problem, const kernels::Permutation& order,
                                      const void* memory) {
  const auto line_bytes = static_cast<std::uint64_t>(problem.line_bytes);
  std::vector<std::uint64_t> lines(problem.bytes() / sizeof(std::uint64_t), 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < problem.lines; ++k) {
    const auto visited = static_cast<std::uint64_t>(k);
    lines[order(visited) * (line_bytes / sizeof(std::uint64_t))] =
        reinterpret_cast<std::uint64_t>(memory) +
        line_after(problem, order, visited + 1) * line_bytes;
  }
  return lines;
}

void write_lines(device::Device& device, const Problem& problem, std::uint64_t seed, void* memory) {
  if (kernels::judged_on(device))
    return device_oracle().write_lines(problem, seed, memory, device.stream());
  const std::vector<std::uint64_t> lines = make_lines(problem, make_order(problem, seed), memory);
  device.upload(memory, lines.data(), problem.bytes());
}

std::uint64_t begin_of(const Problem& problem, const kernels::Permutation& order,
                       std::size_t start) {
  return line_after(problem, order, start * static_cast<std::uint64_t>(problem.loads + 1));
}

std::uint64_t end_of(const Problem& problem, const kernels::Permutation& order, std::size_t start) {
  const auto loads = static_cast<std::uint64_t>(problem.loads);
  return line_after(problem, order, start * (loads + 1) + loads);
}

}  // namespace ridgeline::chase
