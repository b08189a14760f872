#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/arithmetic/arithmetic.hpp"
#include "kernels/chase/chase.hpp"
#include "kernels/device_oracle.hpp"
#include "kernels/divergence/divergence.hpp"
#include "kernels/gather/gather.hpp"
#include "kernels/memory/memory.hpp"
#include "kernels/occupancy/occupancy.hpp"
#include "kernels/records/records.hpp"
#include "kernels/stream/stream.hpp"
#include "kernels/tensor/tensor.hpp"
#include "kernels/transpose/transpose.hpp"
#include "kernels/warpgroup/warpgroup.hpp"

// How long a GPU's oracles take to verify an output, and how long the CPU's, on the output of a
// variant that both must find right; and how long inputs take that either of them makes.
namespace ridgeline::suites {
namespace {

using kernels::Deviation;
using kernels::Judge;
using kernels::Level;
using kernels::RandomFloats;
using kernels::Table;

constexpr std::int64_t elements = 1 << 26;
const RandomFloats first_input{device::Distribution::uniform, 5, 1000},
    second_input{device::Distribution::uniform, 6, 7};

/// A GPU, inputs that suffice for every subject, and an output.
struct Lab {
  std::unique_ptr<device::Device> device;
  device::Buffer<float> a, b;
  device::Buffer<double> out;
  device::Buffer<std::int32_t> index;

  Lab() {
    for (const device::Facts& facts : device::discover().devices)
      if (facts.kind == device::Kind::cuda && !device) device = device::open(facts.id);
    if (!device) return;
    a = device::Buffer<float>(*device, std::size_t{8} * elements);
    b = device::Buffer<float>(*device, std::size_t{elements});
    out = device::Buffer<double>(*device, std::size_t{elements});
    index = device::Buffer<std::int32_t>(*device, std::size_t{elements});
    fill(a, first_input);
    fill(b, second_input);
  }
  float* floats() const { return reinterpret_cast<float*>(out.data()); }
  const device::Facts& facts() const { return device->facts(); }
  device::Stream& stream() const { return device->stream(); }

