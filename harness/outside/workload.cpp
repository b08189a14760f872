#include "harness/outside/workload.hpp"

#include <memory>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/random_element.hpp"
#include "harness/outside/judge.hpp"
#include "harness/outside/memory.hpp"

namespace ridgeline::outside {
namespace {

[[noreturn]] void beyond(const char* what, std::size_t index, std::size_t count) {
  throw Error(ErrorKind::usage,
              fmt::format("{} {} was asked for, and the case has {}", what, index, count));
}

}  // namespace

std::int64_t Inputs::count(std::size_t input) const {
  const std::vector<Input>& inputs = memory->one.inputs;
  if (input >= inputs.size()) beyond("input", input, inputs.size());
  return inputs[input].count;
}

double Inputs::operator()(std::size_t input, std::int64_t i) const {
  if (i < 0 || i >= count(input))
    throw Error(ErrorKind::usage,
                fmt::format("element {} of input {} is expected to matter, which has {}", i, input,
                            count(input)));
  return memory->element(set, input, i);
}

const void* Execution::input_at(std::size_t input) const {
  const std::vector<Guarded>& all = memory.sets[inputs].inputs;
  if (input >= all.size()) beyond("input", input, all.size());
  return all[input].data();
}

void* Execution::output_at(std::size_t output) const {
  const std::vector<Guarded>& all = memory.outputs[outputs].buffers;
  if (output >= all.size()) beyond("output", output, all.size());
  return all[output].data();
}

void* Execution::workspace() const { return memory.workspace.data(); }

measure::Workload prepare(const Case& one, measure::Setup& setup) {
  struct Prepared {
    Memory memory;
    Judge judge;
    Prepared(const Case& described, measure::Setup& given)
        : memory(described, given), judge(memory) {}
  };
  const auto all = std::make_shared<Prepared>(one, setup);
  measure::Workload workload;
  workload.flops = one.flops;
  workload.bytes = one.bytes;
  workload.sets = all->memory.count;
  workload.spare_bytes = all->memory.spare_bytes;
  workload.launch = [all](measure::Turn turn, device::Stream& stream) {
    all->memory.sets[all->memory.newest = turn.inputs].launched = true;
    all->memory.one.launch({stream, all->memory, turn.inputs, turn.output});
  };
  workload.poison = [all](std::size_t output) { all->memory.poison(output); };
  workload.verify = [all](measure::Turn turn) { return all->judge.verify(turn); };
  workload.distrust = measure::Distrust{
      [all](std::size_t set, std::uint64_t seed) { all->memory.fill(set, seed); },
      [all](std::size_t set) { all->memory.alter(set); }, [all] { return all->memory.damage(); },
      [all] { return all->judge.finding(); }};
  return workload;
}

worker::Suite to_worker(const Suite& suite, const std::string& name, bool emulated) {
  worker::Suite made{name, suite.question, {}};
  for (const auto& [one, where] : suite.added()) {
    if (emulated && one.device != Kind::cuda) continue;
    worker::Case& listed = made.cases.emplace_back();
    listed.info.id = {name, one.variant, std::string(to_string(one.dtype)), {}, {}};
    for (const Size& size : one.problem)
      listed.info.id.problem.push_back({size.name, std::to_string(size.value)});
    for (const auto& [key, value] : one.options) listed.info.id.options.push_back({key, value});
    listed.info.device_kind = emulated ? Kind::emulated : one.device;
    listed.info.idea = one.idea;
    if (one.flops > 0) listed.info.flops = one.flops;
    if (one.bytes > 0) listed.info.bytes = one.bytes;
    listed.memory = [bytes = memory_of(one)](const device::Facts&) { return bytes; };
    listed.prepare = [one = one](measure::Setup& setup) { return prepare(one, setup); };
  }
  return made;
}

}  // namespace ridgeline::outside
