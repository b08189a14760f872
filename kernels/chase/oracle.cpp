#include "harness/device/facts.hpp"
#include "kernels/chase/chase.hpp"
#include "kernels/device_oracle.hpp"

namespace ridgeline::chase {
namespace {

/// The line that is visited after so many loads, which may go around the cycle.
std::uint64_t line_after(const Problem& problem, const kernels::Permutation& order,
                         std::uint64_t loads) {
  return order(loads % static_cast<std::uint64_t>(problem.lines));
}

/// Into zeros that `words` points to.
void fill_lines(const Problem& problem, const kernels::Permutation& order, const void* memory,
                std::uint64_t* words) {
  const auto line_bytes = static_cast<std::uint64_t>(problem.line_bytes);
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < problem.lines; ++k) {
    const auto visited = static_cast<std::uint64_t>(k);
    words[order(visited) * (line_bytes / sizeof(std::uint64_t))] =
        reinterpret_cast<std::uint64_t>(memory) +
        line_after(problem, order, visited + 1) * line_bytes;
  }
}

}  // namespace

kernels::Permutation make_order(const Problem& problem, std::uint64_t seed) {
  return {static_cast<std::uint64_t>(problem.lines), seed};
}

std::vector<std::uint64_t> make_lines(const Problem& problem, const kernels::Permutation& order,
                                      const void* memory) {
  std::vector<std::uint64_t> lines(problem.bytes() / sizeof(std::uint64_t), 0);
  fill_lines(problem, order, memory, lines.data());
  return lines;
}

void write_lines(device::Device& device, const Problem& problem, std::uint64_t seed, void* memory) {
  if (kernels::judged_on(device))
    return device_oracle().write_lines(problem, seed, memory, device.stream());
  if (device.facts().kind == device::Kind::cpu) {  // there may be gigabytes of them
    device.fill(memory, DType::u8, problem.bytes(), device::Distribution::zeros, seed, 0);
    return fill_lines(problem, make_order(problem, seed), memory,
                      static_cast<std::uint64_t*>(memory));
  }
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
