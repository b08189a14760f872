#include "kernels/occupancy/occupancy.hpp"

#include <algorithm>

#include "kernels/simd/vectors.hpp"
#include "suites/cases.hpp"

// How much must be in flight before a device is busy, and does it matter how it came about?

namespace ridgeline::suites {
namespace {

using occupancy::Limit;
using occupancy::Operation;
using occupancy::Problem;
using occupancy::Variant;
using Named = kernels::Named<Variant>;

/// What only the device knows of a problem.
Problem on_device(Problem problem, const device::Facts& facts) {
  if (facts.kind == device::Kind::cpu) {
    problem.vector = simd::shape().floats;
  } else {
    problem.units = facts.units;
    problem.shared_per_unit = facts.shared_per_unit;
  }
  return problem;
}

std::int64_t inputs(const Problem& problem) {
  return problem.operation == Operation::load ? problem.elements : problem.lanes();
}

double memory(const Variant&, const Problem& problem) {
  return 4.0 * static_cast<double>(2 * inputs(problem) + problem.outputs());
}

/// Warps that ran on an SM at a time, counted in one launch that is not timed.
double count_warps(const Variant& variant, const Problem& problem, const float* in, void* out,
                   device::Device& device) {
  const std::vector<std::uint32_t> zeros(std::size_t{2} * occupancy::census_units, 0);
  const device::Buffer<std::uint32_t> census(device, zeros);
  variant.launch(problem, {in, out, census.data()}, device.stream());
  device.synchronize();
  return occupancy::warps_that_ran(census.download(), variant.predict(problem, device.facts()));
}

std::vector<record::Metric> metrics_of(const Variant& variant, const Problem& problem,
                                       const float* in, void* out, device::Device& device) {
  std::vector<record::Metric> metrics;
  const auto fact = [&](const char* name, double value, const char* unit) {
    metrics.push_back({name, value, unit, record::Direction::none});
  };
  if (problem.operation == Operation::load) fact("bytes_in_flight", problem.bytes_in_flight(), "B");
  if (variant.predict == nullptr) {
    fact("occupancy_predicted", static_cast<double>(problem.parallel) / device.facts().units,
         "fraction");
  } else {
    const double most = device.facts().max_threads_per_unit / 32.0;
    fact("occupancy_predicted", variant.predict(problem, device.facts()).warps() / most,
         "fraction");
    if (device.facts().kind == device::Kind::cuda)
      fact("occupancy_ran", count_warps(variant, problem, in, out, device) / most, "fraction");
  }
  return metrics;
}

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const measure::Sets count =
      problem.operation == Operation::load
          ? setup.sets(4 * static_cast<std::size_t>(inputs(problem) + problem.outputs()))
          : setup.fewest_sets();
  const BufferSets sets =
      fill_sets(setup, count, DType::f32, {inputs(problem)}, 4 * problem.outputs());
  measure::Workload workload = make_workload(
      problem.flops(), problem.bytes(), sets,
      [=](const BufferSet& of, device::Stream& stream) {
        variant.launch(problem, {of.in[0].floats(), of.out.data()}, stream);
      },
      [=, &device = setup.device, seed = setup.seed](const BufferSet& of) {
        return occupancy::deviation(device, problem, of.in[0].values, of.out.data(), seed);
      });
  const BufferSet first = buffers_of(*sets, {});
  workload.metrics =
      metrics_of(variant, problem, first.in[0].floats(), first.out.data(), setup.device);
  return workload;
}

worker::Case make_case(const Named& named, const Problem& problem) {
  const bool load = problem.operation == Operation::load, cpu = problem.limit == Limit::threads;
  std::vector<record::Field> fields;
  if (!cpu) fields.push_back({"limit", std::string(occupancy::to_string(problem.limit))});
  fields.push_back(field(cpu ? "threads" : "warps", problem.parallel));
  fields.push_back(field(load ? "loads" : "chains", problem.independent));
  if (load && !cpu) fields.push_back(field("width", problem.width));
  if (load) fields.push_back(field("elements", problem.elements));
  worker::Case result = suites::make_case(
      {"occupancy", std::string(named.name), "f32", std::move(fields), {}}, named,
      [=](const device::Facts& facts) { return on_device(problem, facts); }, memory, prepare);
  if (load) result.info.bytes = problem.bytes();
  return result;
}

/// About as much work however it is divided, and an odd number of rounds, so that the result
/// differs from the input.
std::int64_t rounds_for(int parallel, int independent, std::int64_t least) {
  return std::max<std::int64_t>(least, 2048 / (parallel * independent)) | 1;
}

void add_cpu(const Named& named, std::vector<worker::Case>& cases) {
  for (const int threads : {1, 2, 4, 8, 16, 32, 64, 128})
    for (const int independent : {1, 2, 4, 8, 16}) {
      Problem problem{
          .operation = named.variant.operation, .parallel = threads, .independent = independent};
      problem.width = 64;
      problem.elements = 1 << 20;  // 4 MiB, other ones for each execution: rotation keeps them out
                                   // of the caches
      problem.rounds = rounds_for(1, independent, 129);
      cases.push_back(make_case(named, problem));
    }
}

void add_cuda(const Named& named, std::vector<worker::Case>& cases) {
  for (const Limit limit : {Limit::block, Limit::registers, Limit::shared})
    for (const int warps : {1, 2, 4, 8, 16, 32, 64})
      for (const int independent : {1, 2, 4, 8, 16})
        for (const int width : {4, 8, 16}) {
          if (limit == Limit::registers && (warps < 8 || warps > 32)) continue;
          if (limit == Limit::shared && warps < 4) continue;
          // Wider loads are a question for one limit, and none at all for multiply-adds.
          if (width > 4 && (limit != Limit::block || named.variant.operation == Operation::fma))
            continue;
          Problem problem{.operation = named.variant.operation,
                          .limit = limit,
                          .parallel = warps,
                          .independent = independent,
                          .width = width};
          problem.rounds = rounds_for(warps, independent, 9);
          // An emulated device follows each load; a GPU does the same size, too, so that times and
          // counts compare.
          std::vector<std::int64_t> sizes{0};
          if (named.variant.operation == Operation::load) sizes = {1 << 20};
          if (named.variant.operation == Operation::load && named.kind == device::Kind::cuda)
            sizes.push_back(1 << 26);
          for (const std::int64_t elements : sizes) {
            problem.elements = elements;
            cases.push_back(make_case(named, problem));
          }
        }
}

}  // namespace

worker::Suite occupancy() {
  worker::Suite suite{
      "occupancy",
      "How much must be in flight before a device is busy, and does it matter how it came about?",
      {}};
  for (const Named& named : occupancy::variants())
    (named.kind == device::Kind::cpu ? add_cpu : add_cuda)(named, suite.cases);
  return suite;
}

}  // namespace ridgeline::suites
