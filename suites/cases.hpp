#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/deviation.hpp"
#include "kernels/key.hpp"
#include "kernels/variant.hpp"

// What the cases of all suites have in common: how one is declared, what it works on, and how its
// output is checked.
namespace ridgeline::suites {

inline record::Field field(const char* key, std::int64_t value) {
  return {key, std::to_string(value)};
}

/// The case of a variant on the problem that `problem_on(facts)` makes for a device. It needs
/// `memory(variant, problem)` bytes with two sets of inputs, and `prepare(variant, problem, setup)`
/// makes its workload.
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

/// What one execution needs: inputs and outputs that are touched once each, and the workspace.
template <class Variant, class Problem>
double memory_with_workspace(const Variant& variant, const Problem& problem) {
  return problem.bytes() + static_cast<double>(workspace_of(variant, problem));
}

/// `memory_with_workspace`, and other inputs for the next execution.
template <class Variant, class Problem>
double memory_of_two(const Variant& variant, const Problem& problem) {
  return problem.bytes() + memory_with_workspace(variant, problem);
}

/// The case of a variant, which may have a workspace, on a problem that is the same on every
/// device.
template <class Variant, class Problem, class Prepare>
worker::Case make_case(record::CaseId id, const kernels::Named<Variant>& named,
                       const Problem& problem, Prepare prepare) {
  worker::Case result =
      make_case(std::move(id), named, always(problem), memory_of_two<Variant, Problem>, prepare);
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

/// The buffers that a case rotates over.
struct Buffers {
  struct Inputs {
    std::vector<Input> in;
    device::Buffer<std::int32_t> index;  // that an input is read through; mostly none
  };
  std::vector<Inputs> inputs;
  std::vector<Input> shared;  // by all sets, beside their own
  std::vector<device::Buffer<std::byte>> outputs;
  double spare_bytes = 0;  // of sets that one execution does not need

  std::span<const std::byte> bits(std::size_t output) const {
    return {outputs.at(output).data(), outputs.at(output).bytes()};
  }
  /// Where in the streams of random elements a set begins.
  std::string key_of(std::size_t set) const {
    std::string key;
    for (const std::vector<Input>* each : {&inputs.at(set).in, &shared})
      for (const Input& input : *each)
        key =
            kernels::key_of(key, input.values.distribution, input.values.seed, input.values.first);
    return key;
  }
};
using BufferSets = std::shared_ptr<Buffers>;

/// What one execution reads and writes.
struct BufferSet {
  const std::vector<Input>& in;
  const device::Buffer<std::int32_t>& index;
  const device::Buffer<std::byte>& out;
  std::size_t inputs;  // which of the sets of inputs

  template <class Element>
  Element* output() const {
    return reinterpret_cast<Element*>(out.data());
  }
};

inline BufferSet buffers_of(const Buffers& buffers, measure::Turn turn) {
  const Buffers::Inputs& inputs = buffers.inputs.at(turn.inputs);
  return {inputs.in, inputs.index, buffers.outputs.at(turn.output), turn.inputs};
}

/// `count` sets, each with inputs of so many elements of `dtype`, and outputs of so many bytes.
inline BufferSets fill_sets(measure::Setup& setup, measure::Sets count, DType dtype,
                            const std::vector<std::int64_t>& inputs, std::int64_t output_bytes) {
  auto sets = std::make_shared<Buffers>();
  sets->inputs.resize(count.inputs);
  for (Buffers::Inputs& set : sets->inputs)
    for (const std::int64_t elements : inputs) {
      set.in.emplace_back(setup, dtype, elements);
      if (&set != &sets->inputs.front())
        sets->spare_bytes += static_cast<double>(elements) * static_cast<double>(size_of(dtype));
    }
  for (std::size_t i = 0; i < count.outputs; ++i)
    sets->outputs.emplace_back(setup.device, static_cast<std::size_t>(output_bytes));
  sets->spare_bytes += static_cast<double>(count.outputs - 1) * static_cast<double>(output_bytes);
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
      .sets = {sets->inputs.size(), sets->outputs.size()},
      .launch = [=](measure::Turn turn,
                    device::Stream& stream) { launch(buffers_of(*sets, turn), stream); },
      .poison = [=](std::size_t output) { sets->outputs.at(output).poison(); },
      .verify =
          [=](measure::Turn turn) {
            const kernels::Deviation found = check(buffers_of(*sets, turn));
            return record::Verification{found.error, found.tolerance, found.checked};
          },
      .spare_bytes = sets->spare_bytes,
      .metrics = {},
      .bits = [=](std::size_t output) { return sets->bits(output); },
      .inputs_key = [=](std::size_t inputs) { return sets->key_of(inputs); },
  };
}

}  // namespace ridgeline::suites
