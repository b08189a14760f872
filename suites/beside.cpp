#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/device/two_streams.hpp"
#include "harness/device/waiting.hpp"
#include "kernels/collectives/collectives.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/oracle.hpp"
#include "suites/cases.hpp"
#include "suites/collective_data.hpp"

// How much of a bucket's reduction hides behind the products of the next layers, and what does each
// cost the other?
//
// On every rank, products of matrices and an all_reduce begin together. Five cases of each bucket
// time what a share and two slow-downs are made of; they differ in nothing else, and each has
// samples of its own.

namespace ridgeline::suites {
namespace {

using collectives::Operation;
using device::Priority;
using device::TwoStreams;
using Named = kernels::Named<collectives::Variant>;

/// What is executed, and until when it is timed: `both` until the last of both has ended.
enum class Timed { work_alone, collective_alone, work, collective, both };
constexpr std::pair<Timed, std::string_view> all_timed[] = {
    {Timed::work_alone, "work_alone"},
    {Timed::collective_alone, "collective_alone"},
    {Timed::work, "work"},
    {Timed::collective, "collective"},
    {Timed::both, "both"}};

/// The work: so many products in a row, of the same matrices.
struct Work {
  gemm::Problem product;
  std::int64_t products = 1;
};

struct Problem {
  collectives::Problem collective;
  Work work;
  Timed timed = Timed::both;
  Priority priority = Priority::equal;

  bool has_work() const { return timed != Timed::collective_alone; }
  bool has_collective() const { return timed != Timed::work_alone; }
};

constexpr std::int64_t mib = 1 << 20;
struct Bucket {
  std::int64_t bytes;
  Work work;
};
// Products that last about as long as the bucket's reduction between two ranks, with several tiles
// per SM. Of a CPU, on one core.
constexpr Bucket on_gpus[] = {{25 * mib, {{4096, 4096, 2048, DType::bf16}, 1}},
                              {128 * mib, {{4096, 4096, 2048, DType::bf16}, 5}}},
                 on_cpus[] = {{mib, {{256, 256, 256, DType::f32}, 1}},
                              {25 * mib, {{512, 512, 512, DType::f32}, 4}}};
constexpr std::string_view work_on_gpu = "cublaslt", work_on_cpu = "register_tiled";

/// Who multiplies. Asked for when a case is, not for the list: what a case executes is then known
/// to be of the code of this family, too.
const gemm::Variant& multiplies(device::Kind kind) {
  static const kernels::Table<gemm::Variant> all = gemm::variants();
  const std::string_view name = kind == device::Kind::cuda ? work_on_gpu : work_on_cpu;
  const auto found = std::ranges::find_if(
      all, [&](const auto& each) { return each.kind == kind && each.name == name; });
  require(found != all.end(), "the work beside collectives is a variant of gemm");
  return found->variant;
}

/// A short all_reduce, of elements that the bucket's writes again: after it, all ranks begin within
/// a few microseconds, on GPUs, too.
collectives::Problem meeting_of(collectives::Problem problem) {
  problem.bytes = std::min<std::int64_t>(problem.bytes, 256);
  return problem;
}

struct State {
  State(const Problem& of, collectives::Communicator& communicator, measure::Sets sets,
        measure::Setup& setup)
      : problem(of),
        ranks(communicator),
        group(setup.group),
        device(setup.device),
        variant(multiplies(setup.device.facts().kind)),
        data(setup.device, of.collective, setup.group.rank(), setup.seed,
             setup.distribution == device::Distribution::zeros, sets, communicator),
        workspace(setup.device, workspace_of(variant, of.work.product)),
        streams(device::two_streams(setup.device, of.priority)) {
    const auto [m, n, k, dtype] = problem.work.product;
    matrices = fill_sets(setup, sets, dtype, {m * k, k * n},
                         m * n * static_cast<std::int64_t>(size_of(gemm::stored_as(dtype))));
  }

  void launch(measure::Turn turn, device::Stream& stream) {
    const BufferSet of = buffers_of(*matrices, turn);
    const gemm::Operands operands{of.in[0].data, of.in[1].data, of.out.data(), workspace.data()};
    ranks.launch(meeting_of(problem.collective), data.sent(turn), data.received(turn), stream);
    streams->launch(stream, {
                                [&](device::Stream& beside) {
                                  if (problem.has_collective())
                                    ranks.begin(problem.collective, data.sent(turn),
                                                data.received(turn), beside);
                                },
                                [&](device::Stream& main) {
                                  for (std::int64_t i = 0;
                                       problem.has_work() && i < problem.work.products; ++i)
                                    variant.launch(problem.work.product, operands, main);
                                },
                                [&] {
                                  if (problem.has_collective()) ranks.end();
                                },
                            });
  }

  double sample_ns() {
    const TwoStreams::Ends ends = streams->ends();
    switch (problem.timed) {
      case Timed::work_alone:
      case Timed::work:
        return ends.work_ns;
      case Timed::collective_alone:
      case Timed::collective:
        return ends.beside_ns;
      case Timed::both:
        break;
    }
    return std::max(ends.work_ns, ends.beside_ns);
  }

  void poison(std::size_t output) {
    data.poison(output);
    matrices->outputs.at(output).poison();
  }

