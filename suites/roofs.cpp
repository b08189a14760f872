#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/arithmetic/arithmetic.hpp"
#include "kernels/chase/chase.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/tensor/tensor.hpp"
#include "kernels/warpgroup/warpgroup.hpp"

// What is the best that this device can do? The ceilings that all other suites are read against. Working sets follow
// the device's caches, so that a case's bytes and FLOPs are known only when it is prepared; a case that lies in a cache
// has one buffer set.

namespace ridgeline::suites {
namespace {

using kernels::Level;
using kernels::RandomFloats;

worker::Case make_case(std::string variant, DType dtype, std::vector<record::Field> problem, device::Kind kind,
                       std::string_view idea, std::string roof) {
  worker::Case result;
  result.info.id = {"roofs", std::move(variant), std::string(to_string(dtype)), std::move(problem), {}};
  result.info.device_kind = kind;
  result.info.idea = idea;
  result.info.roof = std::move(roof);
  return result;
}

/// `count` random floats of the pool, and what the oracle needs to make them again.
struct Input {
  Input(measure::Setup& setup, std::int64_t count)
      : view(setup.inputs.take(DType::f32, setup.distribution, static_cast<std::size_t>(count))),
        values{setup.distribution, setup.inputs.seed(), view.first_index} {}
  const float* data() const { return static_cast<const float*>(view.data); }

