#include "kernels/collectives/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/device.hpp"
#include "harness/device/waiting.hpp"
#include "suites/cases.hpp"

// How much of a link's bandwidth is left over when several processes exchange data, and from what
// message size on?
//
// The ranks of some operations run ahead of each other: in a row of n broadcasts, each root begins
// its next call while the last rank still receives. Then n calls take a fixed time and n times
// another, and the time per call depends on n. So the number of calls of a sample is part of the
// case's name, and the same for all sizes. Of two numbers of calls, the difference tells the two
// times apart.

namespace ridgeline::suites {
namespace {

using collectives::Choice;
using collectives::Communicator;
using collectives::Operation;
using collectives::Problem;
using collectives::Reduction;
using collectives::WrongElement;
using Named = kernels::Named<collectives::Variant>;

/// The variant's communicator, made once per process and choice, since that takes seconds with
/// NCCL, and never destroyed: the ranks end at different moments, and libraries are shut down
/// before static objects are.
Communicator& communicator(const Named& named, const Choice& choice, measure::Group& group) {
  static auto& made =
      *new std::map<std::pair<std::string_view, Choice>, std::unique_ptr<Communicator>>;
  std::unique_ptr<Communicator>& mine = made[{named.name, choice}];
  if (!mine)
    mine = named.variant.connect(
        {group.size(), group.rank(),
         [&group](void* bytes, std::size_t count) { group.broadcast(bytes, count); },
         [&group](const void* own, std::size_t count, void* all) { group.gather(own, count, all); },
         choice});
  return *mine;
}

/// isolated: one call after all ranks have met. pipelined: calls in a row, of which the ranks may
/// run ahead.
enum class Mode { isolated, pipelined };

struct Calls {
  Mode mode;
  std::int64_t count;  // of a sample: a power of two, as is the number of buffer sets
  Choice choice = {};
};
constexpr Calls all_calls[] = {{Mode::isolated, 1}, {Mode::pipelined, 16}},
                long_row = {Mode::pipelined, 64};

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
struct Data {
  Data(device::Device& on, const Problem& of, int its_rank, std::uint64_t first_seed,
       bool all_zeros, const measure::Sets& sets, Communicator& communicator)
      : device(on), problem(of), rank(its_rank), seed(first_seed), zeros(all_zeros) {
    // On the root a broadcast is in place: it receives into what it sends.
    shared = problem.in_place || (problem.operation == Operation::broadcast && rank == 0);
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
  Problem problem;
  int rank;
  std::uint64_t seed;
  bool zeros;
  bool shared = false;  // send and receive
  std::size_t send_offset = 0, receive_offset = 0;
  std::vector<Bytes> send, receive;
};

/// The wrong element of the first rank that has one, told by all ranks together.
std::string first_wrong(measure::Group& group, const std::optional<WrongElement>& mine) {
  const int size = group.size();
  const int first = -static_cast<int>(group.max(mine ? -group.rank() : -size));
  if (first == size) return "no rank finds it when it looks again";
  const bool is_mine = first == group.rank();
  const auto told = [&](double value) {  // largest of all: nobody else has a say
    return group.max(is_mine ? value : -std::numeric_limits<double>::infinity());
  };
  const WrongElement known = mine.value_or(WrongElement{});
  WrongElement wrong{first, static_cast<std::int64_t>(told(static_cast<double>(known.index))),
                     told(known.expected)};
  const bool is_number = told(std::isnan(known.got) ? 0 : 1) > 0;
  const double got = told(is_number ? known.got : 0);
  wrong.got = is_number ? got : std::numeric_limits<double>::quiet_NaN();
  return to_string(wrong);
}

measure::Workload prepare(const Named& named, const Problem& problem, const Calls& calls,
                          measure::Setup& setup) {
  measure::Group& group = setup.group;
  if (group.size() != problem.ranks)
    throw Error(ErrorKind::usage,
                fmt::format("the case needs {} ranks, and {} {} started", problem.ranks,
                            group.size(), group.size() == 1 ? "was" : "were"),
                "`ridgeline run` starts as many as a case needs");
  device::Device& device = setup.device;
  measure::Sets sets =
      setup.sets((problem.in_place ? 1 : 2) * static_cast<std::size_t>(problem.bytes));
  group.broadcast(&sets, sizeof sets);
  sets = {std::bit_ceil(sets.inputs), std::bit_ceil(sets.outputs)};
  if (problem.in_place) sets.outputs = 1;  // which lies in the inputs of each turn
  const bool zeros = setup.distribution == device::Distribution::zeros;
  Communicator& ranks = communicator(named, calls.choice, group);
  auto data = std::make_shared<Data>(device, problem, group.rank(), setup.seed, zeros, sets, ranks);

  measure::Workload workload;
  workload.sets = sets;
  workload.executions = calls.count;
  workload.launch = [=, &ranks](measure::Turn turn, device::Stream& stream) {
    ranks.launch(problem, data->sent(turn), data->received(turn), stream);
  };
  device::while_waiting([&ranks] { ranks.look(); });
  // Libraries connect the ranks when they first exchange data: once per process, and no time of
  // this case's.
  workload.launch({}, device.stream());
  device.synchronize();
  workload.poison = [=](std::size_t output) { data->poison(output); };
  workload.verify = [=](measure::Turn turn) {
    const collectives::Deviation found = data->deviation(turn);
    return record::Verification{found.error, found.tolerance, found.checked};
  };
  workload.what_is_wrong = [=, &group](measure::Turn turn) {
    return first_wrong(group, data->deviation(turn).first_wrong);
  };
  workload.repeats = problem.repeats();
  workload.timed_metrics = [=](double median_ns) {
    const double algbw = static_cast<double>(problem.bytes) / median_ns * 1e9;
    std::vector<record::Metric> metrics{{"algbw", algbw, "B/s", record::Direction::higher}};
    if (const auto factor = problem.bus_factor())
      metrics.push_back({"busbw", *factor * algbw, "B/s", record::Direction::higher});
    return metrics;
  };
  return workload;
}

/// A rank needs a core, or a GPU.
worker::Places places(const device::Facts& facts) {
  if (facts.kind != device::Kind::cuda) return {facts.units, "cores"};
  static const auto gpus = [] {
    const device::Discovery found = device::discover();
    return std::ranges::count(found.devices, device::Kind::cuda, &device::Facts::kind);
  }();
  return {static_cast<int>(gpus), "GPUs"};
}

worker::Case make_case(const Named& named, const Problem& problem, const Calls& calls) {
  std::vector<record::Field> options;
  if (problem.reduction != Reduction::sum)
    options.push_back({"reduction", std::string(to_string(problem.reduction))});
  if (problem.in_place) options.push_back({"in_place", "yes"});
  if (calls.choice != Choice{}) {
    options.push_back({"algorithm", std::string(calls.choice.algorithm)});
    options.push_back({"protocol", std::string(calls.choice.protocol)});
  }
  worker::Case result = suites::make_case(
      {"collectives",
       std::string(named.name),
       std::string(to_string(problem.dtype)),
       {{"op", std::string(to_string(problem.operation))},
        field("ranks", problem.ranks),
        field("bytes", problem.bytes),
        {"mode", calls.mode == Mode::isolated ? "isolated" : "pipelined"},
        field("calls", calls.count)},
       std::move(options)},
      named, always(problem),
      // On a CPU all ranks take from the same memory.
      [shared = named.kind != device::Kind::cuda](const auto&, const Problem& of) {
        return (of.in_place ? 2.0 : 3.0) * static_cast<double>(of.bytes) * (shared ? of.ranks : 1);
      },
      [named, calls](const auto&, const Problem& of, measure::Setup& setup) {
        return prepare(named, of, calls, setup);
      });
  if (problem.ranks == 1) result.info.idea += " (one rank: a copy, no communication)";
  result.info.ranks = problem.ranks;
  result.places = places;
  return result;
}

constexpr Operation first_operations[] = {Operation::all_reduce, Operation::all_gather,
                                          Operation::broadcast},
                    other_operations[] = {Operation::reduce_scatter, Operation::reduce,
                                          Operation::all_to_all,     Operation::send_recv,
                                          Operation::gather,         Operation::scatter},
                    reductions[] = {Operation::all_reduce, Operation::reduce_scatter,
                                    Operation::reduce};
constexpr int several_ranks[] = {2, 4, 8};

/// The cases of a variant. Of f32, sums, and different buffers: a sweep of sizes, for the first
/// operations a close one. Of all else a small size, a middle and a large one.
class Sweep {
 public:
  Sweep(const Named& named, std::vector<worker::Case>& cases)
      : named_(named), cases_(cases), on_gpus_(named.kind == device::Kind::cuda) {}

