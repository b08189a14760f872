#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "harness/worker/case.hpp"
#include "kernels/collectives/collectives.hpp"

// What one rank of a collective works on, and how what it received is verified, for the suites that
// have collectives.
namespace ridgeline::suites {

/// Throws a usage Error unless as many ranks are here as the problem needs.
inline void require_ranks(const collectives::Problem& problem, const measure::Group& group) {
  if (group.size() != problem.ranks)
    throw Error(ErrorKind::usage,
                fmt::format("the case needs {} ranks, and {} {} started", problem.ranks,
                            group.size(), group.size() == 1 ? "was" : "were"),
                "`ridgeline run` starts as many as a case needs");
}

/// Sets of so many bytes to rotate over: as many on every rank, and a power of two, which a fixed
/// number of executions divides or is divided by.
inline measure::Sets sets_of_all(const measure::Setup& setup, std::size_t bytes_per_set) {
  measure::Sets sets = setup.sets(bytes_per_set);
  setup.group.broadcast(&sets, sizeof sets);
  return {std::bit_ceil(sets.inputs), std::bit_ceil(sets.outputs)};
}

/// The variant's communicator, made once per process and choice, since that takes seconds with
/// NCCL, and never destroyed: the ranks end at different moments, and libraries are shut down
/// before static objects are.
inline collectives::Communicator& communicator(const kernels::Named<collectives::Variant>& named,
                                               const collectives::Choice& choice,
                                               measure::Group& group) {
  static auto& made = *new std::map<std::pair<std::string_view, collectives::Choice>,
                                    std::unique_ptr<collectives::Communicator>>;
  std::unique_ptr<collectives::Communicator>& mine = made[{named.name, choice}];
  if (!mine)
    mine = named.variant.connect(
        {group.size(), group.rank(),
         [&group](void* bytes, std::size_t count) { group.broadcast(bytes, count); },
         [&group](const void* own, std::size_t count, void* all) { group.gather(own, count, all); },
         choice});
  return *mine;
}

/// One buffer: memory of its own, or a piece of what a communicator gave.
struct Bytes {
  Bytes(device::Device& device, std::size_t size)
      : own(device, size), at(own.data()), count(size) {}
  Bytes(std::byte* given, std::size_t size) : at(given), count(size) {}

  device::Buffer<std::byte> own;
  std::byte* at;
  std::size_t count;
};

/// The buffers of one rank, in bytes, with what lies where.
struct CollectiveData {
  CollectiveData(device::Device& on, const collectives::Problem& of, int its_rank,
                 std::uint64_t first_seed, bool all_zeros, const measure::Sets& sets,
                 collectives::Communicator& communicator)
      : device(on), problem(of), rank(its_rank), seed(first_seed), zeros(all_zeros) {
    // On the root a broadcast is in place: it receives into what it sends.
    shared =
        problem.in_place || (problem.operation == collectives::Operation::broadcast && rank == 0);
    const auto size_of_count = [&](std::int64_t count) {
      return static_cast<std::size_t>(count) * size_of(problem.dtype);
    };
    const std::size_t sent = size_of_count(problem.send_count(rank)),
                      received = size_of_count(problem.receive_count(rank));
    if (problem.in_place) {
      send_offset = size_of_count(problem.send_offset(rank));
      receive_offset = size_of_count(problem.receive_offset(rank));
    }
    const std::size_t input = problem.in_place ? std::max(sent, received) : sent,
                      output = shared ? 0 : received, outputs = problem.in_place ? 0 : sets.outputs;
    // Each piece begins at a multiple of 256 bytes, as memory of its own does.
    const auto room = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
    std::byte* given =
        communicator.memory(problem, sets.inputs * room(input) + outputs * room(output));
    const auto add = [&](std::vector<Bytes>& to, std::size_t bytes) {
      if (given == nullptr) {
        to.emplace_back(device, bytes);
      } else {
        to.emplace_back(given, bytes);
        given += room(bytes);
      }
    };
    for (std::size_t set = 0; set < sets.inputs; ++set) {
      add(send, input);
      fill(set);
    }
    for (std::size_t set = 0; set < outputs; ++set) add(receive, output);
  }

  collectives::Inputs inputs(std::size_t set) const { return {seed + set, zeros}; }
  void fill(std::size_t set) {
    collectives::fill_inputs(device, problem, rank, inputs(set), send[set].at + send_offset);
  }
  const std::byte* sent(measure::Turn turn) const { return send[turn.inputs].at + send_offset; }
  std::byte* received(measure::Turn turn) const {
    return (shared ? send[turn.inputs] : receive[turn.output]).at + receive_offset;
  }
  void poison(std::size_t output) {
    if (!problem.in_place) return device.poison(receive[output].at, receive[output].count);
    for (std::size_t set = 0; set < send.size(); ++set) {
      device.poison(send[set].at, send[set].count);
      fill(set);
    }
  }
  collectives::Deviation deviation(measure::Turn turn) const {
    return collectives::deviation(device, problem, rank, received(turn), inputs(turn.inputs),
                                  inputs(turn.inputs).seed);
  }

  device::Device& device;
  collectives::Problem problem;
  int rank;
  std::uint64_t seed;
  bool zeros;
  bool shared = false;  // send and receive
  std::size_t send_offset = 0, receive_offset = 0;
  std::vector<Bytes> send, receive;
};

/// The wrong element of the first rank that has one, told by all ranks together.
inline std::string first_wrong(measure::Group& group,
                               const std::optional<collectives::WrongElement>& mine) {
  const int size = group.size();
  const int first = -static_cast<int>(group.max(mine ? -group.rank() : -size));
  if (first == size) return "no rank finds it when it looks again";
  const bool is_mine = first == group.rank();
  const auto told = [&](double value) {  // largest of all: nobody else has a say
    return group.max(is_mine ? value : -std::numeric_limits<double>::infinity());
  };
  const collectives::WrongElement known = mine.value_or(collectives::WrongElement{});
  collectives::WrongElement wrong{first,
                                  static_cast<std::int64_t>(told(static_cast<double>(known.index))),
                                  told(known.expected)};
  const bool is_number = told(std::isnan(known.got) ? 0 : 1) > 0;
  const double got = told(is_number ? known.got : 0);
  wrong.got = is_number ? got : std::numeric_limits<double>::quiet_NaN();
  return to_string(wrong);
}

/// A rank needs a core, or a GPU.
inline worker::Places places_of_ranks(const device::Facts& facts) {
  if (facts.kind != device::Kind::cuda) return {facts.units, "cores"};
  static const auto gpus = [] {
    const device::Discovery found = device::discover();
    return std::ranges::count(found.devices, device::Kind::cuda, &device::Facts::kind);
  }();
  return {static_cast<int>(gpus), "GPUs"};
}

}  // namespace ridgeline::suites
