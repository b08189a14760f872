#include "kernels/arithmetic/arithmetic.hpp"
#include "kernels/chase/chase.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/tensor/tensor.hpp"
#include "kernels/warpgroup/warpgroup.hpp"
#include "suites/cases.hpp"

// What is the best that this device can do? The ceilings that all other suites are read against.
// Working sets follow the device's caches, so that a case's bytes and FLOPs are known only when it
// is prepared; what lies in a cache has as few buffer sets as can be.

namespace ridgeline::suites {
namespace {

using kernels::Level;

template <class Variant, class ProblemOn, class Memory, class Prepare>
worker::Case make_roof(const kernels::Named<Variant>& named, std::string_view name, DType dtype,
                       std::vector<record::Field> fields, std::vector<record::Field> options,
                       std::string roof, ProblemOn problem_on, Memory memory, Prepare prepare) {
  worker::Case result = make_case({"roofs", std::string(name), std::string(to_string(dtype)),
                                   std::move(fields), std::move(options)},
                                  named, problem_on, memory, prepare);
  result.info.roof = std::move(roof);
  return result;
}

measure::Workload prepare_stream(const stream::Variant& variant, const stream::Problem& problem,
                                 measure::Setup& setup) {
  const std::int64_t b = problem.operation == stream::Operation::triad ? problem.elements : 0;
  // Sets for a cache of twice the size: one that replaces at random keeps traces of older sets.
  const measure::Sets sets = problem.level == Level::dram
                                 ? setup.sets(static_cast<std::size_t>(problem.bytes() / 2))
                                 : setup.fewest_sets();
  return make_workload(
      problem.flops(), problem.bytes(),
      fill_sets(setup, sets, DType::f32, {problem.elements, b}, 4 * problem.outputs()),
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem, {of.in[0].floats(), of.in[1].floats(), of.out.data()}, stream);
      },
      [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
        return stream::deviation(device, problem, of.in[0].values, of.in[1].values, of.out.data(),
                                 seed);
      });
}

worker::Case bandwidth(const kernels::Named<stream::Variant>& named, Level level,
                       const stream::Shape& shape) {
  const std::string where(kernels::to_string(level));
  std::vector<record::Field> fields{{"level", where}};
  for (const auto& [key, value] :
       {std::pair("threads", shape.threads), std::pair("vectors", shape.vectors),
        std::pair("chunk", shape.chunk)})
    if (value != 0) fields.push_back(field(key, value));
  std::vector<record::Field> options;
  if (named.variant.single_launches) options.push_back({"launch", "single"});
  return make_roof(
      named, named.name, DType::f32, std::move(fields), std::move(options),
      where + "." + std::string(stream::to_string(named.variant.operation)),
      [=, operation = named.variant.operation](const device::Facts& facts) {
        stream::Problem problem = stream::problem_for(operation, level, facts);
        problem.shape = shape;
        return problem;
      },
      [](const stream::Variant&, const stream::Problem& problem) {
        return 2 * 4.0 * static_cast<double>(problem.elements) * problem.arrays();
      },
      prepare_stream);
}

/// Bytes of inputs and outputs: they are all that these cases need, and are moved once.
constexpr auto bytes_of = [](const auto&, const auto& problem) {
  return static_cast<double>(problem.bytes());
};

measure::Workload prepare_arithmetic(const arithmetic::Variant& variant,
                                     const arithmetic::Problem& problem, measure::Setup& setup) {
  const auto out_bytes = problem.lanes * static_cast<std::int64_t>(size_of(problem.dtype));
  return make_workload(
      problem.flops(), problem.bytes(),
      fill_sets(setup, setup.fewest_sets(), DType::f32, {problem.lanes}, out_bytes),
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem, {of.in[0].floats(), of.out.data()}, stream);
      },
      [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
        return arithmetic::deviation(device, problem, of.in[0].values, of.out.data(), seed);
      });
}

worker::Case multiply_adds(const kernels::Named<arithmetic::Variant>& named, DType dtype) {
  return make_roof(
      named, named.name, dtype, {}, {}, "fma." + std::string(to_string(dtype)),
      [dtype](const device::Facts& facts) { return arithmetic::problem_for(dtype, facts); },
      bytes_of, prepare_arithmetic);
}

/// The roof that products of a type set; e4m3 is what datasheets call fp8.
std::string tensor_roof(DType dtype) {
  return "tensor." + std::string(is_e4m3(dtype) ? "fp8" : to_string(dtype));
}