  void all() {
    for (const Operation operation : first_operations)
      for (const int ranks : {1, 2, 4, 8})
        for (std::int64_t bytes = kib; bytes <= (on_gpus_ ? 8 * gib : gib / 4); bytes *= 2)
          both({operation, ranks, bytes});
    for (const int ranks : several_ranks) {
      for (const Operation operation : first_operations) small(operation, ranks);
      for (const Operation operation : other_operations) {
        small(operation, ranks);
        for (std::int64_t bytes = kib; bytes <= (on_gpus_ ? 16 * gib : gib / 4); bytes *= 4)
          both({operation, ranks, bytes});
      }
      for (const DType dtype : named_.variant.dtypes) of_type(dtype, ranks);
      if (named_.variant.choices != nullptr) told(ranks);
      in_long_rows(ranks);
      // Between the sizes of all types, where kernels over peer memory take turns.
      for (const std::int64_t bytes :
           {4 * kib, 16 * kib, 64 * kib, 256 * kib, 4096 * kib, gib / 64})
        pipelined({Operation::all_reduce, ranks, bytes, DType::bf16});
    }
  }

 private:
  static constexpr std::int64_t kib = 1 << 10, gib = 1 << 30;

  void of_type(DType dtype, int ranks) {
    for (const std::int64_t bytes : {kib, gib / 1024, gib / 16, 8 * gib}) {
      if (bytes == 8 * gib && !on_gpus_) continue;
      if (dtype != DType::f32) {
        for (const Operation operation : first_operations)
          pipelined({operation, ranks, bytes, dtype});
        for (const Operation operation : other_operations)
          pipelined({operation, ranks, bytes, dtype});
      }
      if (bytes > gib / 16) continue;
      for (const Operation operation : reductions)
        for (const Reduction reduction : {Reduction::max, Reduction::avg})
          pipelined({operation, ranks, bytes, dtype, reduction});
      if (dtype != DType::f32) continue;
      for (const Operation operation :
           {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
            Operation::reduce, Operation::gather, Operation::scatter})
        pipelined({operation, ranks, bytes, dtype, Reduction::sum, true});
    }
  }

