#include "kernels/oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/collectives/collectives.hpp"
#include "kernels/device_oracle.hpp"

namespace ridgeline::collectives {
namespace {

Expected expect(const Problem& problem, device::Distribution distribution, std::uint64_t seed,
                std::int64_t index) {
  const auto input = [&](int rank, std::int64_t i) {
    return device::random_element(problem.dtype, distribution, seed,
                                  first_index(problem, rank) + static_cast<std::uint64_t>(i));
  };
  Expected expected;
  const auto add = [&](double value) {
    expected.value += value;
    expected.magnitude += std::fabs(value);
  };
  switch (problem.operation) {
    case Operation::all_reduce:
      for (int rank = 0; rank < problem.ranks; ++rank) add(input(rank, index));
      break;
    case Operation::all_gather:
      add(input(static_cast<int>(index / problem.send_count()), index % problem.send_count()));
      break;
    case Operation::broadcast:
      add(input(0, index));
      break;
  }
  return expected;
}

}  // namespace

std::uint64_t first_index(const Problem& problem, int rank) {
  return static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(problem.send_count());
}

kernels::Deviation deviation(device::Device& device, const Problem& problem, const void* received,
                             device::Distribution distribution, std::uint64_t seed) {
  constexpr std::int64_t run = 4096, most_runs = 256;
  const bool sums = problem.operation == Operation::all_reduce;
  kernels::Deviation found;
  found.tolerance = sums ? (problem.ranks - 1) * unit_roundoff(problem.dtype) : 0;
  const std::int64_t count = problem.receive_count();
  if (kernels::judged_on(device)) {
    const kernels::DeviceOracle oracle =
        kernels::bound("collectives " + std::string(to_string(problem.operation)), distribution,
                       device_oracle(), problem, distribution, seed);
    kernels::judge_once<Expected>(device, oracle, count, seed, [&](std::int64_t i) {
      return expect(problem, distribution, seed, i);
    });
    found.error = std::bit_cast<double>(kernels::tally(device, oracle, count, received, count));
    found.checked = Checked::whole;
    return found;
  }
  if (count <= run * most_runs) found.checked = Checked::whole;
  std::vector<float> host(run);
  for (const std::int64_t picked :
       kernels::checked_rows((count + run - 1) / run, most_runs, seed)) {
    const std::int64_t begin = picked * run, size = std::min(run, count - begin);
    device.download(host.data(), static_cast<const float*>(received) + begin,
                    static_cast<std::size_t>(size) * sizeof(float));
    for (std::int64_t i = 0; i < size; ++i) {
      const Expected expected = expect(problem, distribution, seed, begin + i);
      const double difference = std::fabs(host[static_cast<std::size_t>(i)] - expected.value);
      const double error =
          difference == 0
              ? 0
              : difference / std::max(expected.magnitude, std::numeric_limits<double>::min());
      if (!(error <= found.error)) found.error = error;
      if (std::isnan(error)) return found;
    }
  }
  return found;
}

}  // namespace ridgeline::collectives
