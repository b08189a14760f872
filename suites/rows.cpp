#include "kernels/rows/rows.hpp"

#include "kernels/rows/oracle.hpp"
#include "kernels/stream/stream.hpp"
#include "suites/cases.hpp"

// How near does an operation come to a copy of the same bytes, when it needs sums over a row before
// it can write the row's first element?

namespace ridgeline::suites {
namespace {

using rows::Operation;
using rows::Problem;
using rows::Variant;
using Named = kernels::Named<Variant>;

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  struct Others {  // shared by all buffer sets
    Input gamma, beta, rstd, mean;
    device::Buffer<std::byte> workspace;
  };
  const auto parameter = [&] { return Input(setup, problem.dtype, problem.cols); };
  const auto kept = [&] { return Input(setup, DType::f32, problem.rows); };
  const auto others = std::make_shared<Others>(Others{
      parameter(), parameter(), kept(), kept(), {setup.device, workspace_of(variant, problem)}});
  const measure::Sets count = setup.sets(static_cast<std::size_t>(problem.bytes()));
  std::vector<std::int64_t> inputs{problem.elements()};  // x and, backward, dy
  if (problem.is_backward()) inputs.push_back(problem.elements());
  const BufferSets sets = fill_sets(setup, count, problem.dtype, inputs, problem.output_bytes());
  sets->shared = {others->gamma, others->beta, others->rstd, others->mean};
  measure::Workload workload = make_workload(
      problem.flops(), problem.bytes(), sets,
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(
            problem,
            {of.in.front().data, of.in.back().data, others->gamma.data, others->beta.data,
             others->rstd.floats(), others->mean.floats(), of.out.data(), others->workspace.data()},
            stream);
      },
      [=, &device = setup.device](const BufferSet& of) {
        const kernels::RandomFloats& x = of.in.front().values;
        return rows::deviation(
            device, problem,
            {x.distribution, x.seed, x.first, of.in.back().values.first, others->gamma.values.first,
             others->beta.values.first, others->rstd.values.first, others->mean.values.first},
            of.out.data());
      });
  workload.metrics = {
      {"moved_bytes",
       static_cast<double>(variant.accesses) * static_cast<double>(problem.elements()) *
           static_cast<double>(size_of(problem.dtype)),
       "B", record::Direction::lower},
      {"kernels", static_cast<double>(variant.kernels), "1", record::Direction::lower}};
  return workload;
}

/// Rows and columns. An emulated device follows every access; a GPU does its sizes, too, so that
/// times and counts compare.
struct Shape {
  std::int64_t rows, cols;
};
std::vector<Shape> shapes_of(Operation operation, DType dtype, device::Kind kind) {
  const bool softmax = operation == Operation::softmax;
  std::vector<Shape> shapes{{64, 1024}};
  if (softmax) shapes.push_back({16, 32768});
  if (kind == device::Kind::emulated) return shapes;
  if (softmax)  // the scores of attention, and the words of a language model
    shapes.insert(shapes.end(), {{16384, 4096}, {16384, 131072}});
  else if (dtype == DType::f32)
    shapes.push_back({8192, 8192});
  else  // tokens, and widths of language models
    shapes.insert(shapes.end(), {{1024, 12288}, {16384, 4096}, {8192, 8192}, {4096, 16384}});
  return shapes;
}

/// The yardstick: a copy that reads and writes as many bytes.
worker::Case copying(const kernels::Named<stream::Variant>& named, std::int64_t elements) {
  const auto problem_on = [elements](const device::Facts& facts) {
    return stream::Problem{.operation = stream::Operation::copy,
                           .level = kernels::Level::dram,
                           .elements = elements,
                           .units = facts.units};
  };
  std::vector<record::Field> options;
  if (named.variant.single_launches) options.push_back({"launch", "single"});
  const auto prepare_copy = [](const stream::Variant& variant, const stream::Problem& of_copy,
                               measure::Setup& setup) {
    return make_workload(
        0, of_copy.bytes(),
        fill_sets(setup, setup.sets(static_cast<std::size_t>(of_copy.bytes())), DType::f32,
                  {of_copy.elements}, 4 * of_copy.elements),
        [=](const BufferSet& of, device::Stream& stream) {
          variant.launch(of_copy, {of.in[0].floats(), nullptr, of.out.data()}, stream);
        },
        [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
          const kernels::RandomFloats& values = of.in[0].values;
          return stream::deviation(device, of_copy, values, values, of.out.data(), seed);
        });
  };
  worker::Case result = make_case(
      {"rows",
       std::string(named.name),
       "f32",
       {{"operation", "copy"}, field("elements", elements)},
       std::move(options)},
      named, problem_on,
      [](const stream::Variant&, const stream::Problem& of) { return 2 * of.bytes(); },
      prepare_copy);
  result.info.bytes = problem_on({}).bytes();
  return result;
}

/// Floats that a copy reads to move as many bytes as the problems above: the smallest one, which an
/// emulated device counts, too; then norms forward and backward, and softmax of long rows.
constexpr std::int64_t copied[] = {
    64LL * 1024,           1024LL * 12288 / 2,    1024LL * 12288 * 3 / 4,
    8192LL * 8192 / 2,     8192LL * 8192 * 3 / 4, 8192LL * 8192,
    8192LL * 8192 * 3 / 2, 16384 * 131072LL / 2,  16384 * 131072LL};

}  // namespace

worker::Suite rows() {
  worker::Suite suite{
      "rows", "How near to a copy is an operation that needs sums over rows before it writes?", {}};
  for (const Named& named : rows::variants())
    for (const Operation operation : named.variant.operations)
      for (const DType dtype : named.variant.dtypes)
        for (const Shape& shape : shapes_of(operation, dtype, named.kind)) {
          const Problem problem{operation, shape.rows, shape.cols, dtype};
          suite.cases.push_back(make_case({"rows",
                                           std::string(named.name),
                                           std::string(to_string(dtype)),
                                           {{"operation", std::string(to_string(operation))},
                                            field("rows", shape.rows),
                                            field("cols", shape.cols)},
                                           {}},
                                          named, problem, prepare));
        }
  for (const auto& named : stream::variants())
    if (named.kind != device::Kind::cpu && named.variant.operation == stream::Operation::copy)
      for (const std::int64_t elements : copied) {
        if (named.kind == device::Kind::emulated && elements != copied[0]) break;
        suite.cases.push_back(copying(named, elements));
      }
  return suite;
}

}  // namespace ridgeline::suites
