#include <algorithm>

#include "kernels/gather/gather.hpp"
#include "kernels/memory/memory.hpp"
#include "kernels/records/records.hpp"
#include "kernels/transpose/transpose.hpp"
#include "suites/cases.hpp"

// What does it cost when neighbouring threads do not touch neighbouring bytes? Four families of
// kernels that move floats from one array to another.

namespace ridgeline::suites {
namespace {

/// What an execution moves between, in elements.
struct Arrays {
  std::int64_t inputs, outputs;
  // Of `outputs` elements in device memory, at each place; null: no index.
  std::function<void(device::Device&, std::uint64_t seed, const std::vector<std::int32_t*>& places)>
      write_index = {};

  double memory() const {
    return 4.0 * static_cast<double>(inputs + outputs + (write_index ? outputs : 0));
  }
};

/// A case that moves floats: `operands(set)` is what the variant is launched with, and
/// `check(device, set, seed)` how far its output is from what is expected.
template <class Variant, class Problem, class Operands, class Check>
worker::Case moving(const kernels::Named<Variant>& named, std::string name, const Problem& problem,
                    std::vector<record::Field> fields, const Arrays& arrays, double flops,
                    Operands operands, Check check) {
  const auto prepare = [=](const Variant& variant, const Problem&, measure::Setup& setup) {
    const kernels::Traffic traffic = variant.traffic(problem);
    // Not more than one execution touches: some patterns skip most of an array, and a CPU's written
    // lines move twice.
    const double touched = std::min(arrays.memory(), traffic.moved_bytes / 2);
    const BufferSets sets = fill_sets(setup, setup.sets(static_cast<std::size_t>(touched)),
                                      DType::f32, {arrays.inputs}, 4 * arrays.outputs);
    if (arrays.write_index) {
      std::vector<std::int32_t*> places;
      for (Buffers::Inputs& set : sets->inputs) {
        set.index =
            device::Buffer<std::int32_t>(setup.device, static_cast<std::size_t>(arrays.outputs));
        places.push_back(set.index.data());
      }
      arrays.write_index(setup.device, setup.seed, places);
    }
    measure::Workload workload = make_workload(
        flops, problem.bytes(), sets,
        [=](const BufferSet& of, device::Stream& stream) {
          variant.launch(problem, operands(of), stream);
        },
        [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
          return check(device, of, seed);
        });
    workload.metrics = {{"moved_bytes", traffic.moved_bytes, "B", record::Direction::lower}};
    if (traffic.sectors_per_request)
      workload.metrics.push_back(
          {"sectors_per_request", *traffic.sectors_per_request, "1", record::Direction::lower});
    return workload;
  };
  worker::Case result = make_case(
      {"coalescing", std::move(name), "f32", std::move(fields), {}}, named, always(problem),
      [arrays](const Variant&, const Problem&) { return 2 * arrays.memory(); }, prepare);
  if (flops > 0) result.info.flops = flops;
  result.info.bytes = problem.bytes();
  return result;
}

worker::Case copying(const kernels::Named<memory::Variant>& named, const memory::Problem& problem,
                     const record::Field& varied) {
  return moving(
      named, std::string(named.name), problem, {varied, field("elements", problem.elements)},
      {problem.elements, problem.elements}, 0,
      [](const BufferSet& of) {
        return memory::Operands{of.in[0].floats(), of.output<float>()};
      },
      [=](device::Device& device, const BufferSet& of, std::uint64_t seed) {
        return memory::deviation(device, problem, of.in[0].values, of.output<float>(), seed);
      });
}

/// The random order is called after the variant, its sequential twin "sequential".
worker::Case gathering(const kernels::Named<gather::Variant>& named,
                       const gather::Problem& problem) {
  const bool random = problem.order == gather::Order::random;
  worker::Case result = moving(
      named, random ? std::string(named.name) : "sequential", problem,
      {field("elements", problem.elements)},
      {problem.elements, problem.elements,
       [=](device::Device& device, std::uint64_t seed, const std::vector<std::int32_t*>& places) {
         gather::write_index(device, problem, seed, places);
       }},
      0,
      [](const BufferSet& of) {
        return gather::Operands{of.in[0].floats(), of.index.data(), of.output<float>()};
      },
      [=](device::Device& device, const BufferSet& of, std::uint64_t seed) {
        return gather::deviation(device, problem, of.in[0].values, seed, of.output<float>(), seed);
      });
  if (!random) result.info.idea = "the same through an index that counts up";
  return result;
}

worker::Case summing(const kernels::Named<records::Variant>& named,
                     const records::Problem& problem) {
  return moving(
      named, std::string(named.name), problem,
      {field("used", problem.used), field("elements", problem.elements)},
      {problem.elements * records::fields, problem.elements}, problem.flops(),
      [](const BufferSet& of) {
        return records::Operands{of.in[0].floats(), of.output<float>()};
      },
      [=, layout = named.variant.layout](device::Device& device, const BufferSet& of,
                                         std::uint64_t seed) {
        return records::deviation(device, problem, layout, of.in[0].values, of.output<float>(),
                                  seed);
      });
}

worker::Case transposing(const kernels::Named<transpose::Variant>& named,
                         const transpose::Problem& problem) {
  return moving(
      named, "transpose_" + std::string(named.name), problem,
      {field("rows", problem.rows), field("cols", problem.cols)},
      {problem.elements(), problem.elements()}, 0,
      [](const BufferSet& of) {
        return transpose::Operands{of.in[0].floats(), of.output<float>()};
      },
      [=](device::Device& device, const BufferSet& of, std::uint64_t seed) {
        return transpose::deviation(device, problem, of.in[0].values, of.output<float>(), seed);
      });
}

/// Elements of the larger array of a case. The smallest of each sweep is meant for tests, all
/// others for DRAM. An emulated device counts the same of each element of a large array as of a
/// small one.
std::vector<std::int64_t> sizes(device::Kind kind) {
  if (kind == device::Kind::emulated) return {1 << 16, 1 << 18, 1 << 20, 1 << 22};
  if (kind == device::Kind::cuda) return {1 << 20, 1 << 24, 1 << 26, 1 << 28};
  return {1 << 20, 1 << 22, 1 << 24, 1 << 26};
}

}  // namespace

worker::Suite coalescing() {
  worker::Suite suite{
      "coalescing",
      "What does it cost when neighbouring threads do not touch neighbouring bytes?",
      {}};
  std::vector<worker::Case>& cases = suite.cases;
  for (const auto& named : memory::variants())
    for (const std::int64_t elements : sizes(named.kind)) {
      if (named.name == "strided")
        for (const std::int64_t stride : {1, 2, 4, 8, 16, 32})
          cases.push_back(copying(named, {elements, stride, 0, 4}, field("stride", stride)));
      if (named.name == "offset")
        for (const std::int64_t offset : {0, 1, 2, 4, 8, 16, 31})
          cases.push_back(copying(named, {elements, 1, offset, 4}, field("offset", offset)));
      if (named.name == "wide")
        for (const int width : {4, 8, 16})
          cases.push_back(copying(named, {elements, 1, 0, width}, field("width", width)));
      if (named.name == "bulk")
        for (const int chunk : {2 << 10, 8 << 10, 32 << 10})
          cases.push_back(copying(named, {elements, 1, 0, chunk}, field("chunk", chunk)));
    }
  for (const auto& named : gather::variants())
    for (const std::int64_t elements : sizes(named.kind))
      for (const gather::Order order : {gather::Order::sequential, gather::Order::random})
        cases.push_back(gathering(named, {elements, order}));
  for (const auto& named : records::variants())
    for (const std::int64_t elements : sizes(named.kind))
      for (const int used : {1, records::fields})
        cases.push_back(summing(named, {elements / records::fields, used}));
  for (const auto& named : transpose::variants())
    for (const std::int64_t elements : sizes(named.kind)) {
      std::int64_t edge = 1;
      while (edge * edge < elements) edge *= 2;
      cases.push_back(transposing(named, {edge, edge}));
    }
  return suite;
}

}  // namespace ridgeline::suites
