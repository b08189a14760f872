#include "harness/gate/same_code.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "harness/code/same_program.hpp"

namespace ridgeline::gate {
namespace {

/// What its worker says of it; empty when it says nothing.
const std::string& code_of(const run::Selected& selected) {
  static const std::string unknown;
  const auto& codes = selected.worker->case_codes;
  const auto found = codes.find({selected.info.device_kind, selected.name});
  return found == codes.end() ? unknown : found->second;
}

}  // namespace

bool SameCode::are_copies(const run::Worker& baseline, const run::Worker& candidate) {
  if (baseline.program.empty() || candidate.program.empty() ||
      baseline.command.program != candidate.command.program)
    return false;
  const auto alike = [&](const std::string& one, const std::string& other) {
    return one == other || (one == baseline.program && other == candidate.program);
  };
  if (!std::ranges::equal(baseline.command.arguments, candidate.command.arguments, alike))
    return false;
  const auto [known, is_new] = copies_.try_emplace({baseline.program, candidate.program});
  if (is_new) known->second = code::same_program(baseline.program, candidate.program);
  return known->second;
}

bool SameCode::operator()(const run::Selected& baseline, const run::Selected& candidate) {
  const auto built = [](const run::Selected& of) {
    const record::Build& build = of.worker->hello.build;
    return std::tie(build.worker, build.compiler, build.flags, build.cuda,
                    of.worker->hello.launcher);
  };
  if (baseline.info != candidate.info) return false;
  if (are_copies(*baseline.worker, *candidate.worker)) return true;
  // What a worker says of its own code would have it pass unmeasured.
  const std::string &before_code = code_of(baseline), &after_code = code_of(candidate);
  if (!before_code.empty() || !after_code.empty()) return believes_ && before_code == after_code;
  if (built(baseline) != built(candidate)) return false;
  const auto &before = baseline.worker->program, &after = candidate.worker->program;
  const auto read = programs_.try_emplace({before, after}, before, after).first;
  const record::Case& info = candidate.info;
  return read->second.difference(info.id.suite, info.id.variant, info.device_kind).empty();
}

}  // namespace ridgeline::gate
