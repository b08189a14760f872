#include "kernels/memory/memory.hpp"

namespace ridgeline::memory {
namespace {

device::Support yes_if(bool holds, const char* otherwise) {
  return holds ? device::Support::yes() : device::Support::unsupported(otherwise);
}

}  // namespace

device::Support only_stride(const Problem& problem, const device::Facts&) {
  return yes_if(problem.stride >= 1 && problem.offset == 0 && problem.width == 4,
                "copies 4-byte elements at a stride of 1 or more, from the first one on");
}

device::Support only_offset(const Problem& problem, const device::Facts&) {
  return yes_if(problem.offset >= 0 && problem.stride == 1 && problem.width == 4,
                "copies all 4-byte elements from an offset on");
}

device::Support only_width(const Problem& problem, const device::Facts&) {
  const bool known = problem.width == 4 || problem.width == 8 || problem.width == 16;
  return yes_if(known && problem.stride == 1 && problem.offset == 0,
                "copies all elements with accesses of 4, 8 or 16 bytes");
}

kernels::Traffic gpu_traffic(const Problem& problem) {
  const std::int64_t apart =
      problem.stride * 4 > problem.width ? problem.stride * 4 : problem.width;
  const int sectors = kernels::sectors_of_warp(problem.offset * 4, apart, problem.width);
  // Of loads; of stores too.
  const double requests =
      static_cast<double>(problem.copied()) * 4 / problem.width / kernels::lanes_of_a_warp;
  return {sectors, 2 * requests * sectors * kernels::sector};
}

kernels::Traffic cpu_traffic(const Problem& problem) {
  const std::int64_t lines =
      kernels::pieces(problem.offset * 4, problem.stride * 4, 4, problem.copied(), kernels::line);
  return {{}, kernels::cpu_bytes(lines, lines)};
}

}  // namespace ridgeline::memory
