#include "kernels/oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "harness/base/half.hpp"
#include "kernels/collectives/collectives.hpp"
#include "kernels/device_oracle.hpp"

namespace ridgeline::collectives {
namespace {

double expect(const Problem& problem, int rank, const Inputs& inputs, std::int64_t index) {
  const auto input = [&](int of, std::int64_t i) -> double {
    return inputs(problem.dtype, first_index(problem, of) + static_cast<std::uint64_t>(i));
  };
  const auto reduced = [&](std::int64_t i) {
    double result = input(0, i);
    for (int of = 1; of < problem.ranks; ++of)
      result = problem.reduction == Reduction::max ? std::max(result, input(of, i))
                                                   : result + input(of, i);
    if (problem.reduction == Reduction::avg) result /= problem.ranks;
    return problem.dtype == DType::i8 ? std::trunc(result) : result;
  };
  const std::int64_t part = problem.part();
  switch (problem.operation) {
    case Operation::all_reduce:
    case Operation::reduce:
      return reduced(index);
    case Operation::reduce_scatter:
      return reduced(rank * part + index);
    case Operation::all_gather:
    case Operation::gather:
      return input(static_cast<int>(index / part), index % part);
    case Operation::all_to_all:
      return input(static_cast<int>(index / part), rank * part + index % part);
    case Operation::send_recv:
      return input((rank + problem.ranks - 1) % problem.ranks, index);
    case Operation::scatter:
      return input(0, rank * part + index);
    case Operation::broadcast:
      break;
  }
  return input(0, index);
}

/// An element as it is stored.
double stored(DType dtype, const std::byte* at) {
  const auto as = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  if (dtype == DType::f16) return from_f16(as(std::uint16_t{}));
  if (dtype == DType::bf16) return from_bf16(as(std::uint16_t{}));
  if (dtype == DType::i8) return as(std::int8_t{});
  return as(0.0f);
}

void fill_on_host(DType dtype, const Inputs& inputs, std::uint64_t first, std::int64_t count,
                  void* to) {
  const auto fill = [&]<class T>(T* elements, auto make) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i)
      elements[i] = make(inputs(dtype, first + static_cast<std::uint64_t>(i)));
  };
  const auto real = [](std::int32_t whole) { return static_cast<float>(whole); };
  if (dtype == DType::f16)
    fill(static_cast<std::uint16_t*>(to), [&](std::int32_t whole) { return to_f16(real(whole)); });
  else if (dtype == DType::bf16)
    fill(static_cast<std::uint16_t*>(to), [&](std::int32_t whole) { return to_bf16(real(whole)); });
  else if (dtype == DType::i8)
    fill(static_cast<std::int8_t*>(to),
         [](std::int32_t whole) { return static_cast<std::int8_t>(whole); });
  else
    fill(static_cast<float*>(to), real);
}

}  // namespace

std::uint64_t first_index(const Problem& problem, int rank) {
  return static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(problem.send_count(0));
}

void fill_inputs(device::Device& device, const Problem& problem, int rank, const Inputs& inputs,
                 void* to) {
  const std::uint64_t first = first_index(problem, rank);
  const std::int64_t count = problem.send_count(rank);
  if (device.facts().kind == device::Kind::cpu)
    return fill_on_host(problem.dtype, inputs, first, count, to);
  require(device_oracle().fill != nullptr, "a program that opens a GPU has inputs for it");
  if (count > 0) device_oracle().fill(problem.dtype, inputs, first, count, to, device.stream());
}

Deviation deviation(device::Device& device, const Problem& problem, int rank, const void* received,
                    const Inputs& inputs, std::uint64_t seed) {
  constexpr std::int64_t run = 4096, most_runs = 256;
  Deviation found;
  const std::int64_t count = problem.receive_count(rank);
  const std::size_t size = size_of(problem.dtype);
  const auto compare = [&](std::int64_t index, const std::byte* at) {
    const double expected = expect(problem, rank, inputs, index), got = stored(problem.dtype, at);
    if (got == expected) return true;
    found.error = std::fabs(got - expected);
    found.first_wrong = {rank, index, expected, got};
    return false;
  };
  if (kernels::judged_on(device)) {
    const kernels::DeviceOracle oracle =
        kernels::bound(fmt::format("collectives {} {} {}", to_string(problem.operation),
                                   to_string(problem.dtype), to_string(problem.reduction)),
                       inputs.zeros ? device::Distribution::zeros : device::Distribution::uniform,
                       device_oracle().answer, problem, rank, inputs);
    found.checked = Checked::whole;
    if (count == 0) return found;
    kernels::judge_once<double>(device, oracle, count, seed,
                                [&](std::int64_t i) { return expect(problem, rank, inputs, i); });
    const auto rest = std::bit_cast<double>(kernels::tally(device, oracle, count, received, count));
    if (rest == 0) return found;
    const std::int64_t index = count - static_cast<std::int64_t>(rest);
    std::byte element[sizeof(float)];
    device.download(element, static_cast<const std::byte*>(received) + index * size, size);
    if (compare(index, element)) kernels::refuse_oracle(oracle.name, index);
    return found;
  }
  if (count <= run * most_runs) found.checked = Checked::whole;
  std::vector<std::byte> host(run * size);
  for (const std::int64_t picked :
       kernels::checked_rows((count + run - 1) / run, most_runs, seed)) {
    const std::int64_t begin = picked * run, many = std::min(run, count - begin);
    device.download(host.data(), static_cast<const std::byte*>(received) + begin * size,
                    static_cast<std::size_t>(many) * size);
    for (std::int64_t i = 0; i < many; ++i)
      if (!compare(begin + i, host.data() + static_cast<std::size_t>(i) * size)) return found;
  }
  return found;
}

}  // namespace ridgeline::collectives
