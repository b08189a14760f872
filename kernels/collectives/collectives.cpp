#include "kernels/collectives/collectives.hpp"

#include <fmt/core.h>

namespace ridgeline::collectives {

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::all_reduce:
      return "all_reduce";
    case Operation::all_gather:
      return "all_gather";
    case Operation::broadcast:
      break;
  }
  return "broadcast";
}

std::optional<double> Problem::bus_factor() const {
  if (ranks < 2) return std::nullopt;
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (operation) {
    case Operation::all_reduce:
      return 2 * others;
    case Operation::all_gather:
      return others;
    case Operation::broadcast:
      break;
  }
  return 1.0;
}

device::Support common_support(const Problem& problem) {
  if (problem.dtype != DType::f32)
    return device::Support::unsupported(fmt::format("does not communicate {}", to_string(problem.dtype)));
  if (problem.bytes < 0 || problem.bytes % (problem.ranks * static_cast<std::int64_t>(size_of(problem.dtype))) != 0)
    return device::Support::unsupported(fmt::format(
        "{} bytes do not give the same number of elements to each of {} ranks", problem.bytes, problem.ranks));
  if (problem.operation == Operation::broadcast && problem.ranks == 1)
    return device::Support::unsupported("a broadcast among one rank moves nothing");
  return device::Support::yes();
}

}  // namespace ridgeline::collectives
