#include "kernels/collectives/collectives.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "harness/device/waiting.hpp"
#include "suites/cases.hpp"
#include "suites/collective_data.hpp"

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
using collectives::Operation;
using collectives::Problem;
using collectives::Reduction;
using Named = kernels::Named<collectives::Variant>;

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

measure::Workload prepare(const Named& named, const Problem& problem, const Calls& calls,
                          measure::Setup& setup) {
  measure::Group& group = setup.group;
  require_ranks(problem, group);
  device::Device& device = setup.device;
  measure::Sets sets =
      sets_of_all(setup, (problem.in_place ? 1 : 2) * static_cast<std::size_t>(problem.bytes));
  if (problem.in_place) sets.outputs = 1;  // which lies in the inputs of each turn
  const bool zeros = setup.distribution == device::Distribution::zeros;
  collectives::Communicator& ranks = communicator(named, calls.choice, group);
  auto data = std::make_shared<CollectiveData>(device, problem, group.rank(), setup.seed, zeros,
                                               sets, ranks);

  measure::Workload workload;
  workload.sets = sets;
  workload.executions = calls.count;
  workload.launch = [=, &ranks, &group](measure::Turn turn, device::Stream& stream) {
    group.count_meeting();
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
  result.places = places_of_ranks;
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
      of_layers(ranks);
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

  /// What ranks that share a layer exchange: tokens x hidden size elements, which they sum, or
  /// which they sum in parts and gather where they share the tokens, too.
  void of_layers(int ranks) {
    for (const DType dtype : {DType::bf16, DType::f32})
      for (const std::int64_t hidden : {4096, 8192})
        for (const std::int64_t tokens : {1, 16, 512, 2048, 8192}) {
          const std::int64_t bytes = tokens * hidden * static_cast<std::int64_t>(size_of(dtype));
          both({Operation::all_reduce, ranks, bytes, dtype});
          if (tokens % ranks != 0) continue;
          both({Operation::reduce_scatter, ranks, bytes, dtype});
          both({Operation::all_gather, ranks, bytes, dtype});
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
    worker::Case made = make_case(named_, problem, calls);
    if (!names_.insert(record::name(made.info.id)).second) return;
    cases_.push_back(std::move(made));
  }

  const Named& named_;
  std::vector<worker::Case>& cases_;
  bool on_gpus_;
  std::set<std::string> names_;  // a size can have several reasons
};

}  // namespace

worker::Suite collectives() {
  worker::Suite suite{"collectives", "From what message size on do links carry what they can?", {}};
  for (const Named& named : collectives::variants()) Sweep(named, suite.cases).all();
  return suite;
}

}  // namespace ridgeline::suites