/// Tensor-core products, of a warp (family tensor) or of a warpgroup. `problem_for` sizes the
/// problem for the element type and the device.
template <class Variant, class ProblemFor>
worker::Case tensor_products(std::string_view name, const kernels::Named<Variant>& named,
                             DType dtype, ProblemFor problem_for) {
  return make_roof(
      named, name, dtype, {}, {}, tensor_roof(dtype),
      [=](const device::Facts& facts) { return problem_for(dtype, facts); }, bytes_of,
      [](const Variant& variant, const auto& problem, measure::Setup& setup) {
        return make_workload(
            problem.flops(), problem.bytes(),
            fill_sets(setup, setup.fewest_sets(), DType::f32, {problem.left(), problem.right()},
                      4 * problem.outputs()),
            [=](const BufferSet& of, device::Stream& stream) {
              variant.launch(problem,
                             {of.in[0].floats(), of.in[1].floats(), of.template output<float>()},
                             stream);
            },
            [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
              return deviation(device, problem, of.in[0].values, of.in[1].values,
                               of.template output<float>(), seed);
            });
      });
}

/// The buffer sets are places to start from on one cycle, so that none meets lines that another has
/// left in a cache.
measure::Workload prepare_chase(const chase::Variant& variant, const chase::Problem& problem,
                                measure::Setup& setup) {
  struct Data {
    kernels::Permutation order;
    device::Buffer<std::uint64_t> lines, ends;
    const std::byte* line_at(const chase::Problem& problem, std::uint64_t line) const {
      return reinterpret_cast<const std::byte*>(lines.data()) +
             line * static_cast<unsigned>(problem.line_bytes);
    }
  };
  auto data = std::make_shared<Data>(chase::make_order(problem, setup.seed));
  data->lines =
      device::Buffer<std::uint64_t>(setup.device, problem.bytes() / sizeof(std::uint64_t));
  const measure::Sets sets = problem.starts() == 1
                                 ? setup.fewest_sets()
                                 : measure::Sets{problem.starts(), problem.starts()};
  data->ends = device::Buffer<std::uint64_t>(setup.device, sets.outputs);
  chase::write_lines(setup.device, problem, setup.seed, data->lines.data());
  return {
      .sets = sets,
      .launch =
          [=](measure::Turn turn, device::Stream& stream) {
            const std::byte* const begin =
                data->line_at(problem, chase::begin_of(problem, data->order, turn.inputs));
            variant.launch(problem, {begin, data->ends.data() + turn.output}, stream);
          },
      .poison =
          [=, &device = setup.device](std::size_t output) {
            device.poison(data->ends.data() + output, sizeof(std::uint64_t));
          },
      .verify =
          [=, &device = setup.device](measure::Turn turn) {
            std::uint64_t end = 0;
            device.download(&end, data->ends.data() + turn.output, sizeof end);
            const auto right = reinterpret_cast<std::uint64_t>(
                data->line_at(problem, chase::end_of(problem, data->order, turn.inputs)));
            return record::Verification{end == right ? 0.0 : 1.0, 0.0, Checked::whole};
          },
      .metrics = {{"loads", static_cast<double>(problem.loads), "1", record::Direction::none}},
      .timed_metrics =
          [loads = static_cast<double>(problem.loads)](double median_ns) {
            return std::vector<record::Metric>{
                {"latency", median_ns / loads, "ns", record::Direction::lower}};
          },
  };
}

worker::Case latency(const kernels::Named<chase::Variant>& named, Level level) {
  const std::string where(kernels::to_string(level));
  return make_roof(
      named, named.name, DType::u8, {{"level", where}}, {}, "latency." + where,
      [level](const device::Facts& facts) { return chase::problem_for(level, facts); }, bytes_of,
      prepare_chase);
}

}  // namespace

worker::Suite roofs() {
  worker::Suite suite{"roofs", "What is the best that this device can do?", {}};
  for (const auto& named : stream::variants())
    for (const Level level : named.variant.levels) {
      suite.cases.push_back(bandwidth(named, level, {}));
      for (const stream::Shape& shape : named.variant.shapes)
        suite.cases.push_back(bandwidth(named, level, shape));
    }
  for (const auto& named : arithmetic::variants())
    for (const DType dtype : named.variant.dtypes)
      suite.cases.push_back(multiply_adds(named, dtype));
  for (const auto& named : tensor::variants())
    for (const DType dtype : named.variant.dtypes)
      suite.cases.push_back(tensor_products("tensor", named, dtype, tensor::problem_for));
  for (const auto& named : warpgroup::variants())
    for (const DType dtype : named.variant.dtypes)
      suite.cases.push_back(tensor_products(named.name, named, dtype, warpgroup::problem_for));
  for (const auto& named : chase::variants())
    for (const Level level : {Level::l1, Level::l2, Level::llc, Level::dram})
      suite.cases.push_back(latency(named, level));
  return suite;
}

}  // namespace ridgeline::suites
