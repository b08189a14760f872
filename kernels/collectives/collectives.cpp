#include "kernels/collectives/collectives.hpp"

#include <fmt/core.h>

namespace ridgeline::collectives {

std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"all_reduce", "all_gather", "broadcast"};
  return names[static_cast<std::size_t>(operation)];
}

std::optional<double> Problem::bus_factor() const {
  if (ranks < 2) return std::nullopt;
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (operation == Operation::broadcast) return 1.0;
  return operation == Operation::all_reduce ? 2 * others : others;
}

device::Support common_support(const Problem& problem) {
  if (problem.dtype != DType::f32)
    return device::Support::unsupported(
        fmt::format("does not communicate {}", to_string(problem.dtype)));
  if (problem.bytes < 0 ||
      problem.bytes % (problem.ranks * static_cast<std::int64_t>(size_of(problem.dtype))) != 0)
    return device::Support::unsupported(
        fmt::format("{} bytes do not give the same number of elements to each of {} ranks",
                    problem.bytes, problem.ranks));
  if (problem.operation == Operation::broadcast && problem.ranks == 1)
    return device::Support::unsupported("a broadcast among one rank moves nothing");
  return device::Support::yes();
}

}  // namespace ridgeline::collectives
