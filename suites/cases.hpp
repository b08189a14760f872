#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/deviation.hpp"
#include "kernels/variant.hpp"

// What the cases of all suites have in common: how one is declared, what it works on, and how its
// output is checked.
namespace ridgeline::suites {

inline record::Field field(const char* key, std::int64_t value) {
  return {key, std::to_string(value)};
}

/// The case of a variant on the problem that `problem_on(facts)` makes for a device. It needs
/// `memory(variant, problem)` bytes, and `prepare(variant, problem, setup)` makes its workload.
template <class Variant, class ProblemOn, class Memory, class Prepare>
worker::Case make_case(record::CaseId id, const kernels::Named<Variant>& named,
                       ProblemOn problem_on, Memory memory, Prepare prepare) {
  worker::Case result;
  result.info.id = std::move(id);
  result.info.device_kind = named.kind;
  result.info.idea = named.variant.idea;
  const Variant variant = named.variant;
  result.supports = [=](const device::Facts& facts) {
    return variant.supports(problem_on(facts), facts);
  };
  result.memory = [=](const device::Facts& facts) { return memory(variant, problem_on(facts)); };
  result.prepare = [=](measure::Setup& setup) {
    return prepare(variant, problem_on(setup.device.facts()), setup);
  };
  return result;
}

/// For a problem that is the same on every device.
template <class Problem>
auto always(const Problem& problem) {
  return [problem](const device::Facts&) { return problem; };
}

template <class Variant, class Problem>
std::size_t workspace_of(const Variant& variant, const Problem& problem) {
  return variant.workspace == nullptr ? 0 : variant.workspace(problem);
}

/// Of inputs and outputs that are touched once each, and of the workspace.
template <class Variant, class Problem>
double memory_with_workspace(const Variant& variant, const Problem& problem) {
  return problem.bytes() + static_cast<double>(workspace_of(variant, problem));
}

/// The case of a variant, which may have a workspace, on a problem that is the same on every
/// device.
template <class Variant, class Problem, class Prepare>
worker::Case make_case(record::CaseId id, const kernels::Named<Variant>& named,
                       const Problem& problem, Prepare prepare) {
  worker::Case result = make_case(std::move(id), named, always(problem),
                                  memory_with_workspace<Variant, Problem>, prepare);
  result.info.flops = problem.flops();
  result.info.bytes = problem.bytes();
  return result;
}

/// Random elements of the pool, and what the oracle needs to make them again.
struct Input {
  Input(measure::Setup& setup, DType dtype, std::int64_t count) {
    const measure::InputPool::View view =
        setup.inputs.take(dtype, setup.distribution, static_cast<std::size_t>(count));
    data = view.data;
    values = {setup.distribution, setup.inputs.seed(), view.first_index};
  }
  const float* floats() const { return static_cast<const float*>(data); }

  const void* data;
  kernels::RandomFloats values;
};

/// What one execution reads and writes.
struct BufferSet {
  std::vector<Input> in;
  device::Buffer<std::byte> out;
  device::Buffer<std::int32_t> index;  // that an input is read through; mostly none

  template <class Element>
  Element* output() const {
    return reinterpret_cast<Element*>(out.data());
  }
};
using BufferSets = std::shared_ptr<std::vector<BufferSet>>;

/// `count` sets, each with inputs of so many elements of `dtype`, and an output of so many bytes.
inline BufferSets fill_sets(measure::Setup& setup, std::size_t count, DType dtype,
                            const std::vector<std::int64_t>& inputs, std::int64_t output_bytes) {
  auto sets = std::make_shared<std::vector<BufferSet>>(count);
  for (BufferSet& set : *sets) {
    for (const std::int64_t elements : inputs) set.in.emplace_back(setup, dtype, elements);
    set.out = device::Buffer<std::byte>(setup.device, static_cast<std::size_t>(output_bytes));
  }
  return sets;
}

/// Of executions by `launch(set, stream)`, whose outputs `check(set)` finds to deviate from the
/// oracle's.
template <class Launch, class Check>
measure::Workload make_workload(double flops, double bytes, const BufferSets& sets, Launch launch,
                                Check check) {
  return {
      .flops = flops,
      .bytes = bytes,
      .sets = sets->size(),
      .launch = [=](std::size_t set, device::Stream& stream) { launch((*sets)[set], stream); },
      .poison = [=](std::size_t set) { (*sets)[set].out.poison(); },
      .verify =
          [=](std::size_t set) {
            const kernels::Deviation found = check((*sets)[set]);
            return record::Verification{found.error, found.tolerance};
          },
      .metrics = {},
  };
}

}  // namespace ridgeline::suites
