#include "kernels/collectives/collectives.hpp"

#include <bit>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::collectives {

std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"all_reduce",     "all_gather", "broadcast",
                                        "reduce_scatter", "reduce",     "all_to_all",
                                        "send_recv",      "gather",     "scatter"};
  return names[static_cast<std::size_t>(operation)];
}

std::string_view to_string(Reduction reduction) {
  constexpr std::string_view names[] = {"sum", "max", "avg"};
  return names[static_cast<std::size_t>(reduction)];
}

std::int64_t Problem::send_count(int rank) const {
  switch (operation) {
    case Operation::all_gather:
    case Operation::gather:
      return part();
    case Operation::all_reduce:
    case Operation::reduce_scatter:
    case Operation::reduce:
    case Operation::all_to_all:
    case Operation::send_recv:
      return count();
    case Operation::broadcast:
    case Operation::scatter:
      break;
  }
  return rank == 0 ? count() : 0;
}

std::int64_t Problem::receive_count(int rank) const {
  switch (operation) {
    case Operation::reduce_scatter:
    case Operation::scatter:
      return part();
    case Operation::all_reduce:
    case Operation::all_gather:
    case Operation::broadcast:
    case Operation::all_to_all:
    case Operation::send_recv:
      return count();
    case Operation::reduce:
    case Operation::gather:
      break;
  }
  return rank == 0 ? count() : 0;
}

std::int64_t Problem::send_offset(int rank) const {
  return operation == Operation::all_gather ? rank * part() : 0;
}

std::int64_t Problem::receive_offset(int rank) const {
  return operation == Operation::reduce_scatter ? rank * part() : 0;
}

bool Problem::reduces() const {
  return operation == Operation::all_reduce || operation == Operation::reduce_scatter ||
         operation == Operation::reduce;
}

bool Problem::in_parts() const {
  return operation == Operation::all_gather || operation == Operation::reduce_scatter ||
         operation == Operation::all_to_all || operation == Operation::gather ||
         operation == Operation::scatter;
}

bool Problem::repeats() const { return !in_place || !reduces() || reduction == Reduction::max; }

std::optional<double> Problem::bus_factor() const {
  if (ranks < 2) return std::nullopt;
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (operation == Operation::all_reduce) return 2 * others;
  return in_parts() ? others : 1.0;
}

device::Support common_support(const Problem& problem) {
  const auto no = [](std::string reason) {
    return device::Support::unsupported(std::move(reason));
  };
  const auto [operation, ranks, bytes, dtype, reduction, in_place] = problem;
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16 && dtype != DType::i8)
    return no(fmt::format("does not communicate {}", to_string(dtype)));
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  if (bytes < 0 || bytes % (problem.in_parts() ? ranks * size : size) != 0)
    return no(fmt::format("{} bytes do not give the same number of elements to each of {} ranks",
                          bytes, ranks));
  if (ranks == 1 && operation != Operation::all_reduce && operation != Operation::all_gather)
    return no(fmt::format("{} among one rank is no communication", to_string(operation)));
  if (problem.reduces() && ranks > most_exact_ranks)
    return no(fmt::format("reductions are checked for up to {} ranks, among which they are exact",
                          most_exact_ranks));
  if (problem.reduces() && reduction == Reduction::avg && dtype != DType::i8 &&
      !std::has_single_bit(static_cast<unsigned>(ranks)))
    return no(fmt::format("an average over {} ranks is not exact", ranks));
  if (in_place && (operation == Operation::all_to_all || operation == Operation::send_recv ||
                   operation == Operation::broadcast))
    return no(fmt::format("{} has no second form in place", to_string(operation)));
  return device::Support::yes();
}

std::string to_string(const WrongElement& wrong) {
  return fmt::format("rank {}, element {}: {} expected, {} received", wrong.rank, wrong.index,
                     wrong.expected, wrong.got);
}

}  // namespace ridgeline::collectives