  kernels::Deviation of_work(measure::Turn turn) const {
    const BufferSet of = buffers_of(*matrices, turn);
    const kernels::RandomFloats &a = of.in[0].values, &b = of.in[1].values;
    return gemm::deviation(device, problem.work.product, variant,
                           {a.distribution, a.seed, a.first, b.first}, of.out.data());
  }

  /// Of what was executed; of both, what is wrong.
  record::Verification verify(measure::Turn turn) const {
    kernels::Deviation found{0, 0, Checked::whole};
    if (problem.has_collective()) found = data.deviation(turn);
    if (problem.has_work() && found.right()) {
      const kernels::Deviation of = of_work(turn);
      found = {of.error, of.tolerance, std::min(found.checked, of.checked)};
    }
    return {found.error, found.tolerance, found.checked};
  }

  std::string what_is_wrong(measure::Turn turn) const {
    std::optional<collectives::WrongElement> mine;
    if (problem.has_collective()) mine = data.deviation(turn).first_wrong;
    if (group.max(mine ? 1 : 0) > 0) return first_wrong(group, mine);
    return "the reduction is right, and the product beside it is not";
  }

  Problem problem;
  collectives::Communicator& ranks;
  measure::Group& group;
  device::Device& device;
  const gemm::Variant& variant;
  CollectiveData data;
  BufferSets matrices;
  device::Buffer<std::byte> workspace;
  std::unique_ptr<TwoStreams> streams;
};

measure::Workload prepare(const Named& named, const Problem& problem, measure::Setup& setup) {
  require_ranks(problem.collective, setup.group);
  const measure::Sets sets =
      sets_of_all(setup, 2 * static_cast<std::size_t>(problem.collective.bytes) +
                             static_cast<std::size_t>(problem.work.product.bytes()));
  collectives::Communicator& ranks = communicator(named, {}, setup.group);
  const auto state = std::make_shared<State>(problem, ranks, sets, setup);

  measure::Workload workload;
  workload.sets = sets;
  workload.executions = 1;
  workload.launch = [=](measure::Turn turn, device::Stream& stream) {
    state->launch(turn, stream);
  };
  workload.sample_ns = [=] { return state->sample_ns(); };
  device::while_waiting([&ranks] { ranks.look(); });
  // Libraries connect the ranks, and choose how to multiply, when they first do it.
  workload.launch({}, setup.device.stream());
  setup.device.synchronize();
  workload.poison = [=](std::size_t output) { state->poison(output); };
  workload.verify = [=](measure::Turn turn) { return state->verify(turn); };
  workload.what_is_wrong = [=](measure::Turn turn) { return state->what_is_wrong(turn); };
  return workload;
}

worker::Case make_case(const Named& named, const Problem& problem, std::string_view timed) {
  const auto& [collective, work, unused, priority] = problem;
  std::vector<record::Field> options;
  if (priority == Priority::high) options.push_back({"priority", "high"});
  const bool on_gpu = named.kind == device::Kind::cuda;
  worker::Case result = suites::make_case(
      {"beside",
       std::string(named.name),
       std::string(to_string(collective.dtype)),
       {{"op", std::string(to_string(collective.operation))},
        field("ranks", collective.ranks),
        field("bytes", collective.bytes),
        {"work", std::string(on_gpu ? work_on_gpu : work_on_cpu)},
        field("m", work.product.m),
        field("n", work.product.n),
        field("k", work.product.k),
        field("products", work.products),
        {"timed", std::string(timed)}},
       std::move(options)},
      named, always(collective),
      // Sets of two; on a CPU all ranks take from the same memory.
      [=](const auto&, const collectives::Problem& of) {
        return (3 * static_cast<double>(of.bytes) + 2 * work.product.bytes()) *
               (on_gpu ? 1 : of.ranks);
      },
      [=](const auto&, const auto&, measure::Setup& setup) {
        return prepare(named, problem, setup);
      });
  result.supports = [=, communicates = result.supports](const device::Facts& facts) {
    device::Support support = communicates(facts);
    return support ? multiplies(named.kind).supports(work.product, facts) : support;
  };
  result.info.ranks = collective.ranks;
  result.places = places_of_ranks;
  return result;
}

}  // namespace

worker::Suite beside() {
  worker::Suite suite{"beside", "How much of a reduction hides behind products of matrices?", {}};
  for (const Named& named : collectives::variants()) {
    const bool on_gpu = named.kind == device::Kind::cuda;
    const auto add = [&](const Bucket& bucket, int ranks, Priority priority) {
      const collectives::Problem collective{Operation::all_reduce, ranks, bucket.bytes};
      if (named.variant.is_for != nullptr && !named.variant.is_for(collective)) return;
      for (const auto& [timed, name] : all_timed)
        suite.cases.push_back(make_case(named, {collective, bucket.work, timed, priority}, name));
    };
    for (const int ranks : {2, 4, 8}) {
      for (const Bucket& bucket : on_cpus)
        if (!on_gpu) add(bucket, ranks, Priority::equal);
      for (const Bucket& bucket : on_gpus)
        for (const Priority priority : {Priority::equal, Priority::high})
          if (on_gpu) add(bucket, ranks, priority);
    }
  }
  return suite;
}

}  // namespace ridgeline::suites