 private:
  void fill(device::Buffer<float>& memory, const RandomFloats& values) const {
    device->fill(memory.data(), DType::f32, memory.size(), values.distribution, values.seed,
                 values.first);
  }
};

/// Made once and never destroyed: what it holds goes with the process.
const Lab& the_lab() {
  static const Lab& made = *new Lab;
  return made;
}

/// What both kinds of oracles do: `run` says whether what it found is right. It can be done where
/// `can` says so, after `prepare`.
struct Task {
  std::string name;
  std::function<bool(const Lab&)> can;
  std::function<void(const Lab&)> prepare;
  std::function<bool(const Lab&)> run;
};
using Tasks = std::vector<Task>;

/// Every CUDA variant of a family, on `problem_on(variant, facts)`, with `operands(lab)`, verified
/// by `deviate(lab, variant, problem)`.
template <class Variant, class ProblemOn, class Operands, class Deviate>
void add(Tasks& tasks, const std::string& name, const Table<Variant>& variants,
         ProblemOn problem_on, Operands operands, Deviate deviate) {
  for (const auto& [called, kind, variant] : variants) {
    if (kind != device::Kind::cuda) continue;
    const auto problem = [=, each = variant](const Lab& lab) {
      return problem_on(each, lab.facts());
    };
    tasks.push_back(
        {"verify/" + name + "/" + std::string(called),
         [=, each = variant](const Lab& lab) {
           return static_cast<bool>(each.supports(problem(lab), lab.facts()));
         },
         [=, each = variant](const Lab& lab) {
           lab.device->poison(lab.out.data(), lab.out.bytes());
           each.launch(problem(lab), operands(lab), lab.stream());
         },
         [=, each = variant](const Lab& lab) { return deviate(lab, each, problem(lab)).right(); }});
  }
}

void add_moves(Tasks& tasks) {
  const auto in_and_out = [](const Lab& lab) {
    return memory::Operands{lab.a.data(), lab.floats()};
  };
  const auto copied = [](const Lab& lab, const memory::Variant&, const memory::Problem& problem) {
    return deviation(*lab.device, problem, first_input, lab.floats(), 1);
  };
  add(
      tasks, "memory", memory::variants(),
      [](const memory::Variant&, const device::Facts&) {
        return memory::Problem{elements, 1, 0, 4};
      },
      in_and_out, copied);
  for (const int used : {1, records::fields})
    add(
        tasks, "records/used=" + std::to_string(used), records::variants(),
        [=](const records::Variant&, const device::Facts&) {
          return records::Problem{elements, used};
        },
        [](const Lab& lab) {
          return records::Operands{lab.a.data(), lab.floats()};
        },
        [](const Lab& lab, const records::Variant& variant, const records::Problem& problem) {
          return deviation(*lab.device, problem, variant.layout, first_input, lab.floats(), 1);
        });
  add(
      tasks, "transpose", transpose::variants(),
      [](const transpose::Variant&, const device::Facts&) {
        return transpose::Problem{8192, elements / 8192};
      },
      [](const Lab& lab) {
        return transpose::Operands{lab.a.data(), lab.floats()};
      },
      [](const Lab& lab, const transpose::Variant&, const transpose::Problem& problem) {
        return deviation(*lab.device, problem, first_input, lab.floats(), 1);
      });
  for (const gather::Order order : {gather::Order::sequential, gather::Order::random})
    add(
        tasks, order == gather::Order::random ? "gather" : "gather/sequential", gather::variants(),
        [=](const gather::Variant&, const device::Facts&) {
          return gather::Problem{elements, order};
        },
        [=](const Lab& lab) {
          gather::write_index(*lab.device, {elements, order}, 3, {lab.index.data()});
          return gather::Operands{lab.a.data(), lab.index.data(), lab.floats()};
        },
        [](const Lab& lab, const gather::Variant&, const gather::Problem& problem) {
          return deviation(*lab.device, problem, first_input, 3, lab.floats(), 1);
        });
  for (const Level level : {Level::dram, Level::llc, Level::l1})
    add(
        tasks, "stream/" + std::string(to_string(level)), stream::variants(),
        [=](const stream::Variant& variant, const device::Facts& facts) {
          stream::Problem problem = stream::problem_for(variant.operation, level, facts);
          problem.elements = std::min(problem.elements, elements);
          return problem;
        },
        [](const Lab& lab) {
          return stream::Operands{lab.a.data(), lab.b.data(), lab.out.data()};
        },
        [](const Lab& lab, const stream::Variant&, const stream::Problem& problem) {
          return deviation(*lab.device, problem, first_input, second_input, lab.out.data(), 1);
        });
}

void add_arithmetic(Tasks& tasks) {
  for (const std::int64_t count : {std::int64_t{1} << 18, elements})
    add(
        tasks, "divergence/elements=" + std::to_string(count), divergence::variants(),
        [=](const divergence::Variant&, const device::Facts&) {
          return divergence::Problem{count, 8};
        },
        [](const Lab& lab) {
          return divergence::Operands{lab.a.data(), lab.floats()};
        },
        [](const Lab& lab, const divergence::Variant& variant, const divergence::Problem& problem) {
          return deviation(*lab.device, problem, variant.grouping, first_input, lab.floats(), 1);
        });
  for (const DType dtype : {DType::f16, DType::f32, DType::f64})
    add(
        tasks, "arithmetic/" + std::string(to_string(dtype)), arithmetic::variants(),
        [=](const arithmetic::Variant&, const device::Facts& facts) {
          return arithmetic::problem_for(dtype, facts);
        },
        [](const Lab& lab) {
          return arithmetic::Operands{lab.a.data(), lab.out.data()};
        },
        [](const Lab& lab, const arithmetic::Variant&, const arithmetic::Problem& problem) {
          return deviation(*lab.device, problem, first_input, lab.out.data(), 1);
        });
  for (const int warps : {1, 8, 64})
    add(
        tasks, "occupancy/warps=" + std::to_string(warps), occupancy::variants(),
        [=](const occupancy::Variant& variant, const device::Facts& facts) {
          occupancy::Problem problem{.operation = variant.operation,
                                     .limit = occupancy::Limit::block,
                                     .parallel = warps,
                                     .elements = elements};
          problem.rounds = std::max(9, 2048 / warps) | 1;
          problem.units = facts.units;
          problem.shared_per_unit = facts.shared_per_unit;
          return problem;
        },
        [](const Lab& lab) {
          return occupancy::Operands{lab.a.data(), lab.out.data()};
        },
        [](const Lab& lab, const occupancy::Variant&, const occupancy::Problem& problem) {
          return deviation(*lab.device, problem, first_input, lab.out.data(), 1);
        });
  const auto add_products = [&tasks](const std::string& name, const auto& variants,
                                     auto problem_for, auto operands) {
    for (const DType dtype : {DType::f16, DType::bf16, DType::tf32})
      add(
          tasks, name + "/" + std::string(to_string(dtype)), variants,
          [=](const auto&, const device::Facts& facts) { return problem_for(dtype, facts); },
          operands,
          [](const Lab& lab, const auto&, const auto& problem) {
            return deviation(*lab.device, problem, first_input, second_input, lab.floats(), 1);
          });
  };
  add_products("tensor", tensor::variants(), tensor::problem_for, [](const Lab& lab) {
    return tensor::Operands{lab.a.data(), lab.b.data(), lab.floats()};
  });
  add_products("warpgroup", warpgroup::variants(), warpgroup::problem_for, [](const Lab& lab) {
    return warpgroup::Operands{lab.a.data(), lab.b.data(), lab.floats()};
  });
}

void add_inputs(Tasks& tasks) {
  const auto add_input = [&](const char* name, auto make) {
    tasks.push_back({name, [](const Lab&) { return true; }, [](const Lab&) {},
                     [make](const Lab& lab) {
                       make(lab);
                       lab.device->synchronize();
                       return true;
                     }});
  };
  add_input("make/index", [](const Lab& lab) {
    gather::write_index(*lab.device, {elements, gather::Order::random}, 3, {lab.index.data()});
  });
  add_input("make/lines", [](const Lab& lab) {
    chase::Problem problem = chase::problem_for(Level::dram, lab.facts());
    problem.lines =
        std::min(problem.lines, static_cast<std::int64_t>(lab.out.bytes()) / problem.line_bytes);
    chase::write_lines(*lab.device, problem, 3, lab.out.data());
  });
}

const Tasks& all_tasks() {
  static const Tasks all = [] {
    Tasks tasks;
    add_moves(tasks);
    add_arithmetic(tasks);
    add_inputs(tasks);
    return tasks;
  }();
  return all;
}

void oracle(benchmark::State& state) {
  const Task& task = all_tasks().at(static_cast<std::size_t>(state.range(0)));
  const auto by = static_cast<Judge>(state.range(1));
  state.SetLabel(task.name + (by == Judge::device ? " on the GPU" : " on the CPU"));
  const Lab& lab = the_lab();
  if (!lab.device) return state.SkipWithError("there is no GPU");
  if (!task.can(lab)) return state.SkipWithError("this GPU cannot do it");
  kernels::judge() = by;
  task.prepare(lab);
  lab.device->synchronize();
  bool right = task.run(lab);  // the first time, a GPU's oracle is judged as well
  while (state.KeepRunning()) right = task.run(lab) && right;
  kernels::judge() = Judge::by_kind;
  if (!right) state.SkipWithError("the output is wrong");
}

void each_task_on_both(benchmark::internal::Benchmark* of) {
  for (std::size_t task = 0; task < all_tasks().size(); ++task)
    for (const Judge by : {Judge::device, Judge::cpu})
      of->Args({static_cast<std::int64_t>(task), static_cast<std::int64_t>(by)});
}

BENCHMARK(oracle)->Apply(each_task_on_both)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ridgeline::suites
