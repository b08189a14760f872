#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/gather/gather.hpp"
#include "kernels/memory/memory.hpp"
#include "kernels/records/records.hpp"
#include "kernels/transpose/transpose.hpp"

// What does it cost when neighbouring threads do not touch neighbouring bytes? Four families of kernels that move
// floats from one array to another.

namespace ridgeline::suites {
namespace {

using kernels::RandomFloats;

/// One pattern of access, whatever its family.
struct Pattern {
  std::int64_t inputs = 0, outputs = 0;  // elements of the arrays
  std::vector<std::int32_t> (*make_index)(std::int64_t elements, std::uint64_t seed) = nullptr;  // null: no index
  double flops = 0, bytes = 0;
  kernels::Traffic traffic;
  std::function<device::Support(const device::Facts&)> supports;
  std::function<void(const float* in, const std::int32_t* index, float* out, device::Stream&)> launch;
  std::function<kernels::Deviation(device::Device&, const RandomFloats& in, const float* out, std::uint64_t seed)>
      deviation;

  /// Not more than one execution touches: some patterns skip most of an array, and a CPU's written lines move twice.
  double touched() const { return std::min(memory(), traffic.moved_bytes / 2); }
  double memory() const { return 4.0 * static_cast<double>(inputs + outputs + (make_index == nullptr ? 0 : outputs)); }
};

/// The buffer sets of one case, filled.
struct Data {
  struct Set {
    measure::InputPool::View in;
    device::Buffer<std::int32_t> index;
    device::Buffer<float> out;
  };
  std::vector<Set> sets;
};

measure::Workload prepare(const Pattern& pattern, measure::Setup& setup) {
  auto data = std::make_shared<Data>();
  const std::size_t sets = setup.sets(static_cast<std::size_t>(pattern.touched()));
  std::vector<std::int32_t> index;
  if (pattern.make_index != nullptr) index = pattern.make_index(pattern.outputs, setup.seed);
  for (std::size_t set = 0; set < sets; ++set)
    data->sets.push_back({setup.inputs.take(DType::f32, setup.distribution, static_cast<std::size_t>(pattern.inputs)),
                          device::Buffer<std::int32_t>(setup.device, index),
                          device::Buffer<float>(setup.device, static_cast<std::size_t>(pattern.outputs))});
  std::vector<record::Metric> metrics{{"moved_bytes", pattern.traffic.moved_bytes, "B", record::Direction::lower}};
  if (pattern.traffic.sectors_per_request)
    metrics.push_back({"sectors_per_request", *pattern.traffic.sectors_per_request, "1", record::Direction::lower});
  return {
      .flops = pattern.flops,
      .bytes = pattern.bytes,
      .sets = sets,
      .launch =
          [=](std::size_t set, device::Stream& stream) {
            const Data::Set& of = data->sets[set];
            pattern.launch(static_cast<const float*>(of.in.data), of.index.data(), of.out.data(), stream);
          },
      .poison = [=](std::size_t set) { data->sets[set].out.poison(); },
      .verify =
          [=, &device = setup.device, pool_seed = setup.inputs.seed(), seed = setup.seed,
           distribution = setup.distribution](std::size_t set) {
            const Data::Set& of = data->sets[set];
            const kernels::Deviation found =
                pattern.deviation(device, {distribution, pool_seed, of.in.first_index}, of.out.data(), seed);
            return record::Verification{found.error, found.tolerance};
          },
      .metrics = std::move(metrics),
  };
}

worker::Case make_case(std::string variant, device::Kind kind, std::string_view idea,
                       std::vector<record::Field> problem, const Pattern& pattern) {
  worker::Case result;
  result.info.id = {"coalescing", std::move(variant), "f32", std::move(problem), {}};
  result.info.device_kind = kind;
  result.info.idea = idea;
  if (pattern.flops > 0) result.info.flops = pattern.flops;
  result.info.bytes = pattern.bytes;
  result.supports = pattern.supports;
  result.memory = [memory = pattern.memory()](const device::Facts&) { return memory; };
  result.prepare = [pattern](measure::Setup& setup) { return prepare(pattern, setup); };
  return result;
}

record::Field field(const char* key, std::int64_t value) { return {key, std::to_string(value)}; }

worker::Case copying(const kernels::Named<memory::Variant>& named, const memory::Problem& problem,
                     std::vector<record::Field> fields) {
  const memory::Variant variant = named.variant;
  fields.push_back(field("elements", problem.elements));
  return make_case(
      std::string(named.name), named.kind, variant.idea, std::move(fields),
      {.inputs = problem.elements,
       .outputs = problem.elements,
       .bytes = problem.bytes(),
       .traffic = variant.traffic(problem),
       .supports = [=](const device::Facts& facts) { return variant.supports(problem, facts); },
       .launch =
           [=](const float* in, const std::int32_t*, float* out, device::Stream& stream) {
             variant.launch(problem, {in, out}, stream);
           },
       .deviation = [=](device::Device& device, const RandomFloats& in, const float* out,
                        std::uint64_t seed) { return memory::deviation(device, problem, in, out, seed); }});
}

/// The random order is called after the variant, its sequential twin "sequential".
worker::Case gathering(const kernels::Named<gather::Variant>& named, const gather::Problem& problem) {
  const gather::Variant variant = named.variant;
  const bool random = problem.order == gather::Order::random;
  return make_case(
      random ? std::string(named.name) : "sequential", named.kind,
      random ? variant.idea : "the same through an index that counts up", {field("elements", problem.elements)},
      {.inputs = problem.elements,
       .outputs = problem.elements,
       .make_index =
           random ? [](std::int64_t elements,
                       std::uint64_t seed) { return gather::make_index({elements, gather::Order::random}, seed); }
                  : [](std::int64_t elements,
                       std::uint64_t seed) { return gather::make_index({elements, gather::Order::sequential}, seed); },
       .bytes = problem.bytes(),
       .traffic = variant.traffic(problem),
       .supports = [=](const device::Facts& facts) { return variant.supports(problem, facts); },
       .launch =
           [=](const float* in, const std::int32_t* index, float* out, device::Stream& stream) {
             variant.launch(problem, {in, index, out}, stream);
           },
       .deviation = [=](device::Device& device, const RandomFloats& in, const float* out,
                        std::uint64_t seed) { return gather::deviation(device, problem, in, seed, out, seed); }});
}

worker::Case summing(const kernels::Named<records::Variant>& named, const records::Problem& problem) {
  const records::Variant variant = named.variant;
  return make_case(std::string(named.name), named.kind, variant.idea,
                   {field("used", problem.used), field("elements", problem.elements)},
                   {.inputs = problem.elements * records::fields,
                    .outputs = problem.elements,
                    .flops = problem.flops(),
                    .bytes = problem.bytes(),
                    .traffic = variant.traffic(problem),
                    .supports = [=](const device::Facts& facts) { return variant.supports(problem, facts); },
                    .launch =
                        [=](const float* in, const std::int32_t*, float* out, device::Stream& stream) {
                          variant.launch(problem, {in, out}, stream);
                        },
                    .deviation =
                        [=](device::Device& device, const RandomFloats& in, const float* out, std::uint64_t seed) {
                          return records::deviation(device, problem, variant.layout, in, out, seed);
                        }});
}

worker::Case transposing(const kernels::Named<transpose::Variant>& named, const transpose::Problem& problem) {
  const transpose::Variant variant = named.variant;
  return make_case(
      "transpose_" + std::string(named.name), named.kind, variant.idea,
      {field("rows", problem.rows), field("cols", problem.cols)},
      {.inputs = problem.elements(),
       .outputs = problem.elements(),
       .bytes = problem.bytes(),
       .traffic = variant.traffic(problem),
       .supports = [=](const device::Facts& facts) { return variant.supports(problem, facts); },
       .launch =
           [=](const float* in, const std::int32_t*, float* out, device::Stream& stream) {
             variant.launch(problem, {in, out}, stream);
           },
       .deviation = [=](device::Device& device, const RandomFloats& in, const float* out,
                        std::uint64_t seed) { return transpose::deviation(device, problem, in, out, seed); }});
}

/// Elements of the larger array of a case. The smallest of each sweep is meant for tests, all others for DRAM.
/// An emulated device counts the same of each element of a large array as of a small one.
std::vector<std::int64_t> sizes(device::Kind kind) {
  if (kind == device::Kind::emulated) return {1 << 16, 1 << 18, 1 << 20, 1 << 22};
  if (kind == device::Kind::cuda) return {1 << 20, 1 << 24, 1 << 26, 1 << 28};
  return {1 << 20, 1 << 22, 1 << 24, 1 << 26};
}

}  // namespace

worker::Suite coalescing() {
  worker::Suite suite{"coalescing", "What does it cost when neighbouring threads do not touch neighbouring bytes?", {}};
  std::vector<worker::Case>& cases = suite.cases;
  for (const auto& named : memory::variants())
    for (const std::int64_t elements : sizes(named.kind)) {
      if (named.name == "strided")
        for (const std::int64_t stride : {1, 2, 4, 8, 16, 32})
          cases.push_back(copying(named, {elements, stride, 0, 4}, {field("stride", stride)}));
      if (named.name == "offset")
        for (const std::int64_t offset : {0, 1, 2, 4, 8, 16, 31})
          cases.push_back(copying(named, {elements, 1, offset, 4}, {field("offset", offset)}));
      if (named.name == "wide")
        for (const int width : {4, 8, 16})
          cases.push_back(copying(named, {elements, 1, 0, width}, {field("width", width)}));
    }
  for (const auto& named : gather::variants())
    for (const std::int64_t elements : sizes(named.kind))
      for (const gather::Order order : {gather::Order::sequential, gather::Order::random})
        cases.push_back(gathering(named, {elements, order}));
  for (const auto& named : records::variants())
    for (const std::int64_t elements : sizes(named.kind))
      for (const int used : {1, records::fields}) cases.push_back(summing(named, {elements / records::fields, used}));
  for (const auto& named : transpose::variants())
    for (const std::int64_t elements : sizes(named.kind)) {
      std::int64_t edge = 1;
      while (edge * edge < elements) edge *= 2;
      cases.push_back(transposing(named, {edge, edge}));
    }
  return suite;
}

}  // namespace ridgeline::suites
