#include <numeric>
#include <utility>

#include "harness/device/random.hpp"
#include "kernels/chase/chase.hpp"

namespace ridgeline::chase {

std::vector<std::uint32_t> make_order(const Problem& problem, std::uint64_t seed) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(problem.lines));
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t left = order.size(); left > 1; --left)  // Fisher and Yates
    std::swap(order[left - 1], order[device::random_bits(seed, left) % left]);
  return order;
}

std::vector<std::uint64_t> make_lines(const Problem& problem,
                                      const std::vector<std::uint32_t>& order, const void* memory) {
  const std::size_t words = static_cast<std::size_t>(problem.line_bytes) / sizeof(std::uint64_t);
  std::vector<std::uint64_t> lines(order.size() * words, 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t next = order[k + 1 == order.size() ? 0 : k + 1];
    lines[order[k] * words] =
        reinterpret_cast<std::uint64_t>(memory) + next * static_cast<unsigned>(problem.line_bytes);
  }
  return lines;
}

std::uint32_t begin_of(const Problem& problem, const std::vector<std::uint32_t>& order,
                       std::size_t start) {
  return order[start * static_cast<std::size_t>(problem.loads) % order.size()];
}

std::uint32_t end_of(const Problem& problem, const std::vector<std::uint32_t>& order,
                     std::size_t start) {
  return order[(start + 1) * static_cast<std::size_t>(problem.loads) % order.size()];
}

}  // namespace ridgeline::chase
