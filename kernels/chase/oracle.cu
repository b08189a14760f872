#include "kernels/chase/chase.hpp"
#include "kernels/cuda/oracle.cuh"
#include "kernels/cuda/order.cuh"

namespace ridgeline::chase::on_cuda {
namespace {

/// One thread a line: its first word leads to the next line of the cycle.
__global__ void __launch_bounds__(kernels::on_cuda::oracle_threads)
    link_lines(kernels::on_cuda::Order order, std::int64_t lines, int words,
               std::uint64_t* memory) {
  const std::int64_t k = std::int64_t{blockIdx.x} * kernels::on_cuda::oracle_threads + threadIdx.x;
  if (k >= lines) return;
  const auto line_at = [&](std::int64_t visited) {
    return memory + order(static_cast<std::uint64_t>(visited)) * static_cast<unsigned>(words);
  };
  std::uint64_t* const line = line_at(k);
  line[0] = reinterpret_cast<std::uint64_t>(line_at(k + 1 == lines ? 0 : k + 1));
  for (int word = 1; word < words; ++word) line[word] = 0;
}

void write_lines(const Problem& problem, std::uint64_t seed, void* memory, device::Stream& stream) {
  device::launch(kernels::on_cuda::one_thread_each(problem.lines), stream, link_lines,
                 kernels::on_cuda::Order(static_cast<std::uint64_t>(problem.lines), seed),
                 problem.lines, problem.line_bytes / 8, static_cast<std::uint64_t*>(memory));
}

}  // namespace

DeviceOracle oracle() { return {write_lines}; }

}  // namespace ridgeline::chase::on_cuda
