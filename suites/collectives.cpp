#include "kernels/collectives/collectives.hpp"

#include <bit>
#include <map>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "suites/cases.hpp"

// How much of a link's bandwidth is left over when several processes exchange data, and from what
// message size on?
//
// The ranks of some operations run ahead of each other: in a row of n broadcasts, each root begins
// its next call while the last rank still receives. Then n calls take a fixed time and n times
// another, and the time per call depends on n. So the number of calls of a sample is part of the
// case's name, and the same for all sizes.

namespace ridgeline::suites {
namespace {

using collectives::Communicator;
using collectives::Operation;
using collectives::Problem;
using Named = kernels::Named<collectives::Variant>;

/// The variant's communicator, made once per process, since that takes seconds with NCCL, and never
/// destroyed: the ranks end at different moments, and libraries are shut down before static objects
/// are.
Communicator& communicator(const Named& named, measure::Group& group) {
  static auto& made = *new std::map<std::string_view, std::unique_ptr<Communicator>>;
  std::unique_ptr<Communicator>& mine = made[named.name];
  if (!mine)
    mine = named.variant.connect(
        {group.size(), group.rank(),
         [&group](void* bytes, std::size_t count) { group.broadcast(bytes, count); }});
  return *mine;
}

/// isolated: one call after all ranks have met. pipelined: calls in a row, of which the ranks may
/// run ahead.
enum class Mode { isolated, pipelined };

struct Calls {
  Mode mode;
  std::int64_t count;  // of a sample: a power of two, as is the number of buffer sets
};
constexpr Calls all_calls[] = {{Mode::isolated, 1}, {Mode::pipelined, 16}};

/// The buffers of one rank.
struct Data {
  std::vector<device::Buffer<float>> send, receive;
};

measure::Workload prepare(const Named& named, const Problem& problem, const Calls& calls,
                          measure::Setup& setup) {
  measure::Group& group = setup.group;
  if (group.size() != problem.ranks)
    throw Error(ErrorKind::usage,
                fmt::format("the case needs {} ranks, and {} {} started", problem.ranks,
                            group.size(), group.size() == 1 ? "was" : "were"),
                "`ridgeline run` starts as many as a case needs");
  device::Device& device = setup.device;
  // On rank 0 a broadcast is in place: it receives into what it sends.
  const bool in_place = problem.operation == Operation::broadcast && group.rank() == 0;
  const auto send_count = static_cast<std::size_t>(problem.send_count());
  const auto receive_count = in_place ? 0 : static_cast<std::size_t>(problem.receive_count());
  const std::uint64_t first = collectives::first_index(problem, group.rank());

  auto data = std::make_shared<Data>();
  measure::Sets sets = setup.sets(2 * static_cast<std::size_t>(problem.bytes));
  group.broadcast(&sets, sizeof sets);
  sets = {std::bit_ceil(sets.inputs), std::bit_ceil(sets.outputs)};
  const auto seed_of = [seed = setup.seed](std::size_t inputs) { return seed + inputs; };
  for (std::size_t set = 0; set < sets.inputs; ++set) {
    data->send.emplace_back(device, send_count);
    device.fill(data->send.back().data(), DType::f32, send_count, setup.distribution, seed_of(set),
                first);
  }
  for (std::size_t set = 0; set < sets.outputs; ++set)
    data->receive.emplace_back(device, receive_count);
  const auto receive = [data, in_place](measure::Turn turn) {
    return in_place ? data->send[turn.inputs].data() : data->receive[turn.output].data();
  };

  measure::Workload workload;
  workload.sets = sets;
  workload.executions = calls.count;
  workload.launch = [=, &ranks = communicator(named, group)](measure::Turn turn,
                                                             device::Stream& stream) {
    ranks.launch(problem, data->send[turn.inputs].data(), receive(turn), stream);
  };
  // Libraries connect the ranks when they first exchange data: once per process, and no time of
  // this case's.
  workload.launch({}, device.stream());
  device.synchronize();
  workload.poison = [=](std::size_t output) { data->receive[output].poison(); };
  workload.verify = [=, &device, distribution = setup.distribution](measure::Turn turn) {
    const kernels::Deviation found =
        collectives::deviation(device, problem, receive(turn), distribution, seed_of(turn.inputs));
    return record::Verification{found.error, found.tolerance, found.checked};
  };
  workload.timed_metrics = [=](double median_ns) {
    const double algbw = static_cast<double>(problem.bytes) / median_ns * 1e9;
    std::vector<record::Metric> metrics{{"algbw", algbw, "B/s", record::Direction::higher}};
    if (const auto factor = problem.bus_factor())
      metrics.push_back({"busbw", *factor * algbw, "B/s", record::Direction::higher});
    return metrics;
  };
  return workload;
}

worker::Case make_case(const Named& named, const Problem& problem, const Calls& calls) {
  worker::Case result = suites::make_case(
      {"collectives",
       std::string(named.name),
       std::string(to_string(problem.dtype)),
       {{"op", std::string(to_string(problem.operation))},
        field("ranks", problem.ranks),
        field("bytes", problem.bytes),
        {"mode", calls.mode == Mode::isolated ? "isolated" : "pipelined"},
        field("calls", calls.count)},
       {}},
      named, always(problem),
      // On a CPU all ranks take from the same memory.
      [shared = named.kind != device::Kind::cuda](const auto&, const Problem& of) {
        return 3.0 * static_cast<double>(of.bytes) * (shared ? of.ranks : 1);
      },
      [named, calls](const auto&, const Problem& of, measure::Setup& setup) {
        return prepare(named, of, calls, setup);
      });
  if (problem.ranks == 1) result.info.idea += " (one rank: a copy, no communication)";
  result.info.ranks = problem.ranks;
  return result;
}

}  // namespace

worker::Suite collectives() {
  worker::Suite suite{"collectives", "From what message size on do links carry what they can?", {}};
  for (const Named& named : collectives::variants()) {
    const std::int64_t largest =
        named.kind == device::Kind::cuda ? std::int64_t{8} << 30 : std::int64_t{256} << 20;
    for (const DType dtype : named.variant.dtypes)
      for (const Operation operation :
           {Operation::all_reduce, Operation::all_gather, Operation::broadcast})
        for (const int ranks : {1, 2, 4, 8})
          for (std::int64_t bytes = 1 << 10; bytes <= largest; bytes *= 2)
            for (const Calls& calls : all_calls)
              suite.cases.push_back(make_case(named, {operation, ranks, bytes, dtype}, calls));
  }
  return suite;
}

}  // namespace ridgeline::suites