  /// All that the library can be told, at sizes that the sweep of its own choice has, too.
  void told(int ranks) {
    const auto each = [&](Operation operation) {
      for (const Choice& choice : named_.variant.choices(operation))
        for (std::int64_t bytes = kib; bytes <= gib; bytes *= 4)
          add({operation, ranks, bytes}, {Mode::pipelined, all_calls[1].count, choice});
    };
    std::ranges::for_each(first_operations, each);
    std::ranges::for_each(other_operations, each);
  }

  /// The operations that programs call most, beside the same in rows of 16.
  void in_long_rows(int ranks) {
    for (const Operation operation :
         {Operation::all_reduce, Operation::all_gather, Operation::broadcast,
          Operation::reduce_scatter, Operation::all_to_all})
      for (const std::int64_t bytes : {gib / 1024, gib / 64, gib / 16, gib / 4})
        add({operation, ranks, bytes}, long_row);
  }

  void small(Operation operation, int ranks) {
    for (const std::int64_t bytes : {8, 64, 256}) both({operation, ranks, bytes});
  }
  void both(const Problem& problem) {
    for (const Calls& calls : all_calls) add(problem, calls);
  }
  void pipelined(const Problem& problem) { add(problem, all_calls[1]); }
  void add(const Problem& problem, const Calls& calls) {
    const std::int64_t parts = problem.in_parts() ? problem.ranks : 1;
    if (problem.count() % parts != 0) return;
    if (named_.variant.is_for != nullptr && !named_.variant.is_for(problem)) return;
    cases_.push_back(make_case(named_, problem, calls));
  }

  const Named& named_;
  std::vector<worker::Case>& cases_;
  bool on_gpus_;
};

}  // namespace

worker::Suite collectives() {
  worker::Suite suite{"collectives", "From what message size on do links carry what they can?", {}};
  for (const Named& named : collectives::variants()) Sweep(named, suite.cases).all();
  return suite;
}

}  // namespace ridgeline::suites