  measure::InputPool::View view;
  RandomFloats values;
};

record::Verification verification(const kernels::Deviation& found) { return {found.error, found.tolerance}; }

measure::Workload prepare_stream(const stream::Variant& variant, const stream::Problem& problem,
                                 measure::Setup& setup) {
  const Input a(setup, problem.elements),
      b(setup, problem.operation == stream::Operation::triad ? problem.elements : 0);
  auto out = std::make_shared<device::Buffer<std::uint32_t>>(setup.device, static_cast<std::size_t>(problem.outputs()));
  return {
      .flops = problem.flops(),
      .bytes = problem.bytes(),
      .sets = 1,
      .launch =
          [=](std::size_t, device::Stream& stream) {
            variant.launch(problem, {a.data(), b.data(), out->data()}, stream);
          },
      .poison = [=](std::size_t) { out->poison(); },
      .verify =
          [=, &device = setup.device, seed = setup.seed](std::size_t) {
            return verification(stream::deviation(device, problem, a.values, b.values, out->data(), seed));
          },
      .metrics = {},
  };
}

worker::Case bandwidth(const kernels::Named<stream::Variant>& named, Level level) {
  const stream::Variant variant = named.variant;
  const std::string where(kernels::to_string(level)), what(named.name);
  worker::Case result = make_case(what, DType::f32, {{"level", where}}, named.kind, variant.idea, where + "." + what);
  const auto problem = [=](const device::Facts& facts) { return stream::problem_for(variant.operation, level, facts); };
  result.supports = [=](const device::Facts& facts) { return variant.supports(problem(facts), facts); };
  result.memory = [=](const device::Facts& facts) {
    return 4.0 * static_cast<double>(problem(facts).elements) * problem(facts).arrays();
  };
  result.prepare = [=](measure::Setup& setup) { return prepare_stream(variant, problem(setup.device.facts()), setup); };
  return result;
}

measure::Workload prepare_arithmetic(const arithmetic::Variant& variant, const arithmetic::Problem& problem,
                                     measure::Setup& setup) {
  const Input in(setup, problem.lanes);
  auto out = std::make_shared<device::Buffer<std::byte>>(
      setup.device, static_cast<std::size_t>(problem.lanes) * size_of(problem.dtype));
  return {
      .flops = problem.flops(),
      .bytes = problem.bytes(),
      .sets = 1,
      .launch =
          [=](std::size_t, device::Stream& stream) {
            variant.launch(problem, {in.data(), out->data()}, stream);
          },
      .poison = [=](std::size_t) { out->poison(); },
      .verify =
          [=, &device = setup.device, seed = setup.seed](std::size_t) {
            return verification(arithmetic::deviation(device, problem, in.values, out->data(), seed));
          },
      .metrics = {},
  };
}

worker::Case multiply_adds(const kernels::Named<arithmetic::Variant>& named, DType dtype) {
  const arithmetic::Variant variant = named.variant;
  const std::string type(to_string(dtype));
  worker::Case result = make_case(std::string(named.name), dtype, {}, named.kind, variant.idea, "fma." + type);
  const auto problem = [=](const device::Facts& facts) { return arithmetic::problem_for(dtype, facts); };
  result.supports = [=](const device::Facts& facts) { return variant.supports(problem(facts), facts); };
  result.memory = [=](const device::Facts& facts) { return problem(facts).bytes(); };
  result.prepare = [=](measure::Setup& setup) {
    return prepare_arithmetic(variant, problem(setup.device.facts()), setup);
  };
  return result;
}

/// Tensor-core products, of a warp (family tensor) or of a warpgroup.
template <class Variant, class Problem>
measure::Workload prepare_products(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const Input a(setup, problem.left()), b(setup, problem.right());
  auto d = std::make_shared<device::Buffer<float>>(setup.device, static_cast<std::size_t>(problem.outputs()));
  return {
      .flops = problem.flops(),
      .bytes = problem.bytes(),
      .sets = 1,
      .launch =
          [=](std::size_t, device::Stream& stream) {
            variant.launch(problem, {a.data(), b.data(), d->data()}, stream);
          },
      .poison = [=](std::size_t) { d->poison(); },
      .verify =
          [=, &device = setup.device, seed = setup.seed](std::size_t) {
            return verification(deviation(device, problem, a.values, b.values, d->data(), seed));
          },
      .metrics = {},
  };
}

/// `problem_for` sizes the problem for the element type and the device.
template <class Variant, class ProblemFor>
worker::Case tensor_products(std::string name, const kernels::Named<Variant>& named, DType dtype,
                             ProblemFor problem_for) {
  const Variant variant = named.variant;
  worker::Case result =
      make_case(std::move(name), dtype, {}, named.kind, variant.idea, "tensor." + std::string(to_string(dtype)));
  const auto problem = [=](const device::Facts& facts) { return problem_for(dtype, facts); };
  result.supports = [=](const device::Facts& facts) { return variant.supports(problem(facts), facts); };
  result.memory = [=](const device::Facts& facts) { return problem(facts).bytes(); };
  result.prepare = [=](measure::Setup& setup) {
    return prepare_products(variant, problem(setup.device.facts()), setup);
  };
  return result;
}

/// The buffer sets are places to start from on one cycle, so that none meets lines that another has left in a cache.
measure::Workload prepare_chase(const chase::Variant& variant, const chase::Problem& problem, measure::Setup& setup) {
  struct Data {
    std::vector<std::uint32_t> order;
    device::Buffer<std::uint64_t> lines, ends;
    std::uint64_t address_of(const chase::Problem& problem, std::uint32_t line) const {
      return reinterpret_cast<std::uint64_t>(lines.data()) +
             std::uint64_t{line} * static_cast<unsigned>(problem.line_bytes);
    }
  };
  auto data = std::make_shared<Data>();
  data->order = chase::make_order(problem, setup.seed);
  data->lines = device::Buffer<std::uint64_t>(setup.device, problem.bytes() / sizeof(std::uint64_t));
  data->ends = device::Buffer<std::uint64_t>(setup.device, problem.starts());
  const std::vector<std::uint64_t> image = chase::make_lines(problem, data->order, data->lines.data());
  setup.device.upload(data->lines.data(), image.data(), data->lines.bytes());
  return {
      .sets = problem.starts(),
      .launch =
          [=](std::size_t set, device::Stream& stream) {
            const std::uint64_t begin = data->address_of(problem, chase::begin_of(problem, data->order, set));
            variant.launch(problem, {reinterpret_cast<const void*>(begin), data->ends.data() + set}, stream);
          },
      .poison = [=, &device = setup.device](
                    std::size_t set) { device.poison(data->ends.data() + set, sizeof(std::uint64_t)); },
      .verify =
          [=, &device = setup.device](std::size_t set) {
            std::uint64_t end = 0;
            device.download(&end, data->ends.data() + set, sizeof end);
            const std::uint64_t right = data->address_of(problem, chase::end_of(problem, data->order, set));
            return record::Verification{end == right ? 0.0 : 1.0, 0.0};
          },
      .metrics = {{"loads", static_cast<double>(problem.loads), "1", record::Direction::none}},
      .timed_metrics =
          [loads = static_cast<double>(problem.loads)](double median_ns) {
            return std::vector<record::Metric>{{"latency", median_ns / loads, "ns", record::Direction::lower}};
          },
  };
}

worker::Case latency(const kernels::Named<chase::Variant>& named, Level level) {
  const chase::Variant variant = named.variant;
  const std::string where(kernels::to_string(level));
  worker::Case result =
      make_case(std::string(named.name), DType::u8, {{"level", where}}, named.kind, variant.idea, "latency." + where);
  const auto problem = [=](const device::Facts& facts) { return chase::problem_for(level, facts); };
  result.supports = [=](const device::Facts& facts) { return variant.supports(problem(facts), facts); };
  result.memory = [=](const device::Facts& facts) { return static_cast<double>(problem(facts).bytes()); };
  result.prepare = [=](measure::Setup& setup) { return prepare_chase(variant, problem(setup.device.facts()), setup); };
  return result;
}

}  // namespace

worker::Suite roofs() {
  worker::Suite suite{"roofs", "What is the best that this device can do?", {}};
  for (const auto& named : stream::variants())
    for (const Level level : {Level::dram, Level::llc, Level::l1}) suite.cases.push_back(bandwidth(named, level));
  for (const auto& named : arithmetic::variants())
    for (const DType dtype : named.variant.dtypes) suite.cases.push_back(multiply_adds(named, dtype));
  for (const auto& named : tensor::variants())
    for (const DType dtype : named.variant.dtypes)
      suite.cases.push_back(tensor_products("tensor", named, dtype, tensor::problem_for));
  for (const auto& named : warpgroup::variants())
    for (const DType dtype : named.variant.dtypes)
      suite.cases.push_back(tensor_products(std::string(named.name), named, dtype, warpgroup::problem_for));
  for (const auto& named : chase::variants())
    for (const Level level : {Level::l1, Level::l2, Level::llc, Level::dram})
      suite.cases.push_back(latency(named, level));
  return suite;
}

}  // namespace ridgeline::suites
